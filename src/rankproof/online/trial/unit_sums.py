"""Summing: rows of units added up by unit, in bounded memory however many units there are.

Sums of units are held in memory up to a number of units. Beyond it they are written out to temporary files, in parts by
a hash of the unit; at the end each part is added up by itself. Every unit is then seen once, with all its days; and so
are units whose ids look alike.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankproof.online.trial.unit_columns import Numbers, UnitColumn, combine
from rankproof.online.trial.unit_ids import folded

# Units in memory, some hundred bytes each, before they are written out; and the parts they are written out in.
MOST_UNITS = 500_000
PARTS = 32


@dataclass(slots=True)
class UnitTable:
    """Units with what is known of each: variant, stratum and segments as texts, and the slots of its rows.

    mixed   units whose rows named two variants
    gone    units that do not count on this day: they entered on another
    """

    empty: Sequence[float]
    names: dict[str, int] = field(default_factory=dict)
    marks: list[tuple[str, ...]] = field(default_factory=list)
    mixed: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    sums: Numbers = field(default_factory=lambda: np.empty((0, 0)))

    def places(self, units: Sequence[str], marks: Sequence[tuple[str, ...]]) -> NDArray[np.int64]:
        """Where each row's unit stands; new ones are taken in. The first of `marks` is the variant."""
        at = np.empty(len(units), dtype=np.int64)
        names, known, mixed = self.names, self.marks, self.mixed
        for row, unit in enumerate(units):
            place = names.setdefault(unit, len(known))
            if place == len(known):
                known.append(marks[row])
            elif known[place][0] != marks[row][0]:
                mixed.add(place)
            at[row] = place
        if len(known) > len(self.sums):
            grown = np.tile(np.asarray(self.empty), (max(1024, 2 * len(known)), 1))
            grown[: len(self.sums)] = self.sums.reshape(len(self.sums), len(self.empty))
            self.sums = grown
        return at


class UnitSums:
    """Takes rows of units of several days, and gives them back unit by unit. Use it as a context."""

    def __init__(self, slots: Sequence[UnitColumn], empty: Sequence[float], most: int = MOST_UNITS) -> None:
        self.slots, self.empty, self.most = slots, empty, most
        self.days: dict[str, UnitTable] = {}
        self.written: dict[str, int] = {}
        self.folder = tempfile.TemporaryDirectory(prefix="rankproof-trial-")

    def __enter__(self) -> UnitSums:
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()

    def add(self, day: str, units: Sequence[str], marks: Sequence[tuple[str, ...]], columns: Sequence[Numbers]) -> None:
        """Rows of one day."""
        held = self.days.setdefault(day, UnitTable(self.empty))
        combine(self.slots, *self._into(held, units, marks), columns)
        if sum(len(units_of_day.names) for units_of_day in self.days.values()) > self.most:
            self._write_out()

    def _into(
        self, held: UnitTable, units: Sequence[str], marks: Sequence[tuple[str, ...]]
    ) -> tuple[Numbers, NDArray[np.int64]]:
        at = held.places(units, marks)
        return held.sums, at

    def _write_out(self) -> None:
        for day, held in self.days.items():
            names = list(held.names)
            part = np.array([zlib.crc32(folded(name).encode("utf-8", "surrogatepass")) % PARTS for name in names])
            piece = self.written.get(day, 0)
            for number in range(PARTS):
                chosen = np.flatnonzero(part == number)
                content = (
                    [names[i] for i in chosen],
                    [held.marks[i] for i in chosen],
                    [i in held.mixed for i in chosen],
                    held.sums[chosen],
                )
                with open(self._path(day, number, piece), "wb") as file:
                    pickle.dump(content, file)
            self.written[day] = piece + 1
        self.days = {}

    def _path(self, day: str, part: int, piece: int) -> str:
        return os.path.join(self.folder.name, f"{day}-{part}-{piece}")

    def parts(self) -> Iterator[dict[str, UnitTable]]:
        """The units of all days by date, each unit in one part. Rows end with it: nothing may be added afterwards."""
        if not self.written:
            yield self.days
            return
        if self.days:
            self._write_out()
        for number in range(PARTS):
            yield {day: whole for day in sorted(self.written) if (whole := self._read(day, number)).names}

    def _read(self, day: str, number: int) -> UnitTable:
        """The units of one day and part."""
        whole = UnitTable(self.empty)
        for piece in range(self.written[day]):
            with open(self._path(day, number, piece), "rb") as file:
                names, marks, mixed, sums = pickle.load(file)
            at = whole.places(names, marks)
            whole.mixed.update(at[np.asarray(mixed, dtype=bool)].tolist())
            self.merge(whole, at, sums)
        return whole

    def merge(self, into: UnitTable, at: NDArray[np.int64], sums: Numbers) -> None:
        """Adds sums of units to those of units that are there."""
        combine([_merging(slot) for slot in self.slots], into.sums, at, list(sums.T))


def _merging(slot: UnitColumn) -> UnitColumn:
    """How two parts of a unit's slot become one: counts are summed."""
    return UnitColumn(slot.column, "max" if slot.kind == "max" else "sum")
