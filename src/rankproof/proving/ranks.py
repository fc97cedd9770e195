"""Ranks: the systems of a comparison in order, between which ranks each lies, and a leaderboard of them.

The rank of a system is 1 plus the number of systems that are better, in truth and not in these queries. Where all pairs
of systems are tested together, with the family-wise error kept at 5%, then with 95% confidence no claim among them is
false, and all these bounds hold at once:

    1 + (systems that are significantly better)  <=  rank  <=  systems - (systems that are significantly worse)

Systems that are truly equal may share the rank in either way, as the best or the worst of them: both lie between the
bounds. The bounds are those of Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks with applications to mobility
across neighbourhoods and academic achievement across countries, Review of Economic Studies 91(1), 2024.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import counted
from rankproof.proving.leaderboard_records import Leaderboard, LeaderboardRow

if TYPE_CHECKING:
    from rankproof.proving.records import Comparison, Contrast

# What a correction must keep for claims to hold together, whichever is picked out.
TOGETHER = "family-wise error"


def keeps_together(correction: str) -> bool:
    """Whether all claims after this correction hold together."""
    keeps: bool = shelf.find("corrections", correction).controls == TOGETHER
    return keeps


def all_pairs(comparison: Comparison) -> tuple[Contrast, ...]:
    """All pairs of systems in the first measure over all queries, corrected as one family."""
    measure = comparison.measures[0]
    made = tuple(c for c in comparison.contrasts if c.measure == measure and not c.segment)
    whole = len(made) == math.comb(len(comparison.systems), 2)
    return made if whole else comparison.every_pair()


def rank_intervals(systems: Sequence[str], pairs: Iterable[Contrast]) -> dict[str, tuple[int, int]]:
    """The least and the greatest rank that each system may have by what is significant among the pairs.

    A pair that cannot be tested says nothing, and widens both intervals.
    """
    above, below = dict.fromkeys(systems, 0), dict.fromkeys(systems, 0)
    for pair in pairs:
        if pair.direction in ("better", "worse"):
            won = pair.direction == "better"
            winner, loser = (pair.candidate, pair.baseline) if won else (pair.baseline, pair.candidate)
            above[loser] += 1
            below[winner] += 1
    return {system: (1 + above[system], len(systems) - below[system]) for system in systems}


def groups_alike(order: Sequence[str], pairs: Iterable[Contrast]) -> tuple[tuple[str, ...], ...]:
    """Neighbors in the order of which no two are significantly different, each group as large as it can be.

    Systems of one group cannot be told apart. The converse need not hold: a system that varies more may not be told
    from one outside of its group.
    """
    apart = {frozenset((pair.candidate, pair.baseline)) for pair in pairs if pair.direction in ("better", "worse")}
    found: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(order)):
        reach = start + 1
        while reach < len(order) and all(
            frozenset((order[reach], system)) not in apart for system in order[start:reach]
        ):
            reach += 1
        if reach > end:
            found.append(tuple(order[start:reach]))
            end = reach
    return tuple(found)


# ---- a leaderboard of a comparison ----------------------------------------------------------------


def leaderboard_of(
    comparison: Comparison, has_baseline: bool = True, warnings: Sequence[str] = (), notes: Sequence[str] = ()
) -> Leaderboard:
    """The systems of a comparison, ranked by its first measure over all queries."""
    measure = comparison.measures[0]
    whole = [c for c in comparison.contrasts if not c.segment]
    means = {text: _means(comparison, whole, text) for text in comparison.measures}
    better = next(c.better for c in whole if c.measure == measure)
    order, ranks = ranked(comparison.systems, means[measure], better)
    best = order[0] if ranks[order[0]] is not None else None
    reference = comparison.systems[0] if has_baseline or best is None else best
    rows = []
    for system in order:
        against = {text: _pair(whole, text, system, reference) for text in comparison.measures}
        first = against[measure]
        behind = None if best in (None, system) else chosen_pair(comparison, system, str(best))
        rows.append(
            LeaderboardRow(
                ranks[system],
                system,
                {text: means[text][system] for text in comparison.measures},
                {text: contrast.direction for text, contrast in against.items() if contrast is not None},
                None if first is None else first.difference,
                None if first is None else first.adjusted,
                None if behind is None else behind.direction,
            )
        )
    pairs = () if best is None else all_pairs(comparison)
    ranges = rank_intervals(order, pairs)
    rows = [replace(row, rank_interval=None if best is None else ranges[row.system]) for row in rows]
    pair = None if best is None else chosen_pair(comparison, order[0], order[1])
    return Leaderboard(
        comparison.measures, better, reference, has_baseline, len(comparison.query_ids), comparison.level,
        comparison.correction, "" if comparison.correction == "none" else comparison.family.counts, tuple(rows), pair,
        "" if pair is None else selection_text(comparison, pair),
        tuple(warnings), tuple(notes), () if best is None else groups_alike(order, pairs),
        # Two systems are one test, which needs no correction.
        best is not None and (len(order) == 2 or keeps_together(comparison.correction)),
    )  # fmt: skip


def _means(comparison: Comparison, whole: Sequence[Contrast], text: str) -> dict[str, float]:
    means: dict[str, float] = {}
    for c in whole:
        if c.measure == text:
            means[c.baseline], means[c.candidate] = c.baseline_mean, c.candidate_mean
    return {system: means[system] for system in comparison.systems}


def ranked(systems: Sequence[str], means: Mapping[str, float], better: str) -> tuple[list[str], dict[str, int | None]]:
    """The systems, best first, and their ranks; as given and without ranks where the measure has no better side."""
    if better == "neither":
        return list(systems), dict.fromkeys(systems)
    sign = 1 if better == "lower" else -1
    order = sorted(systems, key=lambda s: (math.isnan(means[s]), 0.0 if math.isnan(means[s]) else sign * means[s]))
    ranks: dict[str, int | None] = {}
    for at, system in enumerate(order):
        before = order[at - 1] if at else None
        if math.isnan(means[system]):
            ranks[system] = None
        else:
            ranks[system] = ranks[before] if before is not None and means[before] == means[system] else at + 1
    return order, ranks


def _pair(contrasts: Sequence[Contrast], measure: str, candidate: str, other: str) -> Contrast | None:
    """The contrast of these two with `candidate` as the candidate, turned round where it was made the other way."""
    for contrast in contrasts:
        if contrast.measure == measure and not contrast.segment:
            if (contrast.candidate, contrast.baseline) == (candidate, other):
                return contrast
            if (contrast.candidate, contrast.baseline) == (other, candidate):
                return turned(contrast)
    return None


def turned(contrast: Contrast) -> Contrast:
    """The same two systems with their sides changed: the baseline against the candidate."""
    answer, beside = contrast.difference, contrast.adjusted
    if isinstance(answer, Estimate):
        answer = replace(answer, value=-answer.value, low=-answer.high, high=-answer.low)
    elif answer.value is not None:
        answer = replace(answer, value=-answer.value)
    return replace(
        contrast,
        baseline=contrast.candidate,
        candidate=contrast.baseline,
        baseline_mean=contrast.candidate_mean,
        candidate_mean=contrast.baseline_mean,
        by_query=-contrast.by_query,
        difference=answer,
        effect=None if contrast.effect is None else -contrast.effect,
        wins=contrast.losses,
        losses=contrast.wins,
        adjusted=None if beside is None else replace(beside, low=-beside.high, high=-beside.low),
        equivalence=None,  # a margin of non-inferiority has a side
    )


def chosen_pair(comparison: Comparison, candidate: str, other: str) -> Contrast | None:
    """Two systems in the first measure, from a family that was corrected as a whole: see `Leaderboard`."""
    measure = comparison.measures[0]
    made = _pair(comparison.contrasts, measure, candidate, other)
    return made if made is not None else _pair(comparison.every_pair(), measure, candidate, other)


def selection_text(comparison: Comparison, pair: Contrast) -> str:
    """What a pair that was chosen after seeing the ranking was corrected for; "" where there is no other pair."""
    if len(comparison.systems) == 2:
        return ""
    if not keeps_together(comparison.correction):
        return f"post hoc and exploratory: {comparison.correction} does not correct for having picked the best"
    own = _pair(comparison.contrasts, comparison.measures[0], pair.candidate, pair.baseline) is None
    pairs = math.comb(len(comparison.systems), 2) if own else comparison.family.contrasts
    every = "all " if pairs == math.comb(len(comparison.systems), 2) else ""
    return f"post hoc, so adjusted over {every}{counted(pairs, 'pair')}"
