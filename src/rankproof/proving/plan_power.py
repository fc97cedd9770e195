"""Plan a query set: the power of the paired t-test from two runs or from a standard deviation.

The usual chi-square interval supposes normal differences. Those of average precision have long tails, and there it
covers the truth in about 82% of query sets, however many queries there are. Bonett's interval asks the sample how long
its tails are (Approximate confidence interval for standard deviation of nonnormal distributions, Computational
Statistics & Data Analysis 50(3), 2006, equation 2); for normal differences the two agree. Its error is itself measured
on the sample, so that its ends are taken from the t distribution and not from the normal one: with fewer than 25 real
differences the normal quantile covered less than was promised, and the t quantile did not in simulations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Alternative, NotEstimable
from rankproof.measuring.evaluate import Measures, evaluate, prepare
from rankproof.proving.per_unit import PerUnit, from_evaluations, refuse_other_ground
from rankproof.proving.power import MOST_QUERIES, power_at, queries_needed, refuse_senseless, smallest_difference
from rankproof.proving.significance.t_or_gaffke import changed_queries, enough_changed


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard deviation of the paired differences.

    low, high     its interval at the plan's level; None where it was given
    measured_on   how many queries it was measured on; None where it was given
    changed       on how many of them the two systems differ; None where it was given
    """

    sd: float
    low: float | None = None
    high: float | None = None
    measured_on: int | None = None
    changed: int | None = None

    @property
    def few_changed(self) -> bool:
        """Whether the default test is not t for so few changed queries."""
        return self.changed is not None and not enough_changed(self.changed, self.measured_on or 0)


@dataclass(frozen=True, slots=True)
class Needed:
    """Queries that show a difference with the plan's power. None: no number of queries that anybody could judge does.

    low, high   the same for both ends of the interval of the standard deviation; `ranged` says whether there is one
    """

    queries: int | None
    low: int | None = None
    high: int | None = None
    ranged: bool = False


@dataclass(frozen=True, slots=True)
class Smallest:
    """The least true difference shown with the plan's power, and the same for both ends of the spread's interval."""

    difference: float  # negative where only a loss is looked for
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class AtDifference:
    """One point of the curve over differences: the power with the planned queries, and what the difference takes."""

    difference: float
    power: float
    needed: Needed


@dataclass(frozen=True, slots=True)
class AtQueries:
    """One point of the curve over numbers of queries: the power for the planned difference."""

    queries: int
    power: float


