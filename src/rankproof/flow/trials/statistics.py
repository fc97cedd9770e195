"""Statistics: from units with their sums to moments and tallies, by metric, variant, stratum and segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.trials.slots import Numbers, Slots, rounded
from rankproof.flow.trials.summing import Units
from rankproof.records.day import TWO_VARIANTS, WHOLE, Cell
from rankproof.records.moments import Moments, merged, moments_of
from rankproof.records.tally import Tally, tally_of
from rankproof.records.trialdesign import TrialDesign

Rows = NDArray[np.int64]


@dataclass(slots=True)
class Statistics:
    """What a day keeps."""

    units: dict[str, int]
    moments: dict[Cell, Moments] = field(default_factory=dict)
    tallies: dict[Cell, Tally] = field(default_factory=dict)


def statistics_of(
    design: TrialDesign, shares: Mapping[str, float], slots: Slots, parts: Iterable[Units]
) -> tuple[Statistics, Counter[str]]:
    """The statistics of a day's units, and how many were left out of what."""
    found = Statistics(dict.fromkeys(shares, 0))
    dropped: Counter[str] = Counter()
    for part in parts:
        _add(found, dropped, design, slots, part)
    return found, dropped


def _add(found: Statistics, dropped: Counter[str], design: TrialDesign, slots: Slots, part: Units) -> None:
    kept = np.array([i for i in range(len(part.marks)) if i not in part.mixed], dtype=np.int64)
    dropped.update({TWO_VARIANTS: len(part.mixed)} if part.mixed else {})
    if not len(kept):
        return
    marks = [part.marks[i] for i in kept]
    sums = part.sums[kept]
    for variant, n in Counter(mark[0] for mark in marks).items():
        found.units[variant] += n
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
            cell = Cell(metric.name, variant, stratum, segment)
            if metric.metric.kind == "quantile":
                found.tallies[cell] = found.tallies.get(cell, Tally()) + tally_of(value[chosen].tolist())
            else:
                here = moments_of(value[chosen], _at(below, chosen), _at(before, chosen))
                found.moments[cell] = merged((found.moments[cell], here)) if cell in found.moments else here


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
