"""Verdict: may it ship? PASS, FAIL or UNDECIDED, with the ruling of every rule; and the document `verdict/1`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.later import LateField
from rankproof.kernel.verdict import EXIT, Ruling, Status

if TYPE_CHECKING:
    from rankproof.kernel.verdict import Ruling
    from rankproof.measuring.records import Evaluation
    from rankproof.proving.ledger import Attempt
    from rankproof.proving.records import Comparison


@dataclass(frozen=True, eq=False)
class Verdict:
    """The answer of `rankproof.gate`. The status follows from the rulings; `settle` in `proving/gate.py` says how.

    status       "PASS", "FAIL" or "UNDECIDED"
    rulings      each rule with its own status, what was observed and what was required
    candidate    what the run that would ship is called
    baseline     what the run it was compared with is called; None without one
    reasons      the sentences of the rules that made it what it is
    notes        what is good to know and decides nothing
    comparison   both runs in the measures of the policy; None without a baseline, or when none was asked for. It and
                 the manifest decide nothing: the gate makes them when they are first read, from the same inputs
    evaluation   the candidate's values; None when no rule names a measure, or the run was refused
    manifest     what `rankproof verify` needs to get the numbers again
    confidence   of one-sided bounds, where a rule does not say its own
    significance  the method of the bounds
    seed         of the random numbers that it drew
    ledger       which attempt on these judgments it is, where the policy has a ledger
    trial        what a trial showed beside its rulings, where the verdict is of one
    warnings     what could make it untrue and did not decide it: risks that were only reported, and what is amiss
                 with the runs
    """

    status: Status
    rulings: tuple[Ruling, ...]
    policy: str  # what the policy is called
    candidate: str
    baseline: str | None
    reasons: tuple[str, ...]
    notes: tuple[str, ...] = ()
    comparison: LateField[Comparison | None] = LateField(lambda: None)  # noqa: RUF009
    evaluation: Evaluation | None = None
    manifest: LateField[Mapping[str, object]] = LateField(dict)  # noqa: RUF009
    source: str = ""  # the policy's file; "" when it was given as an object
    confidence: float = 0.95
    significance: str = "t_or_gaffke"
    seed: int = 0
    ledger: Attempt | None = None
    trial: object | None = None
    warnings: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """0 for PASS, 1 for FAIL, 3 for UNDECIDED."""
        return EXIT[self.status]

    def __bool__(self) -> bool:
        return self.status == "PASS"

    def to_dict(self) -> Document:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""

        return to_dict(self)

    def __repr__(self) -> str:
        told = ", ".join(f"{ruling.title}: {ruling.status}" for ruling in self.rulings)
        return f"<Verdict {self.status} of {self.policy} on {self.candidate}: {told}>"


def to_dict(verdict: Verdict) -> Document:
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
        **({"warnings": list(verdict.warnings)} if verdict.warnings else {}),
        **({} if verdict.ledger is None else {"ledger": verdict.ledger.to_dict()}),
        "evaluation": None if verdict.evaluation is None else verdict.evaluation.to_dict(by_query=False),
        "comparison": None if verdict.comparison is None else verdict.comparison.to_dict(by_query=False),
        "manifest": dict(verdict.manifest) or None,
    }


def ruling_dict(ruling: Ruling) -> Document:
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
        **({"risks": list(ruling.risks)} if ruling.risks else {}),
    }


def _bounds(answer: Answer | None) -> Document | None:
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
