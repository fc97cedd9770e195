"""Power: what the differences that were not shown could have been."""

from __future__ import annotations

from rankproof.records.comparison import Comparison
from rankproof.records.show import number
from rankproof.records.words import percent
from rankproof.reports._html.claims import difference
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import Cell, Column, table


def section(comparison: Comparison) -> Section | None:
    """For each contrast that is not shown: the least difference it could have found, and the queries it would take."""
    found = [(c, c.detectable) for c in comparison.contrasts if c.detectable is not None]
    if not found:
        return None
    power = percent(found[0][1].power)
    columns = [
        Column("Measure", "name", "text"),
        Column("Queries", "name"),
        Column("Candidate", "name", "text"),
        Column("Observed", sort="number"),
        Column("Could have found", sort="number"),
        Column("Queries needed", sort="number"),
    ]
    rows = [
        [
            Cell(c.measure),
            Cell(f"{c.segment or 'all'} ({len(c.query_ids)})"),
            Cell(c.candidate),
            Cell(difference(c.difference.value), c.difference.value),
            Cell(number(able.difference), able.difference),
            Cell(
                f"{able.queries_needed:,}" if able.queries_needed is not None else "none", able.queries_needed or 1e15
            ),
        ]
        for c, able in found
    ]
    note = (
        f"Could have found: the least true difference that so many queries show in {power} of cases. Queries "
        f"needed: to show a difference as large as the observed one in {power} of cases."
    )
    inside = table("Differences that are not shown", columns, rows)
    return Section("power", "What could have been found", note, (inside,))
