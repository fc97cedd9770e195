"""TrialDesign: what a trial asks of its users, all of it said before the first of them came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rankproof.records.metric import Metric
from rankproof.records.trial import Scale

Role = Literal["decision", "guardrail", "watch"]
Goal = Literal["better", "not_worse"]
Each = Literal["sum", "any", "mean", "max"]
Enter = Literal["first_day", "every_day"]
# As a denominator: how many rows a unit has, as COUNT(*) in SQL.
ROWS = "*"


@dataclass(frozen=True, slots=True)
class TrialMetric:
    """A metric with the columns it is made of and what the trial asks of it.

    value         the column of what is counted: of a ratio its numerator
    denominator   of a ratio: the column it is divided by, or "*" for the number of rows; "" for other kinds
    each          how several rows of one unit become its number: their "sum", "any" (1 where one row is above 0),
                  "mean" or "max"
    digits        of a quantile: values are rounded to as many significant digits, so that a day's file stays small
    role          "decision": it must reach its goal; "guardrail": it must not be worse by its margin; "watch": it is
                  shown and decides nothing
    margin        of "better": how much better at least; of "not_worse": how much worse at most; in units of `scale`
    scale         "relative": effects are shares of the control; "absolute": they are in units of the metric
    """

    metric: Metric
    value: str
    denominator: str = ""
    each: Each = "sum"
    digits: int | None = None
    role: Role = "decision"
    goal: Goal = "better"
    margin: float = 0.0
    scale: Scale = "relative"

    @property
    def name(self) -> str:
        """Of the metric."""
        return self.metric.name

    @property
    def threshold(self) -> float:
        """The effect at which the goal is just reached."""
        better = self.margin if self.goal == "better" else -self.margin
        return better + 0.0 if self.metric.better == "higher" else -better + 0.0  # never -0.0

    def collected(self) -> dict[str, Any]:
        """What the numbers of a day are made by. Two days add up only where this is the same."""
        return {
            **self.metric.to_dict(),
            "value": self.value,
            "denominator": self.denominator,
            "each": self.each,
            "digits": self.digits,
        }


@dataclass(frozen=True, slots=True)
class Columns:
    """Where rows say what.

    entered    the column of the day on which a unit entered the trial: rows of later days are left out; "" where rows
               have none, and each unit is taken to be in the rows of one day only
    strata     columns known before the trial, within which variants are compared
    segments   columns by whose values effects are shown
    """

    unit: str = "user_id"
    variant: str = "variant"
    day: str = ""
    entered: str = ""
    strata: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialDesign:
    """The whole design. `flow/trials/designing.py` reads it from TOML.

    unit      what is assigned to variants, as a word for reports: "user", "session"
    shares    planned shares of the traffic by variant, the control among them; they sum to 1
    method    an item of the trials shelf, such as "sequence(units=20000)"
    units     planned in all; None where looking at any time is lawful and nothing was planned
    enter     "first_day": a unit counts on the day it enters, once in the trial; "every_day": a unit is a user-day, and
              who comes on two days counts twice
    """

    name: str
    control: str
    shares: Mapping[str, float]
    metrics: tuple[TrialMetric, ...]
    unit: str = "user"
    method: str = "sequence"
    confidence: float = 0.95
    correction: str = "holm"
    units: int | None = None
    enter: Enter = "first_day"
    columns: Columns = field(default_factory=Columns)
    source: str = ""

    @property
    def treatments(self) -> tuple[str, ...]:
        """Every variant but the control."""
        return tuple(name for name in self.shares if name != self.control)
