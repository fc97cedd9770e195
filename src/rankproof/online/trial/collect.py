"""Collect: from rows of users to one Day for each day, by the design of the A/B test.

A row is a unit on a day, or an event such as a search: the rows of a unit are first added up by unit, as the metrics
say, on the day on which it enters (see entering.py). The same rows twice are refused (see row_digests.py).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.online.trial.day_clock import is_date
from rankproof.online.trial.day_trace import LARGEST, ROWS_OF_UNITS, DayTrace, Largest, UnitCell, last_of_window
from rankproof.online.trial.days import TWO_VARIANTS, WHOLE, Day, DayCell
from rankproof.online.trial.entering import ENTERED_BEFORE, LOOK_ALIKE, RETURNED, Crowd, counting, enter_units
from rankproof.online.trial.moments import Moments, Tally, merged, moments_of, tally_of
from rankproof.online.trial.records import ROWS, TrialDesign, TrialMetric
from rankproof.online.trial.row_reader import UNDATED, RowReader
from rankproof.online.trial.unit_columns import Flags, Numbers, UnitColumns, rounded, unit_columns_of
from rankproof.online.trial.unit_ids import IdSketches, hashes_of
from rankproof.online.trial.unit_sums import MOST_UNITS, UnitSums, UnitTable
from rankproof.reading.row_batches import stream
from rankproof.reading.source import STDIN

Rows = NDArray[np.int64]
# What is told of rows that say in everything what another says, where rows have no id and no time of their own.
REPEATED = "rows that repeat another one in everything that is read of them"
# They are told from this share of rows on, where there are not this many rows for a unit on a day.
MANY_REPEATED, EVENTS = 0.01, 1.25


@dataclass(slots=True)
class DayStatistics:
    """What a day keeps, while its units are added."""

    units: dict[str, int]
    moments: dict[DayCell, Moments] = field(default_factory=dict)
    tallies: dict[DayCell, Tally] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    doubts: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, Counter[str]] = field(default_factory=dict)
    cells: Counter[UnitCell] = field(default_factory=Counter)
    largest: dict[str, list[Largest]] = field(default_factory=dict)
    ids: IdSketches = field(default_factory=IdSketches)


def add_units(statistics: DayStatistics, design: TrialDesign, slots: UnitColumns, table: UnitTable) -> None:
    """Adds the units of a part to the statistics of their day."""
    clean, busy, mixed = counting(table, slots, design)
    statistics.dropped.update({TWO_VARIANTS: mixed} if mixed else {})
    if len(busy):
        reason = f"units with more than {design.exclude.rows:,} rows"
        statistics.dropped[reason] += len(busy)
        statistics.left_out.setdefault(reason, Counter()).update(table.marks[i][0] for i in busy)
    if not len(clean):
        return
    names = list(table.names)
    marks = [table.marks[i] for i in clean]
    sums = table.sums[clean]
    variants = [mark[0] for mark in marks]
    for variant, n in Counter(variants).items():
        statistics.units[variant] += n
    if design.columns.unit != ROWS:
        hashes = hashes_of((names[i] for i in clean), design.name)
        coded = np.array(variants)
        for variant in set(variants):
            statistics.ids.add(variant, hashes[coded == variant])
    named = design.columns.strata
    strata = [_stratum(mark[1:], named) for mark in marks] if named else [WHOLE] * len(marks)
    groups = list(_groups(design, marks, strata))
    statistics.cells.update(_unit_cells(groups))
    _rank(statistics, ROWS_OF_UNITS, slots.at(sums, ROWS, "count"), variants)
    for metric in design.metrics:
        _add_metric(statistics, metric, slots.of_units(metric, sums), groups, variants)


def _add_metric(
    statistics: DayStatistics,
    metric: TrialMetric,
    values: tuple[Numbers, Numbers | None, Numbers | None, Flags],
    groups: Sequence[tuple[tuple[str, str, str], Rows]],
    variants: Sequence[str],
) -> None:
    value, below, before, there = values
    missing = int(len(there) - np.count_nonzero(there))
    statistics.dropped.update({f"units without {metric.name}": missing} if missing else {})
    if metric.digits is not None:
        value = rounded(np.where(there, value, 0.0), metric.digits)
    if metric.metric.kind in ("mean", "ratio"):
        _rank(statistics, metric.name, np.where(there, value, 0.0), variants)
    if metric.within and below is not None:
        more = int(np.count_nonzero(there & (value > below)))
        reason = f"units with more {metric.value} than {'rows' if metric.denominator == ROWS else metric.denominator}"
        statistics.doubts.update({reason: more} if more else {})
    for (variant, stratum, segment), rows in groups:
        chosen = rows[there[rows]]
        if not len(chosen):
            continue
        cell = DayCell(metric.name, variant, stratum, segment)
        if metric.metric.kind == "quantile":
            statistics.tallies[cell] = statistics.tallies.get(cell, Tally()) + tally_of(value[chosen].tolist())
        else:
            here = moments_of(value[chosen], _at(below, chosen), _at(before, chosen))
            statistics.moments[cell] = merged((statistics.moments[cell], here)) if cell in statistics.moments else here


def _rank(statistics: DayStatistics, name: str, values: Numbers, variants: Sequence[str]) -> None:
    """Keeps the largest units of a metric."""
    at = np.argsort(-np.abs(values), kind="stable")[:LARGEST].tolist()
    held = [*statistics.largest.get(name, []), *(Largest(float(values[i]), variants[i]) for i in at)]
    statistics.largest[name] = sorted(held, key=lambda one: (-abs(one.value), one.value, one.variant))[:LARGEST]


def _unit_cells(groups: Sequence[tuple[tuple[str, str, str], Rows]]) -> Counter[UnitCell]:
    """Units by variant and stratum, and by variant and segment whatever the stratum."""
    cells: Counter[UnitCell] = Counter()
    for (variant, stratum, segment), rows in groups:
        if segment != WHOLE:
            cells[UnitCell(variant, WHOLE, segment)] += len(rows)
        elif stratum != WHOLE:
            cells[UnitCell(variant, stratum, WHOLE)] += len(rows)
    return cells


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
    _refuse_twice(paths)
    return _collected(design, paths, day, planned, most_units, watch)


def collect_units(design: TrialDesign, paths: Sequence[str]) -> Day:
    """The units in some files, whatever their days: a Day without a date."""
    (units,) = _collected(design, paths, UNDATED, dict(design.shares), MOST_UNITS, iter).values()
    return units


def _refuse_twice(paths: Sequence[str]) -> None:
    """An error where one file is named twice, also through a link."""
    seen: dict[str, str] = {}
    for path in paths:
        before = seen.setdefault(os.path.realpath(path), path)
        if before is not path and path != STDIN:
            also = "" if before == path else f" (as {before})"
            raise UsageError(f"The file {path} is named twice{also}: its units would count twice. Name it once.")


def _collected(
    design: TrialDesign,
    paths: Sequence[str],
    day: str | None,
    planned: Mapping[str, float],
    most_units: int,
    watch: Callable[[Sequence[str]], Iterable[str]],
) -> dict[str, Day]:
    slots = unit_columns_of(design)
    reader = RowReader(design, planned, day, slots)
    crowd = Crowd()
    by_date: dict[str, DayStatistics] = {}
    with UnitSums(slots.slots, slots.empty, most_units) as summing:
        for path in watch(paths):
            for batch in stream(path, reader.columns):
                reader.take(batch, summing, path)
        reader.digests.refuse_doubles(reader.told_apart)
        for tables in summing.parts():
            enter_units(tables, design, summing, crowd)
            for date, table in tables.items():
                statistics = by_date.setdefault(date, DayStatistics(dict.fromkeys(planned, 0)))
                add_units(statistics, design, slots, table)
    crowd.refuse_crossing(design)
    since = min(reader.rows, default="")
    days = {
        date: _day(design, planned, reader, crowd, date, by_date[date])
        for date in sorted(by_date)
        # Of units that entered before the rows begin, the first rows are missing.
        if date >= since and (any(by_date[date].units.values()) or by_date[date].dropped)
    }
    if not days:
        raise InputError(f"{', '.join(paths)}: no row has a unit in a variant of the A/B test. {reader.why()}")
    return days


def _day(
    design: TrialDesign,
    planned: Mapping[str, float],
    reader: RowReader,
    crowd: Crowd,
    date: str,
    statistics: DayStatistics,
) -> Day:
    dropped = reader.dropped.get(date, Counter()) + statistics.dropped
    if crowd.late[date]:
        dropped[ENTERED_BEFORE] += crowd.late[date]
    dated = date != UNDATED
    trace = DayTrace(
        until=min(reader.until, last_of_window(date, design.window)) if dated else date,
        rules=design.rules,
        digest=reader.digests.days[date].text if date in reader.digests.days else "",
        ids=statistics.ids.finish(planned) if design.columns.unit != ROWS else {},
        cells=dict(statistics.cells),
        largest={name: tuple(ones) for name, ones in statistics.largest.items()},
        left_out={reason: dict(by) for reason, by in statistics.left_out.items()},
        doubts=dict(_doubts(design, reader, crowd, date, statistics)),
    )
    return Day(
        trial=design.name,
        dates=(date,) if dated else (),
        unit=design.unit,
        enter=design.enter,
        shares=planned,
        metrics={metric.name: metric.collected() for metric in design.metrics},
        strata=design.columns.strata,
        segments=design.columns.segments,
        units=statistics.units,
        rows=reader.rows[date],
        moments=statistics.moments,
        tallies=statistics.tallies,
        dropped=dict(dropped),
        trace=trace,
    )


def _doubts(design: TrialDesign, reader: RowReader, crowd: Crowd, date: str, statistics: DayStatistics) -> Counter[str]:
    """What the rows of a day have and sound rows have not; what is known of all rows stands with their first day."""
    doubts = reader.doubts.get(date, Counter()) + statistics.doubts
    doubts.update({RETURNED: crowd.returned[date]} if crowd.returned[date] else {})
    if date == min(reader.rows):
        doubts.update({LOOK_ALIKE: crowd.alike} if crowd.alike else {})
        repeated = reader.digests.repeated if design.columns.unit != ROWS else 0
        rows = sum(reader.rows.values())
        # Where most units have several rows a day, rows are events, of which many may be alike.
        if repeated and repeated >= MANY_REPEATED * rows and rows <= EVENTS * crowd.unit_days:
            doubts[REPEATED] = repeated
    return doubts
