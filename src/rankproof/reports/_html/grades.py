"""Grades: what the first k documents of each system are made of."""

from __future__ import annotations

from rankproof.records.comparison import Comparison
from rankproof.reports._charts.shares import share_chart
from rankproof.reports._html.figure import figure
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import Cell, Column, table


def section(comparison: Comparison) -> Section | None:
    """The stacked bars and their numbers."""
    shares = comparison.grade_shares
    if shares is None:
        return None
    used = [i for i in range(len(shares.parts)) if any(row[i] >= 0.0005 for row in shares.shares)]
    parts = [p if isinstance(p, str) else f"grade {p}" for p in shares.parts]
    rows = [
        [Cell(system), *(Cell(f"{row[i]:.1%}", row[i]) for i in used)]
        for system, row in zip(shares.systems, shares.shares, strict=True)
    ]
    tips = [
        [system, *(f"{parts[i]}: {row[i]:.1%}" for i in used)]
        for system, row in zip(shares.systems, shares.shares, strict=True)
    ]
    columns = [Column("System", "name", "text"), *(Column(parts[i].capitalize(), sort="number") for i in used)]
    label = f"Share of each grade in the first {shares.depth}: the table below has the numbers."
    return Section(
        "grades",
        f"Grades in the first {shares.depth}",
        "What does a user see on the first page?",
        (
            figure(lambda look: share_chart(shares, look), label, "Mean over queries.", tips=tips),
            table(f"Share of each grade in the first {shares.depth}, mean over queries", columns, rows),
        ),
    )
