"""The fine print: what a table of numbers leaves unsaid, in a few lines below it."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.kernel import shelf
from rankproof.kernel.wording import number
from rankproof.measuring.dialects.contract import Dialect
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Measure
from rankproof.measuring.names import parse
from rankproof.measuring.records import Population, Result, Settings

# How many query ids a line names before it only counts.
NAMED = 5

# Where the judged share is looked at when no measure has a cutoff.
USUAL_CUTOFF = 10

# Below this mean share of judged documents a warning stands beside it: with one document in five unjudged,
# what was never judged can decide a comparison.
LOW = 0.8


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
    lines += _ties(results, settings)
    if dialect.name != "rankproof":
        lines.append(f"dialect: {dialect.name}")
        lines += _readings(results, table, dialect)
    lines.append(f"queries: {population.scored} scored of {population.judged} judged")
    if population.missing:
        counted = "left out" if population.missing_policy == "drop" else "count as empty rankings"
        lines.append(f"missing from the run: {len(population.missing)}, {counted} ({some(population.missing)})")
    if population.without_relevant:
        n = len(population.without_relevant)
        lines.append(f"without a relevant document: {n} ({some(population.without_relevant)})")
    if population.unjudged:
        lines.append(f"in the run, not judged, not scored: {len(population.unjudged)} ({some(population.unjudged)})")
    if population.skipped:
        lines.append(f"skipped as undefined: {len(population.skipped)} ({some(population.skipped)})")
    lines += _undefined(results)
    # In condensed rankings every document is judged: the share would say nothing.
    if not settings.judged_only:
        lines += _judged(results, table)
    if settings.depth is not None:
        lines.append(f"depth: only the first {settings.depth} documents of each ranking")
    if settings.judged_only:
        lines.append("judged only: unjudged documents removed before ranking")
    return tuple(lines)


def _readings(results: Mapping[str, Result], table: JudgedTable, dialect: Dialect) -> list[str]:
    """Rounding, and how the dialect reads some measures otherwise than the first, of which the other lines tell."""
    readings = {text: dialect.read(dialect.speak(parse(text)[0])) for text in results}
    first = next(iter(readings.values()))
    lines = []
    for text, reading in readings.items():
        said = []
        # An order that the caller or the run decides holds for all measures.
        if reading.order != first.order == table.order:
            said.append(f"order {reading.order}")
        if reading.missing != first.missing:
            fate = "are left out" if reading.missing == "drop" else "count as empty rankings"
            said.append(f"queries missing from the run {fate}")
        if reading.ties == "expected":
            said.append("mean over all orders of documents with equal scores")
        if reading.rounds is not None:
            said.append(f"each query rounded to {reading.rounds.places} places")
        if said:
            lines.append(f"{text}: {'; '.join(said)}")
    if dialect.round_mean is not None:
        lines.append(f"means rounded to {dialect.round_mean} places")
    return lines


def _ties(results: Mapping[str, Result], settings: Settings) -> list[str]:
    """What the values say of tied documents, when it is not the rule of the order, and how it was found."""
    if settings.ties == "rule":
        return []
    what = "mean" if settings.ties == "expected" else "least and greatest"
    notes = [f"{text}: {r.ties.note}" for text, r in results.items() if r.ties is not None and r.ties.note]
    return [f"ties: {what} over all orders of documents with equal scores", *notes]


def _undefined(results: Mapping[str, Result]) -> list[str]:
    """For how many queries each measure has no value, and what becomes of them in the mean."""
    groups: dict[tuple[int, bool], list[str]] = {}
    for text, result in results.items():
        if result.undefined:
            counts = result.undefined[0] in result.query_ids
            groups.setdefault((len(result.undefined), counts), []).append(text)
    lines = []
    for (n, counts), texts in groups.items():
        one = n == 1
        fate = ("counts as 0 in" if one else "count as 0 in") if counts else "left out of"
        lines.append(f"undefined: {n} {'query' if one else 'queries'} {fate} {', '.join(texts)}")
    return lines


def _judged(results: Mapping[str, Result], table: JudgedTable) -> list[str]:
    """Which share of the documents that the measures look at is judged; a warning where it is low."""
    cutoffs = {variant.k for text in results for variant in parse(text) if variant.measure.cutoff != "recall"}
    wanted = sorted(k for k in cutoffs if k is not None) or [USUAL_CUTOFF]
    judged: Measure = shelf.find("measures", "Judged")
    shares = {k: judged.compute(table, judged.variant(at=k)) for k in wanted if len(table)}
    means = {k: float(share.mean()) for k, share in shares.items()}
    lines = []
    if means:
        shown = ", ".join(f"Judged@{k} {number(mean)}" for k, mean in means.items())
        lines.append(f"{shown} (share of the first k documents that is judged)")
    low = [str(k) for k, mean in means.items() if mean < LOW]
    if low:
        lines.append(
            f"few of the first {', '.join(low)} documents are judged: unjudged ones count as not relevant, "
            "so the true values may be higher"
        )
    return lines
