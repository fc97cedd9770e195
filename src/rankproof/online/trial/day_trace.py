"""DayTrace: what a day keeps beside its statistics, so that doubles, returning units and outliers are seen later.

Days that were written before there were traces, or are made of a warehouse's sums, have none: what a trace would show
cannot be checked on them, and the verdict says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, NamedTuple

from rankproof.online.trial.unit_ids import IdSketch

# The largest units of each metric that a day names the values of.
LARGEST = 10
# The name under which units are ranked by their rows.
ROWS_OF_UNITS = "*"


class UnitCell(NamedTuple):
    """A variant and a stratum or a segment; the other is ""."""

    variant: str
    stratum: str
    segment: str


@dataclass(frozen=True, slots=True)
class Largest:
    """The value of one of the largest units in a metric, and its variant."""

    value: float
    variant: str


@dataclass(frozen=True, slots=True)
class DayTrace:
    """What one day keeps.

    until      the last day of rows that were read for it
    rules      the rules of the design by which units entered, counted and were left out
    digest     of the rows of the day, whatever their order; their date does not count
    ids        sketches of the units that count, by variant
    cells      units by variant and stratum, and by variant and segment
    largest    by metric: the largest units
    left_out   units left out by a rule of the design: by reason, and by variant
    doubts     what the rows have and sound rows have not, with how often
    """

    until: str
    rules: Mapping[str, object] = field(default_factory=dict)
    digest: str = ""
    ids: Mapping[str, IdSketch] = field(default_factory=dict)
    cells: Mapping[UnitCell, int] = field(default_factory=dict)
    largest: Mapping[str, tuple[Largest, ...]] = field(default_factory=dict)
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    doubts: Mapping[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """That the digest is of."""
        return int(self.digest.partition(":")[0] or 0)

    def complete(self, day: str) -> bool:
        """Whether all days of the window of the units of a day were read."""
        return self.until >= last_of_window(day, int(str(self.rules.get("window", 1))))

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "until": self.until,
            "rules": dict(self.rules),
            "digest": self.digest,
            "ids": {name: sketch.to_dict() for name, sketch in self.ids.items()},
            "cells": [{**cell._asdict(), "units": n} for cell, n in sorted(self.cells.items())],
            "largest": {
                name: [{"value": one.value, "variant": one.variant} for one in ones]
                for name, ones in self.largest.items()
            },
            "left_out": {reason: dict(by) for reason, by in sorted(self.left_out.items())},
            "doubts": dict(sorted(self.doubts.items())),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> DayTrace:
        """What `to_dict` gave; a ValueError, a TypeError or a KeyError otherwise."""
        date.fromisoformat(stored["until"])
        return cls(
            until=stored["until"],
            rules=dict(stored["rules"]),
            digest=str(stored["digest"]),
            ids={str(name): IdSketch.from_dict(sketch) for name, sketch in stored["ids"].items()},
            cells={
                UnitCell(str(one["variant"]), str(one["stratum"]), str(one["segment"])): _count(one["units"])
                for one in stored["cells"]
            },
            largest={
                str(name): tuple(Largest(float(one["value"]), str(one["variant"])) for one in ones)
                for name, ones in stored["largest"].items()
            },
            left_out={
                str(reason): {str(name): _count(n) for name, n in by.items()}
                for reason, by in stored["left_out"].items()
            },
            doubts={str(reason): _count(n) for reason, n in stored["doubts"].items()},
        )


def last_of_window(day: str, window: int) -> str:
    """The last of the days that count for units that entered on a day."""
    return (date.fromisoformat(day) + timedelta(days=window - 1)).isoformat()


def days_between(first: str, last: str) -> int:
    """Days from one date to another."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r:.40} is no count")
    return value
