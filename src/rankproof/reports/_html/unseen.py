"""What the measures do not see: blind spots, and ties that could change a verdict."""

from __future__ import annotations

from rankproof.records.blindspot import BlindSpot
from rankproof.records.comparison import Comparison
from rankproof.reports._html.claims import difference, span
from rankproof.reports._html.markup import Piece, tag
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import Cell, Column, bullets, table

# How many queries or measures a cell names before it only counts.
NAMED = 3


def blind_spots(comparison: Comparison) -> Section | None:
    """For each measure: rankings that changed while the value did not, and who sees them."""
    if not comparison.blind_spots:
        return None
    found = [spot for spot in comparison.blind_spots if spot.unseen]
    columns = [
        Column("Measure", "name", "text"),
        Column("Candidate", "name", "text"),
        Column("Rankings changed", sort="number"),
        Column("Value the same", sort="number"),
        Column("Share unseen", sort="number"),
        Column("Seen by", "words"),
        Column("For example", "words"),
    ]
    clear: dict[str, list[str]] = {}
    for spot in comparison.blind_spots:
        if not spot.unseen:
            clear.setdefault(spot.measure, []).append(spot.candidate)
    seen = "; ".join(f"{measure} of {', '.join(candidates)}" for measure, candidates in clear.items())
    return Section(
        "blind-spots",
        "Blind spots",
        "Where did the ranking change although the measure says that nothing did?",
        (
            table("Changes that a measure does not show", columns, [_row(spot) for spot in found]) if found else None,
            tag("p", f"Every change is seen: {seen}.", class_="note") if clear else None,
        ),
    )


def _row(spot: BlindSpot) -> list[Cell]:
    seen = [f"{measure} ({count})" for measure, count in spot.seen_by.items() if count][:NAMED]
    return [
        Cell(spot.measure),
        Cell(spot.candidate),
        Cell(f"{spot.changed} of {spot.queries}", spot.changed),
        Cell(str(len(spot.unseen)), len(spot.unseen)),
        Cell(f"{spot.share:.0%}", spot.share),
        Cell(", ".join(seen) or "no measure asked for"),
        Cell(", ".join(spot.unseen[:NAMED])),
    ]


def ties(comparison: Comparison) -> Section | None:
    """How far the order of tied documents could move each difference."""
    risks = [r for r in comparison.tie_risks if r.changes or difference(r.least) != difference(r.greatest)]
    if not risks:
        return None
    columns = [
        Column("Measure", "name", "text"),
        Column("Candidate", "name", "text"),
        Column("Difference", sort="number"),
        Column("Over all orders of ties"),
        Column("Found by", "label"),
        Column("Could change the verdict", "label", "text"),
    ]
    rows = [
        [
            Cell(risk.measure),
            Cell(risk.candidate),
            Cell(difference(risk.observed), risk.observed),
            Cell(span(risk.least, risk.greatest)),
            Cell("all orders" if risk.exact else "random orders"),
            Cell("yes" if risk.changes else "no", tone="worse" if risk.changes else ""),
        ]
        for risk in risks
    ]
    notes: list[Piece] = [risk.note for risk in risks if risk.note and (risk.changes or not risk.exact)]
    return Section(
        "ties",
        "Ties",
        "Could another order of documents with the same score change what is said?",
        (table("Differences over all orders of tied documents", columns, rows), bullets(notes, "fine")),
    )
