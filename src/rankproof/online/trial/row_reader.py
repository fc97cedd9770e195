"""Row reader: batches of rows become rows of units on days, and what is left out or odd is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.errors import InputError
from rankproof.online.clicks.logs.values import is_robot
from rankproof.online.trial.day_clock import DayClock
from rankproof.online.trial.day_trace import days_between
from rankproof.online.trial.entering import ENTERED_BEFORE
from rankproof.online.trial.records import ROWS, TrialDesign
from rankproof.online.trial.row_digests import RowDigests, hashed
from rankproof.online.trial.unit_columns import Numbers, UnitColumns
from rankproof.online.trial.unit_ids import unit_ids
from rankproof.online.trial.unit_sums import UnitSums
from rankproof.online.wording import counted_reason
from rankproof.reading.row_batches import RowBatch

NO_UNIT = "rows without a unit"
NO_VARIANT = "rows without a variant"
OTHER_VARIANT = "rows of variants without a planned share"
OUTSIDE = "rows of units of days outside the trial"
ROBOT = "rows of user agents that say they are programs"
NONE = "(none)"
# In the place of a date, where rows are taken together whatever their days.
UNDATED = "undated"
# More values than this are no segments, and no strata either: names of queries, say.
MOST_VALUES = 200


class RowReader:
    """Turns batches into rows of units, and counts what is left out.

    rows       that were read, by date
    dropped    rows left out, by date of the unit's entry and reason
    doubts     what rows have and sound rows have not, by date
    digests    by which the same rows are known again
    timed      whether some row has a time of day
    until      the last day of rows
    """

    def __init__(self, design: TrialDesign, shares: Mapping[str, float], day: str | None, slots: UnitColumns) -> None:
        self.design, self.shares, self.day, self.slots = design, shares, day, slots
        named = design.columns
        marks = (*named.strata, *named.segments)
        names = (named.unit, named.variant, "" if day else named.day, named.entered, named.row, named.agent, *marks)
        self.columns = tuple(dict.fromkeys(name for name in (*names, *slots.columns) if name and name != ROWS))
        self.clock = DayClock(named.zone, named.written)
        self.marks = marks
        self.values: dict[str, set[str]] = {name: set() for name in marks}
        self.rows: Counter[str] = Counter()
        self.dropped: dict[str, Counter[str]] = {}
        self.doubts: dict[str, Counter[str]] = {}
        self.digests = RowDigests()
        self.until = ""
        self.timed = False
        self._before = 0

    @property
    def told_apart(self) -> bool:
        """Whether no two rows may be alike: they have an id or a time of their own."""
        return bool(self.design.columns.row) or self.timed

    def take(self, batch: RowBatch, summing: UnitSums, path: str) -> None:
        """Adds a batch, day by day."""
        named = self.design.columns
        units = self._units(batch)
        dates, times = self._dates(batch, named.day) if not self.day else ([self.day] * len(batch), None)
        entered = self._dates(batch, named.entered)[0] if named.entered else dates
        columns = self.slots.rows(batch)
        labels = [
            list(map(_text, batch.values(named.variant))),
            *([_text(value) or NONE for value in batch.values(name)] for name in self.marks),
        ]
        self._refuse_many(labels[1:], batch)
        marks = list(zip(*labels, strict=True))
        robots = [is_robot(agent) for agent in batch.values(named.agent)] if named.agent else None
        self.rows.update(dates)
        self.until = max(self.until, *dates)
        self._digest(batch, path, units, marks, dates, times, columns)
        self._doubt(dates, columns)
        plain = entered is dates and robots is None and not self.design.begins and not self.design.ends
        if plain and len(set(dates)) == 1 and all(units) and self.shares.keys() >= set(labels[0]):
            summing.add(dates[0], units, marks, columns)  # as most are: nothing to leave out, nothing to sort
            return
        by_day: dict[str, list[int]] = {}
        for row, date in enumerate(entered):
            why = self._refused(units[row], labels[0][row], date, dates[row], robots is not None and robots[row])
            if why:
                self.dropped.setdefault(dates[row], Counter())[why] += 1
            else:
                by_day.setdefault(date, []).append(row)
        for date, rows in by_day.items():
            summing.add(
                date, [units[row] for row in rows], [marks[row] for row in rows], [each[rows] for each in columns]
            )

    def _units(self, batch: RowBatch) -> list[str]:
        column = self.design.columns.unit
        if column != ROWS:
            return unit_ids(batch.values(column), batch.where, column)
        # Each row is a unit, called by its number.
        numbers = [str(number) for number in range(self._before, self._before + len(batch))]
        self._before += len(batch)
        return numbers

    def _dates(self, batch: RowBatch, column: str) -> tuple[list[str], list[str]]:
        days = self.clock.dates(batch.values(column), batch.where, column)
        return [day for day, _ in days], [time for _, time in days]

    def _digest(
        self,
        batch: RowBatch,
        path: str,
        units: Sequence[str],
        marks: Sequence[tuple[str, ...]],
        dates: Sequence[str],
        times: Sequence[str] | None,
        columns: Sequence[Numbers],
    ) -> None:
        named = self.design.columns
        known: dict[tuple[str, ...], str] = {}
        labels = [known.get(mark) or known.setdefault(mark, "\0".join(mark)) for mark in marks]
        parts: list[Sequence[str]] = [labels]
        if named.unit != ROWS:
            parts.append(units)
        if times is not None and any(times):
            parts.append(times)
            self.timed = True
        if named.row:
            parts.append(batch.texts(named.row))
        self.digests.add(path, dates, hashed(list(map("\1".join, zip(*parts, strict=True))), columns))

    def _doubt(self, dates: Sequence[str], columns: Sequence[Numbers]) -> None:
        """Counts rows below 0 in what can only be 0 or more."""
        for slot, column in zip(self.slots.slots, columns, strict=True):
            if slot.kind == "count" or slot.column not in self.slots.counted:
                continue
            for row in np.flatnonzero((column < 0) & np.isfinite(column)).tolist():
                self.doubts.setdefault(dates[row], Counter())[f"rows with a negative {slot.column}"] += 1

    def _refused(self, unit: str, variant: str, entered: str, date: str, robot: bool) -> str:
        design = self.design
        if robot:
            return ROBOT
        if not unit:
            return NO_UNIT
        if not variant:
            return NO_VARIANT
        if variant not in self.shares:
            return OTHER_VARIANT
        if entered != date and not 0 <= days_between(entered, date) < design.window:
            return ENTERED_BEFORE
        if (design.begins and entered < design.begins) or (design.ends and entered > design.ends):
            return OUTSIDE if entered != UNDATED else ""
        return ""

    def _refuse_many(self, labels: Sequence[Sequence[str]], batch: RowBatch) -> None:
        for name, values in zip(self.marks, labels, strict=True):
            self.values[name].update(values)
            if len(self.values[name]) > MOST_VALUES:
                raise InputError(
                    f"{batch.source}: the column {name!r} has more than {MOST_VALUES} values. Strata and segments are "
                    "few, such as countries or devices: put values together, or name another column."
                )

    def why(self) -> str:
        """What became of the rows, for the message where none is left."""
        total: Counter[str] = sum(self.dropped.values(), Counter())
        if not total:
            return "There are no rows."
        reasons = "; ".join(counted_reason(count, reason) for reason, count in total.most_common())
        return f"Left out: {reasons}. Variants of the A/B test: {', '.join(self.shares)}."


def _text(value: object) -> str:
    return "" if value is None else str(value)
