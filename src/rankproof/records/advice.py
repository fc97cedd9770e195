"""Advice: which mode of a benchmark to ship, and what every stage bought or lost on the way to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankproof.records.comparison import Direction


@dataclass(frozen=True, slots=True)
class Held:
    """A mode held against another one.

    difference   of the means, mode minus other; None where there is none
    low, high    its interval, and `p` the p-value that decides; None where no test could be made
    shown        "better", "worse", or "not shown" where chance cannot be ruled out
    """

    other: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    shown: Direction

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "against": self.other,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "shown": self.shown,
        }


@dataclass(frozen=True, slots=True)
class Rung:
    """One mode: its mean, and how it stands against those it builds on; without any, against the baseline."""

    mode: str
    mean: float
    against: tuple[Held, ...]
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """What to ship, by one measure.

    ship    the mode that one comes to from the baseline by taking only steps that are shown to be better
    path    the modes on that way, from the baseline to `ship`
    rungs   every mode, in the order of the benchmark
    times   by mode the median time of a query in milliseconds, where it was taken
    """

    measure: str
    ship: str
    path: tuple[str, ...]
    rungs: tuple[Rung, ...]
    times: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it, without times: they differ from one run to the next."""
        return {
            "measure": self.measure,
            "ship": self.ship,
            "path": list(self.path),
            "rungs": [
                {
                    "mode": rung.mode,
                    "mean": rung.mean,
                    "against": [held.to_dict() for held in rung.against],
                    "failures": rung.failures,
                }
                for rung in self.rungs
            ],
        }