@dataclass(frozen=True, slots=True)
class Sizing:
    """One measure, or one standard deviation, planned with.

    observed        the mean difference of the two runs; None where a standard deviation was given
    queries         the number planned with: that of the runs, or the one asked for; None where none was given
    smallest        what that number shows; None without a number
    difference      the one planned for: asked for, or else the observed one; None where there is none, or it is 0
    needed          the queries it takes
    by_difference   the power over true differences, with `queries`
    by_queries      the power over numbers of queries, for `difference`
    note            what a reader must know about the queries or the scale
    """

    spread: Spread
    observed: float | None = None
    queries: int | None = None
    smallest: Smallest | None = None
    difference: float | None = None
    needed: Needed | None = None
    by_difference: tuple[AtDifference, ...] = ()
    by_queries: tuple[AtQueries, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PowerPlan:
    """What `rankproof power` answers: a sizing by measure; under the name "" where a standard deviation was given.

    asked   whether the difference was asked for; otherwise it is the observed one
    runs    names of baseline and candidate; None where a standard deviation was given
    """

    sizings: dict[str, Sizing | NotEstimable]
    level: float
    power: float
    alternative: Alternative
    asked: bool
    runs: tuple[str, str] | None = None

    def to_dict(self) -> Document:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        return {
            "level": self.level,
            "power": self.power,
            "alternative": self.alternative,
            "test": "t",
            "baseline": self.runs[0] if self.runs else None,
            "candidate": self.runs[1] if self.runs else None,
            "difference_is": "asked" if self.asked else "observed" if self.runs else None,
            "sizings": [
                {
                    "measure": measure or None,
                    **(_missing(sizing) if isinstance(sizing, NotEstimable) else _sized(sizing)),
                }
                for measure, sizing in self.sizings.items()
            ],
        }


def _missing(answer: NotEstimable) -> Document:
    return {"not_estimable": answer.reason, "observed_difference": answer.value, "measured_on": answer.n}


def _sized(sizing: Sizing) -> Document:
    smallest = sizing.smallest
    return {
        "standard_deviation": {"value": sizing.spread.sd, "low": sizing.spread.low, "high": sizing.spread.high},
        "measured_on": sizing.spread.measured_on,
        "changed": sizing.spread.changed,
        "observed_difference": sizing.observed,
        "queries": sizing.queries,
        "smallest_difference": smallest and {"value": smallest.difference, "low": smallest.low, "high": smallest.high},
        "difference": sizing.difference,
        "queries_needed": sizing.needed and _need(sizing.needed),
        "by_difference": [
            {"difference": at.difference, "power": at.power, "queries_needed": _need(at.needed)}
            for at in sizing.by_difference
        ],
        "by_queries": [{"queries": at.queries, "power": at.power} for at in sizing.by_queries],
        "note": sizing.note,
    }


def _need(needed: Needed) -> Document:
    return {"value": needed.queries, "low": needed.low, "high": needed.high}


# The tails of fewer differences cannot be seen: the chi-square interval is all there is.
FEWEST = 5


def spread_of(differences: NDArray[np.float64], level: float = 0.95) -> Spread:
    """The standard deviation of differences that are not all the same, and its interval at a level."""
    n = len(differences)
    sd = float(np.std(differences, ddof=1))
    low, high = _chi_square(n, level) if n < FEWEST else _bonett(differences, level)
    return Spread(sd, sd * low, sd * high, n, int(changed_queries(differences[:, None])[0]))


def _chi_square(n: int, level: float) -> tuple[float, float]:
    """The ends as multiples of the standard deviation: (n - 1) s^2 / sigma^2 has a chi-square distribution."""
    from scipy.special import chdtri

    low, high = (math.sqrt((n - 1) / chdtri(n - 1, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def _bonett(differences: NDArray[np.float64], level: float) -> tuple[float, float]:
    from scipy.special import ndtri, stdtrit

    n = len(differences)
    z = float(ndtri((1 + level) / 2))
    t = float(stdtrit(n - 1, (1 + level) / 2))
    cut = int(n / (2 * math.sqrt(n - 4)))
    center = np.sort(differences)[cut : n - cut].mean()
    squares = float(((differences - differences.mean()) ** 2).sum())
    kurtosis = n * float(((differences - center) ** 4).sum()) / squares**2
    small = n / max(n - z, 1.0)  # z reaches 5 only at levels nobody asks for
    error = small * math.sqrt((kurtosis - (n - 3) / n) / (n - 1))
    low, high = (math.sqrt(small * math.exp(side * t * error)) for side in (-1, 1))
    return low, high


# Curves go on until there is nothing left to see.
NEARLY_SURE = 0.99
HARDLY_EVER = 0.2
# Steps of the curve over differences up to the smallest one that is shown; it goes on to twice that.
STEPS = 4


def plan_runs(
    qrels: object,
    baseline: object,
    candidate: object,
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
    _PlanRequest(queries, difference, power, confidence, alternative)  # refuses before anything is read
    ready = prepare(qrels, qrels_format, allow=choices.get("allow", ()), columns=choices.get("columns"))
    evaluations = [evaluate(ready, run, measures, **choices) for run in (baseline, candidate)]
    refuse_other_ground(evaluations)
    texts = [text for text, result in evaluations[0].results.items() if result.labels is None]
    if not texts:
        raise UsageError("None of these measures gives numbers, so there are no differences to plan with.")
    first, second = (evaluation.run_name for evaluation in evaluations)
    if first == second and isinstance(baseline, str) and isinstance(candidate, str):
        first, second = baseline, candidate
    tables = [from_evaluations(evaluations, text) for text in texts]
    return plan_values(
        (first, second), tables, queries=queries, difference=difference, power=power, confidence=confidence,
        alternative=alternative,
    )  # fmt: skip


def plan_values(
    systems: tuple[str, str],
    tables: Sequence[PerUnit],
    *,
    queries: int | None = None,
    difference: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> PowerPlan:
    """The same from values by unit: a table for each measure, with a column for each of two systems."""
    request = _PlanRequest(queries, difference, power, confidence, alternative)
    sizings = {table.measure: request.measured(table) for table in tables}
    return PowerPlan(sizings, confidence, power, alternative, difference is not None, systems)


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
    request = _PlanRequest(queries, difference, power, confidence, alternative)
    refuse_senseless(sd, level=confidence, power=power, alternative=alternative)
    if queries is None and difference is None:
        raise UsageError(
            "A standard deviation alone says nothing. Give the number of queries (--queries) to learn what they show, "
            "a difference (--difference) to learn how many queries it takes, or both."
        )
    return PowerPlan({"": request.sized(Spread(sd))}, confidence, power, alternative, difference is not None)


class _PlanRequest:
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

    def measured(self, values: PerUnit) -> Sizing | NotEstimable:
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
