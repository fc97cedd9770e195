"""A Comparison as plain dicts, lists, numbers and texts: the document `comparison/1`. What is missing is None."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rankproof.records.estimate import Answer, Estimate

if TYPE_CHECKING:
    from rankproof.records.bounds import Bound, Holes
    from rankproof.records.comparison import Comparison, Contrast


def to_dict(comparison: Comparison, by_query: bool = True) -> dict[str, Any]:
    """All of it; each query's differences and bounds only when asked for."""
    return {
        "systems": list(comparison.systems),
        "measures": list(comparison.measures),
        "queries": len(comparison.query_ids),
        "design": {
            "significance": comparison.significance,
            "correction": comparison.correction,
            "level": comparison.level,
            "seed": comparison.seed,
            "family": {**asdict(comparison.family), "text": str(comparison.family)},
        },
        "contrasts": [contrast_dict(contrast, by_query) for contrast in comparison.contrasts],
        "segments": {name: list(queries) for name, queries in comparison.segments.items()},
        "moves": [asdict(move) for move in comparison.moves],
        "blind_spots": [
            {**asdict(spot), "unseen": list(spot.unseen), "seen_by": dict(spot.seen_by), "share": spot.share}
            for spot in comparison.blind_spots
        ],
        "holes": None if comparison.holes is None else _holes(comparison.holes, by_query),
        "tie_risks": [asdict(risk) for risk in comparison.tie_risks],
        "diagnoses": [asdict(diagnosis) for diagnosis in comparison.diagnoses],
        "grade_shares": None if comparison.grade_shares is None else asdict(comparison.grade_shares),
        "warnings": list(comparison.warnings),
        "fine_print": list(comparison.fine_print),
        "evaluations": [evaluation.to_dict(by_query=by_query) for evaluation in comparison.evaluations],
        "topics": dict(comparison.topics),
        "manifest": dict(comparison.manifest) or None,
    }


def contrast_dict(contrast: Contrast, by_query: bool) -> dict[str, Any]:
    """One contrast."""
    document = {
        "measure": contrast.measure,
        "baseline": contrast.baseline,
        "candidate": contrast.candidate,
        "segment": contrast.segment or None,
        "better": contrast.better,
        "queries": len(contrast.query_ids),
        "baseline_mean": _number(contrast.baseline_mean),
        "candidate_mean": _number(contrast.candidate_mean),
        "difference": answer_dict(contrast.difference),
        "effect": contrast.effect,
        "wins": contrast.wins,
        "ties": contrast.ties,
        "losses": contrast.losses,
        "adjusted": None if contrast.adjusted is None else _finite(asdict(contrast.adjusted)),
        "equivalence": None if contrast.equivalence is None else _finite(asdict(contrast.equivalence)),
        "detectable": None if contrast.detectable is None else asdict(contrast.detectable),
        "direction": contrast.direction,
        "scale": contrast.scale or None,
    }
    if by_query:
        document["by_query"] = dict(zip(contrast.query_ids, contrast.by_query.tolist(), strict=True))
    return document


def answer_dict(answer: Answer) -> dict[str, Any]:
    """An Estimate by its fields, an end without limit as None; or the reason why there is none."""
    if isinstance(answer, Estimate):
        return {"estimable": True, **_finite(asdict(answer)), "notes": list(answer.notes)}
    return {"estimable": False, **asdict(answer)}


def _holes(holes: Holes, by_query: bool) -> dict[str, Any]:
    return {
        "universe": holes.universe,
        "documents": holes.documents,
        "judged_at": holes.judged_at,
        "judged_rates": [_number(rate) for rate in holes.judged_rates],
        "warning": holes.warning,
        "note": holes.note,
        "bounds": [
            {
                "measure": found.measure,
                "values": [_bound(bound, by_query) for bound in found.values],
                "differences": [_bound(bound, by_query) for bound in found.differences],
            }
            for found in holes.bounds
        ],
    }


def _bound(bound: Bound, by_query: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "least": _number(bound.least),
        "greatest": _number(bound.greatest),
        "exact": bound.exact,
        "note": bound.note,
    }
    if by_query:
        document["by_query"] = [[_number(low), _number(high)] for low, high in bound.by_query.tolist()]
    return document


def _finite(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _number(value) if isinstance(value, float) else value for name, value in fields.items()}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
