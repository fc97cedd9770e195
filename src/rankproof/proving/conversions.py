"""A Comparison as the document `comparison/1`, as tables of data, at a prompt, in a rich console and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankproof.errors import UsageError
from rankproof.kernel.data_table import DataColumn, DataTable
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.prompt_tables import RichTable, html_table
from rankproof.kernel.sections import confidence_interval, counted, interval, p_text, signed, verdict_word
from rankproof.measuring.conversions import charts, system_table
from rankproof.proving.sections import headline, title

if TYPE_CHECKING:
    from rankproof.proving.holes.bounds import Bound, Holes
    from rankproof.proving.records import Comparison, Contrast


def to_dict(comparison: Comparison, by_query: bool = True) -> dict[str, object]:
    """All of it; each query's differences and bounds, and the reuse check, only when asked for."""
    design: dict[str, object] = {
        "significance": comparison.significance,
        "correction": comparison.correction,
        "level": comparison.level,
        "seed": comparison.seed,
        "family": {**asdict(comparison.family), "text": str(comparison.family)},
    }
    if comparison.sampling is not None:
        columns = asdict(comparison.sampling.columns)
        design["sampling"] = {name: column or None for name, column in columns.items()}
    document: dict[str, object] = {
        "systems": list(comparison.systems),
        "measures": list(comparison.measures),
        "queries": len(comparison.query_ids),
        "design": design,
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
    if comparison.repeats:
        document["repeats"] = [plan.to_dict() for plan in comparison.repeats]
    if comparison.reuse is not None:
        from rankproof.proving.reuse_records import reuse_dict

        document["reuse"] = reuse_dict(comparison.reuse)
    if comparison.overlaps is not None:
        document["overlaps"] = {
            "measures": {f"{at:g}": text for at, text in comparison.overlaps.measures.items()},
            "stable": comparison.overlaps.stable,
            "contrasts": [contrast_dict(contrast, by_query) for contrast in comparison.overlaps.comparison.contrasts],
        }
    return document


def contrast_dict(contrast: Contrast, by_query: bool) -> dict[str, object]:
    """One contrast."""
    document: dict[str, object] = {
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
        "adjusted": None if contrast.adjusted is None else _finite(contrast.adjusted.to_dict()),
        "equivalence": None if contrast.equivalence is None else _finite(asdict(contrast.equivalence)),
        "detectable": None if contrast.detectable is None else asdict(contrast.detectable),
        "direction": contrast.direction,
        "scale": contrast.scale or None,
    }
    if contrast.sampling is not None:
        document["design_effect"] = contrast.design_effect
    if by_query:
        document["by_query"] = dict(zip(contrast.query_ids, contrast.by_query.tolist(), strict=True))
    return document


def answer_dict(answer: Answer) -> dict[str, object]:
    """An Estimate by its fields, an end without limit as None; or the reason why there is none."""
    if isinstance(answer, Estimate):
        return {"estimable": True, **_finite(asdict(answer)), "notes": list(answer.notes)}
    return {"estimable": False, **asdict(answer)}


def _holes(holes: Holes, by_query: bool) -> dict[str, object]:
    return {
        "universe": holes.universe,
        "outside": holes.outside,
        "documents": holes.documents,
        "judged_at": holes.judged_at,
        "judged_rates": [_number(rate) for rate in holes.judged_rates],
        "warning": holes.warning,
        "note": holes.note,
        "bounds": [
            {
                "measure": bounds.measure,
                "values": [_bound(bound, by_query) for bound in bounds.values],
                "differences": [_bound(bound, by_query) for bound in bounds.differences],
            }
            for bounds in holes.bounds
        ],
    }


def _bound(bound: Bound, by_query: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "least": _number(bound.least),
        "greatest": _number(bound.greatest),
        "exact": bound.exact,
        "note": bound.note,
    }
    if by_query:
        document["by_query"] = [[_number(low), _number(high)] for low, high in bound.by_query.tolist()]
    return document


def _finite(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: _number(value) if isinstance(value, float) else value for name, value in fields.items()}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


# ---- tables of data -------------------------------------------------------------------------------

_TEXTS = ("measure", "candidate", "baseline", "segment", "result", "better", "reason")
_COUNTS = ("queries", "wins", "ties", "losses")


def contrast_table(comparison: Comparison) -> DataTable:
    """A row per contrast. `low`, `high` and `p_value` are of the test alone, `adjusted_...` after the correction.

    What does not exist is None: an interval without a test, an end without limit, an adjustment without a correction;
    `reason` says why a test could not be made. `result` is "better", "worse" or "not significant".
    """
    rows = [_contrast_row(contrast) for contrast in comparison.contrasts]
    names = list(rows[0]) if rows else list(_TEXTS)
    return DataTable(
        tuple(
            DataColumn(
                name,
                [row[name] for row in rows],
                "text" if name in _TEXTS else "count" if name in _COUNTS else "number",
            )
            for name in names
        )
    )


def _contrast_row(contrast: Contrast) -> dict[str, str | float | None]:
    answer, adjusted = contrast.difference, contrast.adjusted
    tested = isinstance(answer, Estimate)
    return {
        "measure": contrast.measure,
        "candidate": contrast.candidate,
        "baseline": contrast.baseline,
        "segment": contrast.segment or None,
        "queries": len(contrast.query_ids),
        "candidate_mean": _number(contrast.candidate_mean),
        "baseline_mean": _number(contrast.baseline_mean),
        "difference": None if answer.value is None else _number(answer.value),
        "low": _number(answer.low) if isinstance(answer, Estimate) else None,
        "high": _number(answer.high) if isinstance(answer, Estimate) else None,
        "p_value": answer.p_value if isinstance(answer, Estimate) else None,
        "adjusted_low": None if adjusted is None else _number(adjusted.low),
        "adjusted_high": None if adjusted is None else _number(adjusted.high),
        "adjusted_p_value": None if adjusted is None else adjusted.p_value,
        "effect_size": contrast.effect,
        "wins": contrast.wins,
        "ties": contrast.ties,
        "losses": contrast.losses,
        "result": verdict_word(contrast.direction) if tested else "not estimable",
        "better": contrast.better,
        "reason": answer.reason if not isinstance(answer, Estimate) else None,
    }


def query_table(comparison: Comparison) -> DataTable:
    """A row per query, a column per measure and system."""
    if not comparison.evaluations:
        raise UsageError(
            "This comparison was made of values and has none by query and system. The differences are in "
            "`contrast.by_query` of its contrasts."
        )
    return system_table(comparison.evaluations, comparison.measures, "system")


# ---- at a prompt, in a notebook, in a console -------------------------------------------------------

# How many contrasts a line at a prompt names.
FEW_CONTRASTS = 4
_COUNTED = "won/same/lost"


def contrast_line(contrast: Contrast) -> str:
    """The contrast in a few words: measure, systems, difference, interval, result."""
    answer = contrast.difference
    where = f" on {contrast.segment}" if contrast.segment else ""
    pair = f"{contrast.measure}, {contrast.candidate} against {contrast.baseline}{where}"
    if not isinstance(answer, Estimate):
        return f"{pair}: not estimable, {answer.reason}"
    ends = answer if contrast.adjusted is None else contrast.adjusted
    result = verdict_word(contrast.direction)
    return f"{pair}: {signed(answer.value)} ({interval(ends.low, ends.high)}), {result}"


def line(comparison: Comparison) -> str:
    """One line: the systems, the queries, and the first results."""
    whole = [c for c in comparison.contrasts if not c.segment]
    results = [
        f"{c.measure} {c.candidate} {signed(c.difference.value)} ({verdict_word(c.direction)})"
        if isinstance(c.difference, Estimate)
        else f"{c.measure} {c.candidate} not estimable"
        for c in whole[:FEW_CONTRASTS]
    ]
    more = [f"and {len(whole) - FEW_CONTRASTS} more"] if len(whole) > FEW_CONTRASTS else []
    queries = counted(len(comparison.query_ids), "query", "queries")
    told = ", ".join(results + more) or "nothing can be tested"
    return f"<Comparison with {comparison.systems[0]}, {queries}: {told}>"


def html(comparison: Comparison) -> str:
    """HTML with every text escaped: names of runs and queries come from files."""
    columns, rows = _at_a_glance(comparison)
    headlines = [headline(c) for c in comparison.contrasts if not c.segment]
    notes = (*headlines, *comparison.warnings)
    names = 2 + bool(comparison.segments)
    return html_table("comparison", title(comparison), columns, rows, notes, names=names, below=charts(comparison))


def rich(comparison: Comparison) -> RichTable:
    """A table that fits into 80 columns, with the warnings below it."""
    columns, rows = _at_a_glance(comparison)
    at = columns.index(_COUNTED)
    columns, rows = [*columns[:at], *columns[at + 1 :]], [[*cells[:at], *cells[at + 1 :]] for cells in rows]
    return RichTable(title(comparison), columns, rows, comparison.warnings, names=2 + bool(comparison.segments))


def _at_a_glance(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Header and rows with what decides: the adjusted interval and p-value where there is a correction."""
    adjusted = comparison.correction != "none"
    level = confidence_interval(comparison.level, short=True)
    columns = ["measure", "candidate", "difference", f"adjusted {level}" if adjusted else level]
    columns += [f"p ({comparison.correction})" if adjusted else "p", _COUNTED, "result"]
    if comparison.segments:
        columns.insert(1, "queries")
    return columns, [_glance_row(comparison, contrast) for contrast in comparison.contrasts]


def _glance_row(comparison: Comparison, contrast: Contrast) -> list[str]:
    answer = contrast.difference
    pair = contrast.candidate
    if contrast.baseline != comparison.systems[0]:
        pair += f" - {contrast.baseline}"
    cells = [contrast.measure, *([contrast.segment or "all"] if comparison.segments else []), pair]
    cells.append("none" if answer.value is None else signed(answer.value))
    if isinstance(answer, Estimate):
        ends = answer if contrast.adjusted is None else contrast.adjusted
        cells += [interval(ends.low, ends.high), p_text(contrast.p_value)]
    else:
        cells += ["none", "none"]
    counts = f"{contrast.wins}/{contrast.ties}/{contrast.losses}"
    return [*cells, counts, verdict_word(contrast.direction) if isinstance(answer, Estimate) else "not estimable"]
