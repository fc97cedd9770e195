"""Repetitions: what more of them, or more units, would do to a difference between two systems.

A unit that was asked r times has the mean of r answers. The variance of its difference has two levels: between units,
by how much the systems really differ from one to the next, and between repetitions of one unit, which r divides:

    variance of a unit's difference = between + within / r

Repetitions make `within` small and leave `between` as it is; only more units divide both. Units that differ from one
another in level do not matter, since both systems answer the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.documents import Document
from rankproof.kernel.sections import counted, number, some
from rankproof.proving.per_unit import ROUNDING
from rankproof.proving.power import queries_needed, smallest_difference
from rankproof.reading.score_tables import ScoreTable

# The numbers of repetitions that a plan speaks of.
PLANNED = (1, 2, 4, 8, 16)
# An error that is this much above the one of endless repetitions is as good as it gets.
NEAR_ENOUGH = 0.05
# Repetitions beyond this are no plan.
MOST_REPEATS = 1_000_000


@dataclass(frozen=True, slots=True)
class RepeatsAt:
    """What so many repetitions of every unit, by both systems, would give.

    Attributes:
        repeats: how often each unit is asked
        sd: the standard deviation of a unit's difference
        smallest: the least true difference that as many units as there are would show
        units_needed: how many units would show the observed difference; None where no number does
    """

    repeats: int
    sd: float
    smallest: float
    units_needed: int | None


@dataclass(frozen=True, slots=True)
class RepeatPlan:
    """What more repetitions or more units would do to one difference; for units that were drawn one by one.

    Attributes:
        measure: the score
        baseline: the system that it is compared with
        candidate: the system that is compared
        units: how many units have a difference
        between: the variance between units of their differences, repetitions aside
        within: the variance of the difference between two single answers about the unit's own
        share: how much of the variance of a unit's difference, as measured, is between repetitions
        enough: from how many repetitions on more of them make the error less than 5% smaller; None where they never do
        power: the power that `at` is for
        at: what other numbers of repetitions would give
    """

    measure: str
    baseline: str
    candidate: str
    units: int
    between: float
    within: float
    share: float
    enough: int | None
    power: float
    at: tuple[RepeatsAt, ...]

    @property
    def twice(self) -> float:
        """By how much twice as many repetitions would make the confidence interval shorter, as a share."""
        return 1 - math.sqrt(1 - self.share / 2)

    def __str__(self) -> str:
        """For the fine print."""
        if self.enough is None:
            until = ""
        elif self.enough == 1:
            until = "; more than 1 of them is of no use"
        else:
            until = f"; from {self.enough:,} on, more of them make it less than {NEAR_ENOUGH:.0%} shorter"
        return (
            f"{self.measure}, {self.candidate} against {self.baseline}: {self.share:.0%} of the variance of a unit's "
            f"difference is between repetitions; twice as many of them would make the confidence interval "
            f"{self.twice:.0%} narrower, twice as many units 29%{until}"
        )

    def to_dict(self) -> Document:
        """As JSON has it."""
        return {**asdict(self), "at": [asdict(point) for point in self.at]}


@dataclass(frozen=True, slots=True)
class RepeatSpread:
    """How much repetitions of a unit vary, pooled over units, and how many each unit has."""

    within: float
    repeats: Mapping[str, int]


def asked_again(tables: Sequence[ScoreTable], score: str) -> bool:
    """Whether some system was asked several times and its answers vary; copies of one answer are that answer."""
    return any((spread := repeat_spread(table, score)) is not None and spread.within > 0 for table in tables)


def repeat_spread(table: ScoreTable, score: str) -> RepeatSpread | None:
    """None where no unit was asked twice."""
    values = table.values[score]
    known = ~np.isnan(values)
    each = np.bincount(table.unit[known], minlength=len(table.unit_ids))
    spare = int(np.maximum(each - 1, 0).sum())
    if spare == 0:
        return None
    means = unit_means(table, score)
    within = float(((values[known] - means[table.unit[known]]) ** 2).sum() / spare)
    # What is left of rounding is no variation.
    if within <= ROUNDING**2 * max(1.0, float(np.max(values[known] ** 2))):
        within = 0.0
    return RepeatSpread(within, {unit: n for unit, n in zip(table.unit_ids, each.tolist(), strict=True) if n})


def unit_means(table: ScoreTable, score: str) -> NDArray[np.float64]:
    """The mean over the repetitions that have a value; NaN where none has."""
    values = table.values[score]
    known = ~np.isnan(values)
    units = len(table.unit_ids)
    count = np.bincount(table.unit[known], minlength=units)
    total = np.bincount(table.unit[known], weights=values[known], minlength=units)
    means: NDArray[np.float64] = np.divide(total, count, out=np.full(units, math.nan), where=count > 0)
    return means


def repeat_notes(tables: Sequence[ScoreTable], score: str) -> list[str]:
    """How often units were asked, for each system that was asked twice; and who was not, where others' answers vary."""
    notes = []
    spreads = [repeat_spread(table, score) for table in tables]
    varies = any(spread is not None and spread.within for spread in spreads)
    for table, spread in zip(tables, spreads, strict=True):
        if spread is None and varies:
            notes.append(
                f"{score}, {table.name}: asked once a unit: if its answers vary as well, that stands in the variance "
                "between units here, and more repetitions would do more than is said"
            )
        if spread is not None:
            few, most = (int(end) for end in (min(spread.repeats.values()), max(spread.repeats.values())))
            still = "; they do not vary: more of them would add nothing" if spread.within == 0 else ""
            times = str(few) if few == most else f"{few} to {most}"
            notes.append(f"{score}, {table.name}: {times} values a unit, averaged{still}")
    return notes


