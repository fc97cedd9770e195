"""The fine print: what a table of numbers leaves unsaid, in a few lines below it."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.dialects._contract import Dialect
from rankproof.records.evaluation import Population, Result
from rankproof.records.judged import JudgedTable
from rankproof.records.settings import Settings

# How many query ids a line names before it only counts.
NAMED = 5


def some(ids: tuple[str, ...]) -> str:
    """The first few ids, and how many more there are."""
    shown = ", ".join(ids[:NAMED])
    return shown if len(ids) <= NAMED else f"{shown} and {len(ids) - NAMED} more"


def fine_print(
    population: Population,
    results: Mapping[str, Result],
    table: JudgedTable,
    settings: Settings,
    dialect: Dialect,
) -> tuple[str, ...]:
    """The lines: each measure's own, then order, population, judged share and settings."""
    lines = [f"{text}: {r.fine_print}" for text, r in results.items() if r.fine_print]
    lines.append(f"order: {table.order}")
    if dialect.name != "rankproof":
        lines.append(f"dialect: {dialect.name}")
    lines.append(f"queries: {population.scored} scored of {population.judged} judged")
    if population.missing:
        counted = "left out" if population.missing_policy == "drop" else "count as empty rankings"
        lines.append(
            f"missing from the run: {len(population.missing)}, {counted} ({some(population.missing)})"
        )
    if population.without_relevant:
        n = len(population.without_relevant)
        lines.append(f"without a relevant document: {n} ({some(population.without_relevant)})")
    if population.unjudged:
        lines.append(
            f"in the run, not judged, not scored: {len(population.unjudged)} ({some(population.unjudged)})"
        )
    if population.skipped:
        lines.append(f"skipped as undefined: {len(population.skipped)} ({some(population.skipped)})")
    if settings.depth is not None:
        lines.append(f"depth: only the first {settings.depth} documents of each ranking")
    if settings.judged_only:
        lines.append("judged only: unjudged documents removed before ranking")
    return tuple(lines)
