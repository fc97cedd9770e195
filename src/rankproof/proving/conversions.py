"""A Comparison as the document `comparison/1`, at a prompt, in a rich console and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import counted, signed, verdict_word
from rankproof.measuring.conversions import BOX, CELL, FINE, TABLE, charts
from rankproof.proving.sections import header, headline, row, title

if TYPE_CHECKING:
    from rich.console import Group

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
    if comparison.reuse is not None:
        from rankproof.proving.reuse_records import reuse_dict

        document["reuse"] = reuse_dict(comparison.reuse)
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


def line(comparison: Comparison) -> str:
    """One line: the systems, the queries, and the result in each measure."""
    results = ", ".join(
        f"{c.measure} {c.candidate} {signed(c.difference.value)} ({verdict_word(c.direction)})"
        for c in comparison.contrasts
        if not c.segment and isinstance(c.difference, Estimate)
    )
    queries = counted(len(comparison.query_ids), "query", "queries")
    return f"<comparison with {comparison.systems[0]}, {queries}: {results or 'nothing can be tested'}>"


def html(comparison: Comparison) -> str:
    """HTML with every text escaped: names of runs and queries come from files."""
    columns = "".join(f'<th scope="col" style="{CELL};text-align:left">{escape(c)}</th>' for c in header(comparison))
    rows = "".join(
        "<tr>"
        + "".join(f'<td style="{CELL};text-align:left">{escape(cell)}</td>' for cell in row(comparison, contrast))
        + "</tr>"
        for contrast in comparison.contrasts
    )
    headlines = [headline(c) for c in comparison.contrasts if not c.segment]
    notes = "".join(f"<li>{escape(text)}</li>" for text in (*headlines, *comparison.warnings))
    return (
        f'<div class="rankproof-comparison" style="{BOX}"><table style="{TABLE}">'
        f'<caption style="text-align:left;color:inherit"><strong>{escape(title(comparison))}</strong></caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>"
        f'<ul style="{FINE}">{notes}</ul>{charts(comparison)}</div>'
    )


def rich(comparison: Comparison) -> Group:
    """A rich table; texts are put in as texts, so that brackets in names are not read as markup."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title(comparison)))
    for column in header(comparison):
        table.add_column(column)
    for contrast in comparison.contrasts:
        table.add_row(*(Text(cell) for cell in row(comparison, contrast)))
    return Group(table, *(Text(warning, style="yellow") for warning in comparison.warnings))
