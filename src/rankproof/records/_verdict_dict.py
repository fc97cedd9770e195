"""A Verdict as plain dicts, lists, numbers and texts: the document `verdict/1`. What is missing is None."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rankproof.records.estimate import Answer, Estimate

if TYPE_CHECKING:
    from rankproof.records.verdict import Ruling, Verdict


def to_dict(verdict: Verdict) -> dict[str, Any]:
    """All of it; of the evaluation and the comparison that it rests on, everything but each query's values."""
    return {
        "status": verdict.status,
        "exit_status": verdict.exit_status,
        "policy": {
            "name": verdict.policy,
            "source": verdict.source or None,
            "confidence": verdict.confidence,
            "significance": verdict.significance,
            "seed": verdict.seed,
        },
        "candidate": verdict.candidate,
        "baseline": verdict.baseline,
        "reasons": list(verdict.reasons),
        "rulings": [ruling_dict(ruling) for ruling in verdict.rulings],
        "notes": list(verdict.notes),
        "evaluation": None if verdict.evaluation is None else verdict.evaluation.to_dict(by_query=False),
        "comparison": None if verdict.comparison is None else verdict.comparison.to_dict(by_query=False),
        "manifest": dict(verdict.manifest) or None,
    }


def ruling_dict(ruling: Ruling) -> dict[str, Any]:
    """One ruling. `bounds` are one-sided, each at `confidence`; an end without limit is None."""
    return {
        "rule": ruling.rule,
        "title": ruling.title,
        "status": ruling.status,
        "reason": ruling.reason,
        "decides": ruling.decides or None,
        "measure": ruling.measure or None,
        "segment": ruling.segment or None,
        "basis": ruling.basis,
        "better": ruling.better,
        "unit": ruling.unit or None,
        "observed": _number(ruling.observed),
        "threshold": _number(ruling.threshold),
        "bounds": _bounds(ruling.answer),
        "confidence": ruling.confidence,
        "p_fail": ruling.p_fail,
        "adjusted": ruling.adjusted,
        "effect": _number(ruling.effect),
        "band": ruling.band or None,
        "queries": list(ruling.queries),
        "payers": [asdict(payer) for payer in ruling.payers],
        "notes": list(ruling.notes),
    }


def _bounds(answer: Answer | None) -> dict[str, Any] | None:
    if not isinstance(answer, Estimate):
        return None
    return {
        "lower": _number(answer.low),
        "upper": _number(answer.high),
        "method": answer.method,
        "n": answer.n,
        "resamples": answer.resamples,
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
