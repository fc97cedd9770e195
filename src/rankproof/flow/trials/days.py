"""Days: files of sufficient statistics read back, added up where they may be, and held against the design."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rankproof.errors import InputError, UsageError
from rankproof.records.day import Day, refuse_apart
from rankproof.records.jsontext import from_json
from rankproof.records.trialdesign import TrialDesign


def read_day(path: str | os.PathLike[str]) -> Day:
    """The day in a file that `rankproof trial collect` wrote."""
    from rankproof.flow.source import open_source, require_text

    source = open_source(path)
    require_text(source)
    document = from_json(source.text(), os.fspath(path))
    if isinstance(document, dict):
        document = {key: value for key, value in document.items() if key != "rankproof"}
    return Day.from_dict(document, os.fspath(path))


def merged_days(days: Iterable[Day]) -> tuple[Day, ...]:
    """Days added up: one for each set of planned shares, in the order of their first dates.

    Days of different shares stay apart. If traffic grows from 1% to 50% on a better day, a treatment that changes
    nothing looks better where all of it is thrown together (Simpson's paradox).
    """
    groups: dict[tuple[tuple[str, float], ...], Day] = {}
    for day in sorted(days, key=lambda day: day.dates):
        key = tuple(sorted(day.shares.items()))
        groups[key] = groups[key] + day if key in groups else day
    return tuple(sorted(groups.values(), key=lambda day: day.dates))


def periods(days: Iterable[Day]) -> list[tuple[dict[str, int], Mapping[str, float]]]:
    """Units by variant and planned shares, for each set of shares, in the order of their first dates."""
    found: dict[tuple[tuple[str, float], ...], tuple[Counter[str], Mapping[str, float]]] = {}
    for day in sorted(days, key=lambda day: day.dates):
        units, _ = found.setdefault(tuple(sorted(day.shares.items())), (Counter(), day.shares))
        units.update(day.units)
    return [(dict(units), shares) for units, shares in found.values()]


def left_out(days: Iterable[Day]) -> dict[str, int]:
    """What all days left out, by reason, in alphabetical order."""
    total: Counter[str] = Counter()
    for day in days:
        total.update(day.dropped)
    return dict(sorted(total.items()))


def refuse_days(design: TrialDesign, days: Sequence[Day]) -> None:
    """An error where days are not of this trial, were made by another design, or came twice."""
    if not days:
        raise UsageError("No day came. Give the files that `rankproof trial collect` wrote.")
    for day in days:
        _refuse_other(design, day)
    seen: dict[tuple[str, tuple[tuple[str, float], ...]], Day] = {}
    for day in days:
        for date in day.dates:
            key = (date, tuple(sorted(day.shares.items())))
            if key in seen:
                raise InputError(
                    f"{date} came twice: its units would count twice. Give one file for a day, collected from all its "
                    "rows together."
                )
            seen[key] = day
    for other in days[1:]:
        refuse_apart(days[0], _with_shares(other, days[0]))


def _refuse_other(design: TrialDesign, day: Day) -> None:
    if day.trial != design.name:
        raise InputError(f"{day.label} is of the trial {day.trial!r}; the design is of {design.name!r}.")
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
    for metric in design.metrics:
        made = day.metrics.get(metric.name)
        if made is None:
            raise InputError(
                f"{day.label} was collected without the metric {metric.name!r}; it has {', '.join(day.metrics)}. "
                "Collect it again by this design."
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
