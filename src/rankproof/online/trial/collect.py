"""Collect: from rows of users to one Day for each day, by the design of the A/B test.

A row is a unit on a day, or an event such as a search: the rows of a unit are first added up by unit, as the metrics
say. Units that were seen in two variants on a day belong to neither: they are left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.online.trial.days import TWO_VARIANTS, WHOLE, Day, DayCell, is_date
from rankproof.online.trial.moments import Moments, Tally, merged, moments_of, tally_of
from rankproof.online.trial.records import ROWS, TrialDesign
from rankproof.online.trial.unit_columns import Numbers, UnitColumns, rounded, unit_columns_of
from rankproof.online.trial.unit_sums import MOST_UNITS, UnitSums, UnitTable
from rankproof.online.wording import counted_reason
from rankproof.reading.row_batches import RowBatch, stream

Rows = NDArray[np.int64]


@dataclass(slots=True)
class DayStatistics:
    """What a day keeps."""

    units: dict[str, int]
    moments: dict[DayCell, Moments] = field(default_factory=dict)
    tallies: dict[DayCell, Tally] = field(default_factory=dict)


def statistics_of(
    design: TrialDesign, shares: Mapping[str, float], slots: UnitColumns, parts: Iterable[UnitTable]
) -> tuple[DayStatistics, Counter[str]]:
    """The statistics of a day's units, and how many were left out of what."""
    statistics = DayStatistics(dict.fromkeys(shares, 0))
    dropped: Counter[str] = Counter()
    for part in parts:
        _add(statistics, dropped, design, slots, part)
    return statistics, dropped


def _add(
    statistics: DayStatistics, dropped: Counter[str], design: TrialDesign, slots: UnitColumns, part: UnitTable
) -> None:
    clean = np.array([i for i in range(len(part.marks)) if i not in part.mixed], dtype=np.int64)
    dropped.update({TWO_VARIANTS: len(part.mixed)} if part.mixed else {})
    if not len(clean):
        return
    marks = [part.marks[i] for i in clean]
    sums = part.sums[clean]
    for variant, n in Counter(mark[0] for mark in marks).items():
        statistics.units[variant] += n
    named = design.columns.strata
    strata = [_stratum(mark[1:], named) for mark in marks] if named else [WHOLE] * len(marks)
    groups = list(_groups(design, marks, strata))
    for metric in design.metrics:
        value, below, before, there = slots.of_units(metric, sums)
        missing = int(len(there) - np.count_nonzero(there))
        dropped.update({f"units without {metric.name}": missing} if missing else {})
        if metric.digits is not None:
            value = rounded(np.where(there, value, 0.0), metric.digits)
        for (variant, stratum, segment), rows in groups:
            chosen = rows[there[rows]]
            if not len(chosen):
                continue
            cell = DayCell(metric.name, variant, stratum, segment)
            if metric.metric.kind == "quantile":
                statistics.tallies[cell] = statistics.tallies.get(cell, Tally()) + tally_of(value[chosen].tolist())
            else:
                here = moments_of(value[chosen], _at(below, chosen), _at(before, chosen))
                statistics.moments[cell] = (
                    merged((statistics.moments[cell], here)) if cell in statistics.moments else here
                )


def _groups(
    design: TrialDesign, marks: Sequence[tuple[str, ...]], strata: Sequence[str]
) -> Iterator[tuple[tuple[str, str, str], Rows]]:
    """Every variant and stratum of all units, then of each value of each segment's column, with its units."""
    variants = [mark[0] for mark in marks]
    yield from _split(list(zip(variants, strata, [WHOLE] * len(marks), strict=True)))
    first = 1 + len(design.columns.strata)
    for at, column in enumerate(design.columns.segments, start=first):
        yield from _split(list(zip(variants, strata, [f"{column}={mark[at]}" for mark in marks], strict=True)))


def _split(keys: Sequence[tuple[str, str, str]]) -> Iterator[tuple[tuple[str, str, str], Rows]]:
    names = sorted(set(keys))
    codes = {key: code for code, key in enumerate(names)}
    coded = np.fromiter((codes[key] for key in keys), dtype=np.int64, count=len(keys))
    order = np.argsort(coded, kind="stable")
    ends = np.searchsorted(coded[order], np.arange(len(names) + 1))
    for code, key in enumerate(names):
        yield key, order[ends[code] : ends[code + 1]]


def _stratum(values: Sequence[str], columns: Sequence[str]) -> str:
    return ", ".join(f"{column}={value}" for column, value in zip(columns, values, strict=False))


def _at(column: Numbers | None, rows: Rows) -> Numbers | None:
    return None if column is None else column[rows]


