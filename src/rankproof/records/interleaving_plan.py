"""What an interleaving experiment takes, or what a number of units shows: with one look at the end, and with many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankproof.records.interleaving import UnitsNeeded


@dataclass(frozen=True, slots=True)
class PlannedShare:
    """One share of wins: with one look (`fixed`) and with many (`anytime`); days where units of a day are known."""

    share: float
    fixed: UnitsNeeded
    anytime: UnitsNeeded
    fixed_days: int | None = None
    anytime_days: int | None = None


@dataclass(frozen=True, slots=True)
class InterleavingPlan:
    """The plan for several shares.

    decided   the share of units that are no ties
    units     how many there are; None where that is what is asked
    """

    rows: tuple[PlannedShare, ...]
    decided: float
    units: int | None
    per_day: int | None
    power: float
    level: float
    looks: int

    def average_units(self, row: PlannedShare) -> float | None:
        """Units, ties among them, when an experiment with many looks is over, on average; None where unknown."""
        return None if row.anytime.average is None else row.anytime.average / self.decided

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "decided": self.decided,
            "units": self.units,
            "per_day": self.per_day,
            "power": self.power,
            "level": self.level,
            "looks": self.looks,
            "shares": [
                {
                    "share": row.share,
                    "fixed": _needed(row.fixed, row.fixed_days),
                    "sequential": _needed(row.anytime, row.anytime_days),
                }
                for row in self.rows
            ],
        }


def _needed(found: UnitsNeeded, days: int | None) -> dict[str, Any]:
    return {
        "decided_units": found.decided,
        "units": found.units,
        "power": found.power,
        "exact": found.exact,
        "average_decided_units": found.average,
        "days": days,
    }
