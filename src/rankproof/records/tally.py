"""Tally: how many units of one variant have each value. What quantiles need, and exact: files of days add up."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from rankproof.errors import InputError
from rankproof.records.params import finite


@dataclass(frozen=True, slots=True)
class Tally:
    """Values in rising order, each once, and how many units have each. Round values first to keep it small."""

    values: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        """How many units."""
        return sum(self.counts)

    def ranked(self, ranks: Iterable[int]) -> list[float]:
        """The values at ranks, of which the first is 1, when units stand in rising order."""
        ends = list(accumulate(self.counts))
        return [self.values[bisect.bisect_left(ends, rank)] for rank in ranks]

    def __add__(self, other: Tally) -> Tally:
        total = Counter(dict(zip(self.values, self.counts, strict=True)))
        total.update(dict(zip(other.values, other.counts, strict=True)))
        return _made(total)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"values": list(self.values), "counts": list(self.counts)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Tally:
        """What `to_dict` gave."""
        values, counts = stored.get("values"), stored.get("counts")
        if not isinstance(values, list) or not isinstance(counts, list) or len(values) != len(counts):
            raise InputError("A tally has as many values as counts; give what Tally.to_dict wrote.")
        total: Counter[float] = Counter()
        for value, count in zip(values, counts, strict=True):
            number = finite(value)
            if number is None or not isinstance(count, int) or isinstance(count, bool) or count < 1:
                raise InputError(f"A tally counts units by finite number; {count!r} units with {value!r} came.")
            total[number] += count
        return _made(total)


def tally_of(values: Iterable[float]) -> Tally:
    """The tally of units, one value each.

    >>> tally_of([3, 1, 3])
    Tally(values=(1.0, 3.0), counts=(1, 2))
    """
    total = Counter(map(float, values))
    if any(finite(value) is None for value in total):
        raise InputError("A value is not a finite number. Leave such units out, and count them.")
    return _made(total)


def _made(total: Counter[float]) -> Tally:
    values = tuple(sorted(total))
    return Tally(values, tuple(total[value] for value in values))