def repeat_plan(
    baseline: ScoreTable, candidate: ScoreTable, score: str, *, level: float = 0.95, power: float = 0.8
) -> RepeatPlan | None:
    """The plan for one score of two systems; None where repetitions do not vary, or were not made."""
    sides = [(table, repeat_spread(table, score)) for table in (baseline, candidate)]
    if not any(spread is not None and spread.within for _, spread in sides):
        return None
    old, new = (
        dict(zip(table.unit_ids, unit_means(table, score).tolist(), strict=True)) for table in (baseline, candidate)
    )
    units = [unit for unit in old if not math.isnan(old[unit]) and not math.isnan(new.get(unit, math.nan))]
    if len(units) < 2:
        return None
    differences = np.array([new[unit] - old[unit] for unit in units])
    total = float(np.var(differences, ddof=1))
    of_repeats = sum(
        float(np.mean([spread.within / spread.repeats[unit] for unit in units]))
        for _, spread in sides
        if spread is not None
    )
    # A side that was asked once hides its own repetitions among the units: `repeat_notes` says so.
    within = sum(spread.within for _, spread in sides if spread is not None)
    between = max(0.0, total - of_repeats)
    observed = float(differences.mean())
    points = []
    for times in PLANNED:
        sd = math.sqrt(between + within / times)
        smallest = smallest_difference(sd, len(units), level=level, power=power)
        points.append(RepeatsAt(times, sd, smallest, queries_needed(sd, observed, level=level, power=power)))
    share = min(1.0, of_repeats / total) if total > 0 else 1.0
    return RepeatPlan(
        score, baseline.name, candidate.name, len(units), between, within, share, _enough(between, within), power,
        tuple(points),
    )  # fmt: skip


def _enough(between: float, within: float) -> int | None:
    """The least r with sqrt(between + within / r) at most 5% above sqrt(between)."""
    if between <= 0:
        return None
    least = math.ceil(within / between / ((1 + NEAR_ENOUGH) ** 2 - 1) * (1 - ROUNDING))
    return None if least > MOST_REPEATS else max(1, least)


def known_means(table: ScoreTable, score: str) -> dict[str, float]:
    """By unit, the mean over the repetitions that have a value; without the units where none has."""
    means = zip(table.unit_ids, unit_means(table, score).tolist(), strict=True)
    return {unit: mean for unit, mean in means if not math.isnan(mean)}


# ---- repetitions without a value ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class FailedRepetitions:
    """The tables of one score with every repetition accounted for, what to say about them, and what to warn of."""

    tables: Sequence[ScoreTable]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def failed_repetitions(tables: Sequence[ScoreTable], score: str, worst: float, drop: bool) -> FailedRepetitions:
    """Repetitions without a value, of units that have others, as the worst value of the score.

    What failed is seldom missing at random: the mean over the repetitions that went well would hide it. Where the score
    has no worst value such a unit has no value at all; `drop` takes the mean over the rest, and warns.
    """
    uneven = tuple(_uneven(tables, score))
    partly = {table.name: units for table in tables if (units := _partly_missing(table, score))}
    if not partly:
        return FailedRepetitions(tables, (), uneven)
    lost = "; ".join(f"{name}, {counted(len(units), 'unit')} ({some(units)})" for name, units in partly.items())
    if drop:
        warning = f"{score}: repetitions without a value are left out, which can favor a system: {lost}"
        return FailedRepetitions(tables, (), (*uneven, warning))
    whole = [_whole_units(table, score, worst) for table in tables]
    if not math.isfinite(worst):
        return FailedRepetitions(whole, (), uneven)
    note = f"{score}: a repetition without a value counts as the worst, {number(worst)}: {lost}"
    return FailedRepetitions(whole, (note,), uneven)


def _partly_missing(table: ScoreTable, score: str) -> tuple[str, ...]:
    """The units of which some repetitions have a value and some have none."""
    gone = np.isnan(table.values[score])
    units = len(table.unit_ids)
    some_gone = np.bincount(table.unit[gone], minlength=units) > 0
    some_known = np.bincount(table.unit[~gone], minlength=units) > 0
    return tuple(table.unit_ids[i] for i in np.flatnonzero(some_gone & some_known))


def _whole_units(table: ScoreTable, score: str, worst: float) -> ScoreTable:
    """Repetitions without a value as the worst value, or, where there is none, their units without any value."""
    values = table.values[score].copy()
    partly = set(_partly_missing(table, score))
    rows = np.array([table.unit_ids[unit] in partly for unit in table.unit.tolist()], dtype=bool)
    if math.isfinite(worst):
        values[rows & np.isnan(values)] = worst
    else:
        values[rows] = math.nan
    return replace(table, values={**table.values, score: values})


def _uneven(tables: Sequence[ScoreTable], score: str) -> list[str]:
    """The warning where a system has fewer rows of some units than of others, and another system has not.

    A program that leaves out what failed writes such tables.
    """
    asked = [dict(zip(table.unit_ids, table.repeats.tolist(), strict=True)) for table in tables]
    warnings = []
    for table, rows in zip(tables, asked, strict=True):
        most = max(rows.values())
        fewer = tuple(unit for unit, n in rows.items() if n < most and any(other.get(unit, 0) > n for other in asked))
        if fewer:
            warnings.append(
                f"{score}: {table.name} has {most} repetitions of some units and fewer of others ({some(fewer)}): if "
                "those that failed were left out, its mean is flattered; write them as rows without a value"
            )
    return warnings
