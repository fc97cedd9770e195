"""Sizing: plans a query set, from two runs or from a standard deviation, by the power of the paired t test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.flow.measuring import Measures, evaluate, prepare
from rankproof.flow.paired import Paired, paired, refuse_other_ground
from rankproof.flow.power import MOST_QUERIES, power_at, queries_needed, refuse_senseless, smallest_difference
from rankproof.flow.spread import spread_of
from rankproof.records.estimate import Alternative, NotEstimable
from rankproof.records.power import AtDifference, AtQueries, Needed, PowerPlan, Sizing, Smallest, Spread

# Curves go on until there is nothing left to see.
NEARLY_SURE = 0.99
HARDLY_EVER = 0.2
# Steps of the curve over differences up to the smallest one that is shown; it goes on to twice that.
STEPS = 4


def plan_runs(
    qrels: Any,
    baseline: Any,
    candidate: Any,
    measures: Measures,
    *,
    queries: int | None = None,
    difference: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    qrels_format: str | None = None,
    **choices: Any,
) -> PowerPlan:
    """What these queries can show between two runs, for each measure; the spread is that of the runs' differences.

    `queries` and `difference` plan for other numbers than the runs have. `choices` are those of `evaluate`.
    """
    ask = _Ask(queries, difference, power, confidence, alternative)
    ready = prepare(qrels, qrels_format, allow=choices.get("allow", ()))
    evaluations = [evaluate(ready, run, measures, **choices) for run in (baseline, candidate)]
    refuse_other_ground(evaluations)
    texts = [text for text, result in evaluations[0].results.items() if result.labels is None]
    if not texts:
        raise UsageError("None of these measures gives numbers, so there are no differences to plan with.")
    sizings = {text: ask.measured(paired(evaluations, text)) for text in texts}
    first, second = (evaluation.run_name for evaluation in evaluations)
    if first == second and isinstance(baseline, str) and isinstance(candidate, str):
        first, second = baseline, candidate
    return PowerPlan(sizings, confidence, power, alternative, difference is not None, (first, second))


def plan_sd(
    sd: float,
    *,
    queries: int | None = None,
    difference: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> PowerPlan:
    """The same from a standard deviation of paired differences that is known from elsewhere."""
    ask = _Ask(queries, difference, power, confidence, alternative)
    refuse_senseless(sd, level=confidence, power=power, alternative=alternative)
    if queries is None and difference is None:
        raise UsageError(
            "A standard deviation alone says nothing. Give the number of queries (--queries) to learn what they show, "
            "a difference (--difference) to learn how many queries it takes, or both."
        )
    return PowerPlan({"": ask.sized(Spread(sd))}, confidence, power, alternative, difference is not None)


class _Ask:
    """One request: what all measures are planned for."""

    def __init__(
        self, queries: int | None, difference: float | None, power: float, level: float, alternative: Alternative
    ) -> None:
        refuse_senseless(1.0, level=level, power=power, alternative=alternative)
        if queries is not None and queries < 2:
            raise UsageError(f"A paired t test needs at least 2 queries; --queries {queries} came.")
        wrong = {"two-sided": difference == 0, "greater": (difference or 0) <= 0, "less": (difference or 0) >= 0}
        if difference is not None and (not math.isfinite(difference) or wrong[alternative]):
            side = {"two-sided": "other than 0", "greater": "greater than 0", "less": "less than 0"}[alternative]
            raise UsageError(
                f"With the alternative {alternative}, a difference to plan for is {side}; {difference:g} came."
            )
        self.queries, self.difference = queries, difference
        self.power, self.level, self.alternative = power, level, alternative
        self.side = -1.0 if alternative == "less" else 1.0

    def measured(self, values: Paired) -> Sizing | NotEstimable:
        """One measure of two runs."""
        found = values.differences(0, 1)
        n = len(found)
        if n == 0:
            raise InputError(f"{values.measure}: no query has a value in both runs, so there is nothing to plan with.")
        mean = math.fsum(found.tolist()) / n
        if n == 1:
            return NotEstimable("one query has no spread; a plan needs at least 2", "t", n, mean)
        if np.ptp(found) == 0:
            why = "every query differs by the same amount" if mean else "the runs have the same value on every query"
            return NotEstimable(
                f"{why}, so there is no spread to plan with; --sd takes one from elsewhere", "t", n, mean
            )
        note = values.note if not values.scale else f"{values.measure}: all differences are in {values.scale}"
        return self.sized(spread_of(found, self.level), mean, n, note)

    def sized(self, spread: Spread, observed: float | None = None, n: int | None = None, note: str = "") -> Sizing:
        """The plan for one spread."""
        queries = self.queries or n
        difference = self.difference or observed or None
        smallest = None if queries is None else self._smallest(spread, queries)
        return Sizing(
            spread,
            observed,
            queries,
            smallest,
            difference,
            None if difference is None else self._needed(spread, difference),
            () if queries is None or smallest is None else tuple(self._by_difference(spread, queries, smallest)),
            () if difference is None else tuple(self._by_queries(spread, queries, difference)),
            note,
        )

    def _smallest(self, spread: Spread, queries: int) -> Smallest:
        found = self.side * smallest_difference(
            1.0, queries, level=self.level, power=self.power, alternative=self.alternative
        )  # fmt: skip
        ends = (None if sd is None else found * sd for sd in (spread.low, spread.high))
        return Smallest(found * spread.sd, *ends)

    def _needed(self, spread: Spread, difference: float) -> Needed:
        def need(sd: float) -> int | None:
            return queries_needed(
                sd, difference, level=self.level, power=self.power, alternative=self.alternative
            )  # fmt: skip

        if spread.low is None or spread.high is None:
            return Needed(need(spread.sd))
        return Needed(need(spread.sd), need(spread.low), need(spread.high), ranged=True)

    def _at(self, sd: float, queries: int, difference: float) -> float:
        return float(power_at(sd, queries, difference, level=self.level, alternative=self.alternative))

    def _by_difference(self, spread: Spread, queries: int, smallest: Smallest) -> Iterator[AtDifference]:
        step = round_number(abs(smallest.difference) / STEPS)
        differences = [self.side * float(f"{step * k:.6g}") for k in range(1, 3 * STEPS)]
        if self.difference is not None:  # the one asked for has its row, in its place
            differences = sorted({*differences, abs(self.difference) * self.side}, key=abs)
        for difference in differences:
            power = self._at(spread.sd, queries, difference)
            yield AtDifference(difference, power, self._needed(spread, difference))
            if power > NEARLY_SURE and abs(difference) >= abs(self.difference or 0):
                return

    def _by_queries(self, spread: Spread, queries: int | None, difference: float) -> Iterator[AtQueries]:
        needed = self._needed(spread, difference).queries
        if needed is None:
            return
        marks = {n for n in (queries, needed) if n is not None}
        numbers = sorted({*round_counts(), *marks})
        curve = [AtQueries(n, self._at(spread.sd, n, difference)) for n in numbers]
        first = max((i for i, at in enumerate(curve) if at.power < HARDLY_EVER), default=0)
        last = min((i for i, at in enumerate(curve) if at.power > NEARLY_SURE), default=len(curve) - 1)
        yield from (at for i, at in enumerate(curve) if first <= i <= last or at.queries in marks)


def round_number(value: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten: steps that a person can read."""
    ten = 10.0 ** math.floor(math.log10(value))
    return min((ten, 2 * ten, 5 * ten, 10 * ten), key=lambda near: abs(math.log(near / value)))


def round_counts() -> Iterator[int]:
    """5, 10, 20, 50, 100, ... to the most queries anybody plans."""
    ten = 10
    yield 5
    while ten <= MOST_QUERIES:
        yield from (n for n in (ten, 2 * ten, 5 * ten) if n <= MOST_QUERIES)
        ten *= 10
