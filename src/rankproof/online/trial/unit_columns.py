"""Unit columns: numbers stored for a unit while its rows are added up, and the metrics made of them.

Every slot is a sum, a maximum or a count over rows, so that parts of a unit's rows can be combined in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.online.trial.records import ROWS, TrialDesign, TrialMetric
from rankproof.reading.row_batches import RowBatch

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
Kind = Literal["sum", "max", "count"]


@dataclass(frozen=True, slots=True)
class UnitColumn:
    """One number of a unit, from one column; "count" is of rows with a value, or of all rows for the column "*"."""

    column: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class UnitColumns:
    """The slots of all metrics of a design, each once."""

    slots: tuple[UnitColumn, ...]
    flags: frozenset[str]  # columns that may say true and false
    counted: frozenset[str] = frozenset()  # columns of metrics, where what is below 0 is odd

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that rows must have."""
        return tuple(dict.fromkeys(slot.column for slot in self.slots if slot.column != ROWS))

    @property
    def empty(self) -> list[float]:
        """What a unit without rows has."""
        return [-np.inf if slot.kind == "max" else 0.0 for slot in self.slots]

    def rows(self, batch: RowBatch) -> list[Numbers]:
        """For each slot, what every row of a batch brings to it."""
        read = {name: _numbers(batch, name, name in self.flags) for name in self.columns}
        return [self._of(slot, read, len(batch)) for slot in self.slots]

    def _of(self, slot: UnitColumn, read: dict[str, Numbers], n: int) -> Numbers:
        if slot.column == ROWS:
            return np.ones(n)
        values = read[slot.column]
        there = ~np.isnan(values)
        if slot.kind == "count":
            return there.astype(np.float64)
        return np.where(there, values, -np.inf if slot.kind == "max" else 0.0)

    def at(self, units: Numbers, column: str, kind: Kind) -> Numbers:
        """One slot of units: their rows of the table of sums."""
        values: Numbers = units[:, self.slots.index(UnitColumn(column, kind))]
        return values

    def of_units(self, metric: TrialMetric, units: Numbers) -> tuple[Numbers, Numbers | None, Numbers | None, Flags]:
        """Numerator, denominator, covariate of each unit, and whether it has a value at all."""
        there = self.at(units, metric.value, "count") > 0
        if metric.each == "sum":
            value = self.at(units, metric.value, "sum")
        elif metric.each == "mean":
            with np.errstate(invalid="ignore", divide="ignore"):
                value = self.at(units, metric.value, "sum") / self.at(units, metric.value, "count")
        else:
            value = self.at(units, metric.value, "max")
        if metric.each == "any":
            value = (value > 0).astype(np.float64)
        below = None
        if metric.denominator:
            below = self.at(units, metric.denominator, "count" if metric.denominator == ROWS else "sum")
            there &= self.at(units, metric.denominator, "count") > 0
        before = None
        if metric.metric.covariate:
            count = self.at(units, metric.metric.covariate, "count")
            # Who has none was not there before: 0, as a sum over nothing is. It was known before the trial either way.
            before = self.at(units, metric.metric.covariate, "sum") / np.maximum(count, 1.0)
        return value, below, before, there


def unit_columns_of(design: TrialDesign) -> UnitColumns:
    """The slots that the metrics of a design need."""
    slots: dict[UnitColumn, None] = {UnitColumn(ROWS, "count"): None}  # how many rows a unit has is always known
    for metric in design.metrics:
        slots[UnitColumn(metric.value, "count")] = None
        slots[UnitColumn(metric.value, "sum" if metric.each in ("sum", "mean") else "max")] = None
        if metric.denominator:
            slots[UnitColumn(metric.denominator, "count")] = None
            if metric.denominator != ROWS:
                slots[UnitColumn(metric.denominator, "sum")] = None
        if metric.metric.covariate:
            slots[UnitColumn(metric.metric.covariate, "count")] = None
            slots[UnitColumn(metric.metric.covariate, "sum")] = None
    flags = frozenset(metric.value for metric in design.metrics if metric.each == "any")
    counted = frozenset(name for metric in design.metrics for name in (metric.value, metric.denominator) if name)
    return UnitColumns(tuple(slots), flags, counted)


def _numbers(batch: RowBatch, column: str, flags: bool) -> Numbers:
    if flags:
        try:
            return np.array([np.nan if flag is None else float(flag) for flag in batch.flags(column)])
        except InputError:  # counts, then
            pass
    return batch.numbers(column)


def rounded(values: Numbers, digits: int) -> Numbers:
    """Values to as many significant digits.

    >>> rounded(np.array([123456.0, 0.0123456, -98.76, 0.0]), 3).tolist()
    [123000.0, 0.0123, -98.8, 0.0]
    """
    with np.errstate(divide="ignore"):
        size = np.floor(np.log10(np.abs(values)))
    places = np.where(np.isfinite(size), digits - 1 - size, 0.0)
    # Powers of ten are exact only upward, and so is what is divided or multiplied by them; beyond 300 they end.
    ten = 10.0 ** np.minimum(np.abs(places), 300.0)
    with np.errstate(over="ignore"):  # in the half that is not chosen
        return np.where(places >= 0, np.round(values * ten) / ten, np.round(values / ten) * ten)


def combine(slots: Sequence[UnitColumn], into: Numbers, at: NDArray[np.int64], columns: Sequence[Numbers]) -> None:
    """Adds what rows bring to the units that they belong to."""
    for i, (slot, column) in enumerate(zip(slots, columns, strict=True)):
        (np.maximum if slot.kind == "max" else np.add).at(into[:, i], at, column)