NO_UNIT = "rows without a unit"
NO_VARIANT = "rows without a variant"
OTHER_VARIANT = "rows of variants without a planned share"
ENTERED_BEFORE = "rows of units that entered on another day"
NONE = "(none)"
# In the place of a date, where rows are taken together whatever their days.
UNDATED = "undated"
# More values than this are no segments, and no strata either: names of queries, say.
MOST_VALUES = 200
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def collect_days(
    design: TrialDesign,
    paths: Sequence[str],
    *,
    day: str | None = None,
    shares: Mapping[str, float] | None = None,
    most_units: int = MOST_UNITS,
    watch: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> dict[str, Day]:
    """The days in some files, by date.

    day          of all rows, where the design names no column of days
    shares       planned for these days, where they are not those of the design
    most_units   whose sums are held in memory before they are written out
    watch        is given the files and gives them back one by one, to show how far it is
    """
    columns = design.columns
    if (day is None) == (not columns.day):
        raise UsageError(
            "The day of the rows is not known. Give --day 2026-11-01, or name the column of days in the design's "
            "[columns]."
            if day is None
            else f"The design takes days from the column {columns.day!r}. Leave out --day."
        )
    if day is not None and not is_date(day):
        raise UsageError(f"A day is written as 2026-11-01; got {day!r}.")
    planned = dict(design.shares if shares is None else shares)
    for name in planned:
        if name not in design.shares:
            raise UsageError(f"{name!r} is not a variant of the design; it has {', '.join(design.shares)}.")
    return _collected(design, paths, day, planned, most_units, watch)


def collect_units(design: TrialDesign, paths: Sequence[str]) -> Day:
    """The units in some files, whatever their days: a Day without a date."""
    (units,) = _collected(design, paths, UNDATED, dict(design.shares), MOST_UNITS, iter).values()
    return units


def _collected(
    design: TrialDesign,
    paths: Sequence[str],
    day: str | None,
    planned: Mapping[str, float],
    most_units: int,
    watch: Callable[[Sequence[str]], Iterable[str]],
) -> dict[str, Day]:
    columns = design.columns
    slots = unit_columns_of(design)
    reader = _RowReader(design, planned, day, slots)
    with UnitSums(slots.slots, slots.empty, most_units) as summing:
        for path in watch(paths):
            for batch in stream(path, reader.columns):
                reader.take(batch, summing)
        by_date = {}
        for date in sorted({*summing.days, *summing.written}):
            statistics, dropped = statistics_of(design, planned, slots, summing.parts(date))
            by_date[date] = Day(
                trial=design.name,
                dates=(date,) if date != UNDATED else (),
                unit=design.unit,
                enter=design.enter,
                shares=planned,
                metrics={metric.name: metric.collected() for metric in design.metrics},
                strata=columns.strata,
                segments=columns.segments,
                units=statistics.units,
                rows=reader.rows[date],
                moments=statistics.moments,
                tallies=statistics.tallies,
                dropped=dict(reader.dropped.get(date, Counter()) + dropped),
            )
    if not by_date:
        raise InputError(f"{', '.join(paths)}: no row has a unit in a variant of the A/B test. {reader.why()}")
    return by_date


class _RowReader:
    """Turns batches into rows of units, and counts what is left out."""

    def __init__(self, design: TrialDesign, shares: Mapping[str, float], day: str | None, slots: UnitColumns) -> None:
        self.design, self.shares, self.day, self.slots = design, shares, day, slots
        named = design.columns
        marks = (*named.strata, *named.segments)
        names = (named.unit, named.variant, "" if day else named.day, named.entered, *marks, *slots.columns)
        self.columns = tuple(dict.fromkeys(name for name in names if name and name != ROWS))
        self.before = 0
        self.marks = marks
        self.values: dict[str, set[str]] = {name: set() for name in marks}
        self.rows: Counter[str] = Counter()
        self.dropped: dict[str, Counter[str]] = {}

    def take(self, batch: RowBatch, summing: UnitSums) -> None:
        """Adds a batch, day by day."""
        named = self.design.columns
        variants = list(map(_text, batch.values(named.variant)))
        if named.unit == ROWS:  # each row is a unit, called by its number
            units = [str(number) for number in range(self.before, self.before + len(batch))]
            self.before += len(batch)
        else:
            units = list(map(_text, batch.values(named.unit)))
        dates = [self.day or ""] * len(batch) if self.day else self._dates(batch, named.day)
        entered = self._dates(batch, named.entered) if named.entered else dates
        self.rows.update(dates)
        columns = self.slots.rows(batch)
        labels = [variants, *([_text(value) or NONE for value in batch.values(name)] for name in self.marks)]
        self._refuse_many(labels[1:], batch)
        marks = list(zip(*labels, strict=True))
        if len(set(dates)) == 1 and entered == dates and all(units) and self.shares.keys() >= set(variants):
            summing.add(dates[0], units, marks, columns)  # as most are: nothing to leave out, nothing to sort
            return
        by_day: dict[str, list[int]] = {}
        for row, date in enumerate(dates):
            why = self._refused(units[row], variants[row], entered[row] == date)
            if why:
                self.dropped.setdefault(date, Counter())[why] += 1
            else:
                by_day.setdefault(date, []).append(row)
        for date, rows in by_day.items():
            summing.add(
                date, [units[row] for row in rows], [marks[row] for row in rows], [column[rows] for column in columns]
            )

    def _refused(self, unit: str, variant: str, entered: bool) -> str:
        if not unit:
            return NO_UNIT
        if not variant:
            return NO_VARIANT
        if variant not in self.shares:
            return OTHER_VARIANT
        return "" if entered else ENTERED_BEFORE

    def _dates(self, batch: RowBatch, column: str) -> list[str]:
        """Days of rows; of a time only its day counts."""
        known: dict[str, str] = {}
        values = [str(value) for value in batch.values(column)]
        for row, value in enumerate(values):
            if value not in known:
                begins = _DATE.match(value)
                if begins is None or not is_date(begins[0]):
                    raise InputError(
                        f"{batch.where(row)}: {column} must be a day such as 2026-11-01, or a time that begins with "
                        f"one; got {value!r:.40}."
                    )
                known[value] = begins[0]
        return [known[value] for value in values]

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
