"""Days: sufficient statistics of one day; files of days added up and checked against the design."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple

from rankproof.errors import InputError, UsageError
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.specs.kinds import finite
from rankproof.online.trial.day_clock import is_date
from rankproof.online.trial.day_trace import DayTrace, last_of_window
from rankproof.online.trial.moments import Moments, Tally, merged
from rankproof.online.trial.records import TrialDesign
from rankproof.online.trial.row_digests import LEAST, same_rows

SCHEMA = "day/1"
# The stratum where there are no strata, and the segment of all units.
WHOLE = ""
# Why units are left out, as the keys of `dropped`.
TWO_VARIANTS = "units in two variants"


class DayCell(NamedTuple):
    """Which units a statistic is of. `segment` is "" for all units, or such as "country=de"."""

    metric: str
    variant: str
    stratum: str = WHOLE
    segment: str = WHOLE


@dataclass(frozen=True, slots=True)
class Day:
    """One day, or several of the same shares that were added up.

    dates      of the days, in rising order
    shares     planned for these days, by variant; they sum to 1
    metrics    by name, what the numbers were made of (`TrialMetric.collected`)
    strata     the columns whose values strata are named by; `segments` likewise
    units      by variant, with or without a value of each metric
    rows       that were read
    dropped    what was left out, by reason, with how often
    trace      what doubles, returning units and outliers are seen by; None in files without, and in days added up
    """

    trial: str
    dates: tuple[str, ...]
    unit: str
    enter: str
    shares: Mapping[str, float]
    metrics: Mapping[str, Mapping[str, Any]]
    strata: tuple[str, ...]
    segments: tuple[str, ...]
    units: Mapping[str, int]
    rows: int
    moments: Mapping[DayCell, Moments] = field(default_factory=dict)
    tallies: Mapping[DayCell, Tally] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    trace: DayTrace | None = None

    @property
    def complete(self) -> bool:
        """Whether everything that counts for its units was read: the window after their entry is over."""
        return self.trace is None or not self.dates or self.trace.complete(self.dates[-1])

    @property
    def label(self) -> str:
        """The day, or the first and the last of several; rows that were collected whatever their days have none."""
        if not self.dates:
            return "the table"
        return self.dates[0] if len(self.dates) == 1 else f"{self.dates[0]} to {self.dates[-1]}"

    def __add__(self, other: Day) -> Day:
        """Both together. No unit may be in both: what the files cannot say, the design assumes."""
        refuse_apart(self, other)
        both = set(self.dates) & set(other.dates)
        if both:
            raise InputError(
                f"{min(both)} is given twice: its units would count twice. Give one file for a day, collected from "
                "all its rows together."
            )
        moments = {
            cell: merged(day.moments[cell] for day in (self, other) if cell in day.moments)
            for cell in dict.fromkeys((*self.moments, *other.moments))
        }
        tallies = {
            cell: self.tallies.get(cell, Tally()) + other.tallies.get(cell, Tally())
            for cell in dict.fromkeys((*self.tallies, *other.tallies))
        }
        return Day(
            trial=self.trial,
            dates=tuple(sorted((*self.dates, *other.dates))),
            unit=self.unit,
            enter=self.enter,
            shares=self.shares,
            metrics=self.metrics,
            strata=self.strata,
            segments=self.segments,
            units=_added(self.units, other.units),
            rows=self.rows + other.rows,
            moments=moments,
            tallies=tallies,
            dropped=_added(self.dropped, other.dropped),
        )

    def to_dict(self) -> dict[str, object]:
        """For JSON: `from_dict` gives the same day again. Cells come in alphabetical order; the seal shows edits."""
        document = self._unsealed()
        return {**document, "seal": seal_of(document)}

    def _unsealed(self) -> dict[str, object]:
        cells: list[dict[str, object]] = [
            {**cell._asdict(), "moments": statistic.to_dict(), "tally": None}
            for cell, statistic in self.moments.items()
        ]
        cells += [
            {**cell._asdict(), "moments": None, "tally": statistic.to_dict()}
            for cell, statistic in self.tallies.items()
        ]
        return {
            "schema": SCHEMA,
            "trial": self.trial,
            "dates": list(self.dates),
            "unit": self.unit,
            "enter": self.enter,
            "shares": dict(self.shares),
            "metrics": {name: dict(made) for name, made in self.metrics.items()},
            "strata": list(self.strata),
            "segments": list(self.segments),
            "units": dict(self.units),
            "rows": self.rows,
            "dropped": dict(sorted(self.dropped.items())),
            "cells": sorted(cells, key=lambda cell: tuple(str(cell[name]) for name in DayCell._fields)),
            "trace": None if self.trace is None else self.trace.to_dict(),
        }

    @classmethod
    def from_dict(cls, stored: object, source: str = "the day") -> Day:
        """What `to_dict` gave; an error that names what is wrong otherwise."""
        if not isinstance(stored, Mapping) or stored.get("schema") != SCHEMA:
            named = stored.get("schema") if isinstance(stored, Mapping) else None
            raise InputError(
                f"{source} is not a day of an A/B test: its schema is {named!r:.40}, not {SCHEMA!r}. "
                "`rankproof trial collect` writes such files."
            )
        try:
            day = _read(stored)
            if "seal" in stored and stored["seal"] != seal_of(stored):
                raise InputError(
                    "its numbers are not those that were collected: its seal does not fit. Collect it again."
                )
            return day
        except InputError as error:
            raise InputError(f"{source}: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{source} is not a complete day of an A/B test: {type(error).__name__}: {error}. Collect it again."
            ) from None


def refuse_apart(one: Day, other: Day) -> None:
    """Raises an error where two days cannot be added up."""
    for what in ("trial", "unit", "enter", "metrics", "strata", "segments", "shares"):
        if getattr(one, what) != getattr(other, what):
            raise InputError(
                f"{one.label} and {other.label} cannot be added up: {what} is {_short(getattr(one, what))} in one and "
                f"{_short(getattr(other, what))} in the other. Collect both by one design."
            )


def _short(value: object) -> str:
    return f"{dict(value) if isinstance(value, Mapping) else value!r}"[:200]


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    total = Counter(one)
    total.update(other)
    return dict(total)


def _read(stored: Mapping[str, Any]) -> Day:
    moments: dict[DayCell, Moments] = {}
    tallies: dict[DayCell, Tally] = {}
    for entry in stored["cells"]:
        cell = DayCell(*(_text(entry[name]) for name in DayCell._fields))
        if cell in moments or cell in tallies:
            raise ValueError(f"the cell {tuple(cell)} is there twice")
        if entry["tally"] is None:
            moments[cell] = Moments.from_dict(entry["moments"])
        else:
            tallies[cell] = Tally.from_dict(entry["tally"])
    dates = tuple(map(_text, stored["dates"]))
    if not dates:
        raise ValueError("it has no date")
    for day in dates:
        if not is_date(day):
            raise ValueError(f"{day!r:.40} is no date such as 2026-11-01")
    shares = {_text(name): finite(share) for name, share in stored["shares"].items()}
    sound = {name: share for name, share in shares.items() if share is not None and 0 < share < 1}
    if len(sound) != len(shares) or len(shares) < 2:
        raise ValueError(f"shares are numbers between 0 and 1 of two variants or more, not {shares}")
    units = _counts(stored["units"])
    if set(units) != set(sound):
        raise ValueError(f"units are of {sorted(units)} and shares of {sorted(sound)}")
    return Day(
        trial=_text(stored["trial"]),
        dates=dates,
        unit=_text(stored["unit"]),
        enter=_text(stored["enter"]),
        shares=sound,
        metrics={_text(name): dict(made) for name, made in stored["metrics"].items()},
        strata=tuple(map(_text, stored["strata"])),
        segments=tuple(map(_text, stored["segments"])),
        units=units,
        rows=_count(stored["rows"]),
        moments=moments,
        tallies=tallies,
        dropped=_counts(stored["dropped"]),
        trace=None if stored.get("trace") is None else DayTrace.from_dict(stored["trace"]),
    )


def seal_of(document: Mapping[str, object]) -> str:
    """A digest of a day's document, whatever the order of its keys: it shows a mistake, not a forger."""
    plain = {key: value for key, value in document.items() if key not in ("seal", "rankproof")}
    return sha256(json.dumps(plain, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r:.40} is no count")
    return value


def _counts(value: Mapping[str, object]) -> dict[str, int]:
    return {_text(name): _count(count) for name, count in value.items()}


def read_day(path: str | os.PathLike[str]) -> Day:
    """The day in a file that `rankproof trial collect` wrote."""
    from rankproof.reading.source import open_source, require_text

    source = open_source(path)
    require_text(source)
    document = from_json(source.text(), os.fspath(path))
    if isinstance(document, dict):
        document = {key: value for key, value in document.items() if key != "rankproof"}
    return Day.from_dict(document, os.fspath(path))


def merged_days(days: Iterable[Day]) -> tuple[Day, ...]:
    """Days added up: one for each set of planned shares, in the order of their first dates.

    Days of different shares stay apart. If traffic grows from 1% to 50% on a better day, a treatment that changes
    nothing looks better where all days are pooled (Simpson's paradox).
    """
    groups: dict[tuple[tuple[str, float], ...], Day] = {}
    for day in sorted(days, key=lambda day: day.dates):
        key = tuple(sorted(day.shares.items()))
        groups[key] = groups[key] + day if key in groups else day
    return tuple(sorted(groups.values(), key=lambda day: day.dates))


def periods(days: Iterable[Day]) -> list[tuple[dict[str, int], Mapping[str, float]]]:
    """Units by variant and planned shares, for each set of shares, in the order of their first dates."""
    by_shares: dict[tuple[tuple[str, float], ...], tuple[Counter[str], Mapping[str, float]]] = {}
    for day in sorted(days, key=lambda day: day.dates):
        units, _ = by_shares.setdefault(tuple(sorted(day.shares.items())), (Counter(), day.shares))
        units.update(day.units)
    return [(dict(units), shares) for units, shares in by_shares.values()]


def whole_days(design: TrialDesign, days: Sequence[Day]) -> tuple[list[Day], list[Day]]:
    """The days whose window is over, and those that still wait for rows; an error where all wait."""
    whole = [day for day in days if day.complete]
    waiting = [day for day in days if not day.complete]
    if not whole:
        first = min(day.dates for day in days)[0]
        raise InputError(
            f"No day is complete: what counts of the units of {first} ends with the rows of "
            f"{last_of_window(first, design.window)}, the last of its window of {design.window} days. Collect it again "
            "then, with all rows."
        )
    return whole, waiting


def left_out(days: Iterable[Day]) -> dict[str, int]:
    """What all days left out, by reason, in alphabetical order."""
    total: Counter[str] = Counter()
    for day in days:
        total.update(day.dropped)
    return dict(sorted(total.items()))


def refuse_days(design: TrialDesign, days: Sequence[Day]) -> None:
    """Raises an error where days are not of this A/B test, were collected by another design, or are given twice."""
    if not days:
        raise UsageError("No day is given. Give the files that `rankproof trial collect` wrote.")
    for day in days:
        _refuse_other(design, day)
    seen: dict[tuple[str, tuple[tuple[str, float], ...]], Day] = {}
    for day in days:
        for when in day.dates:
            key = (when, tuple(sorted(day.shares.items())))
            if key in seen:
                raise InputError(
                    f"{when} is given twice: its units would count twice. Give one file for a day, collected from "
                    "all its rows together."
                )
            seen[key] = day
    _refuse_same_rows(days)
    for other in days[1:]:
        refuse_apart(days[0], _with_shares(other, days[0]))


def _refuse_same_rows(days: Sequence[Day]) -> None:
    known: dict[str, Day] = {}
    for day in sorted(days, key=lambda day: day.dates):
        if day.trace is not None and day.trace.rows >= LEAST:
            before = known.setdefault(day.trace.digest, day)
            if before is not day:
                raise same_rows(day.label, before.label, day.trace.rows)


def _refuse_other(design: TrialDesign, day: Day) -> None:
    if day.trial != design.name:
        raise InputError(f"{day.label} is of the A/B test {day.trial!r}; the design is of {design.name!r}.")
    if design.control not in day.shares:
        raise InputError(
            f"{day.label} has no share for the control {design.control!r}; it has {', '.join(day.shares)}."
        )
    for variant in day.shares:
        if variant not in design.shares:
            raise InputError(
                f"{day.label} has the variant {variant!r}, which the design does not; it has "
                f"{', '.join(design.shares)}."
            )
    for what in ("unit", "enter"):
        if getattr(day, what) != getattr(design, what):
            raise InputError(
                f"{day.label} was collected with {what} = {getattr(day, what)!r}, and the design says "
                f"{getattr(design, what)!r}. Collect it again by this design."
            )
    if day.trace is not None and day.trace.rules != design.rules:
        raise InputError(
            f"{day.label} was collected by the rules {_short(day.trace.rules)}, and the design says "
            f"{_short(design.rules)}. Collect it again by this design."
        )
    for metric in design.metrics:
        made = day.metrics.get(metric.name)
        if made is None:
            raise InputError(
                f"{day.label} was collected without the metric {metric.name!r}; it has "
                f"{', '.join(day.metrics) or 'none'}. Collect it again by this design."
            )
        for key, value in metric.collected().items():
            if made.get(key) != value:
                raise InputError(
                    f"{day.label}: {metric.name} was collected with {key} = {made.get(key)!r}, and the design says "
                    f"{value!r}. Collect it again by this design."
                )


def _with_shares(day: Day, like: Day) -> Day:
    """The same day as if it had the shares of another: only they may differ."""
    return replace(day, shares=like.shares)
