"""PowerPlan: what a set of queries can show, and how many queries a difference takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankproof.records.estimate import Alternative, NotEstimable


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard deviation of the paired differences.

    low, high     its interval at the plan's level; None where it was given
    measured_on   how many queries it was measured on; None where it was given
    """

    sd: float
    low: float | None = None
    high: float | None = None
    measured_on: int | None = None


@dataclass(frozen=True, slots=True)
class Needed:
    """Queries that show a difference with the plan's power. None: no number of queries that anybody could judge does.

    low, high   the same for both ends of the interval of the standard deviation; `ranged` says whether there is one
    """

    queries: int | None
    low: int | None = None
    high: int | None = None
    ranged: bool = False


@dataclass(frozen=True, slots=True)
class Smallest:
    """The least true difference shown with the plan's power, and the same for both ends of the spread's interval."""

    difference: float  # negative where only a loss is looked for
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class AtDifference:
    """One point of the curve over differences: the power with the planned queries, and what the difference takes."""

    difference: float
    power: float
    needed: Needed


@dataclass(frozen=True, slots=True)
class AtQueries:
    """One point of the curve over numbers of queries: the power for the planned difference."""

    queries: int
    power: float


@dataclass(frozen=True, slots=True)
class Sizing:
    """One measure, or one standard deviation, planned with.

    observed        the mean difference of the two runs; None where a standard deviation was given
    queries         the number planned with: that of the runs, or the one asked for; None where none was given
    smallest        what that number shows; None without a number
    difference      the one planned for: asked for, or else the observed one; None where there is none, or it is 0
    needed          the queries it takes
    by_difference   the power over true differences, with `queries`
    by_queries      the power over numbers of queries, for `difference`
    note            what a reader must know about the queries or the scale
    """

    spread: Spread
    observed: float | None = None
    queries: int | None = None
    smallest: Smallest | None = None
    difference: float | None = None
    needed: Needed | None = None
    by_difference: tuple[AtDifference, ...] = ()
    by_queries: tuple[AtQueries, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PowerPlan:
    """What `rankproof power` answers: a sizing by measure; under the name "" where a standard deviation was given.

    asked   whether the difference was asked for; otherwise it is the observed one
    runs    names of baseline and candidate; None where a standard deviation was given
    """

    sizings: dict[str, Sizing | NotEstimable]
    level: float
    power: float
    alternative: Alternative
    asked: bool
    runs: tuple[str, str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        return {
            "level": self.level,
            "power": self.power,
            "alternative": self.alternative,
            "test": "t",
            "baseline": self.runs[0] if self.runs else None,
            "candidate": self.runs[1] if self.runs else None,
            "difference_is": "asked" if self.asked else "observed" if self.runs else None,
            "sizings": [
                {"measure": measure or None, **(_missing(found) if isinstance(found, NotEstimable) else _sized(found))}
                for measure, found in self.sizings.items()
            ],
        }


def _missing(found: NotEstimable) -> dict[str, Any]:
    return {"not_estimable": found.reason, "observed_difference": found.value, "measured_on": found.n}


def _sized(found: Sizing) -> dict[str, Any]:
    smallest = found.smallest
    return {
        "standard_deviation": {"value": found.spread.sd, "low": found.spread.low, "high": found.spread.high},
        "measured_on": found.spread.measured_on,
        "observed_difference": found.observed,
        "queries": found.queries,
        "smallest_difference": smallest and {"value": smallest.difference, "low": smallest.low, "high": smallest.high},
        "difference": found.difference,
        "queries_needed": found.needed and _need(found.needed),
        "by_difference": [
            {"difference": at.difference, "power": at.power, "queries_needed": _need(at.needed)}
            for at in found.by_difference
        ],
        "by_queries": [{"queries": at.queries, "power": at.power} for at in found.by_queries],
        "note": found.note,
    }


def _need(needed: Needed) -> dict[str, Any]:
    return {"value": needed.queries, "low": needed.low, "high": needed.high}
