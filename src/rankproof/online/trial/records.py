"""TrialDesign, Metric and effects of an A/B test: what is decided before, and what one variant showed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.specs.kinds import finite
from rankproof.proving.direction import Direction
from rankproof.proving.records import Adjusted

Kind = Literal["proportion", "mean", "ratio", "quantile"]
Better = Literal["higher", "lower"]
_FIELDS = ("name", "kind", "better", "covariate", "at")


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric over the units of a trial.

    kind        "proportion": the share of units that did something; "mean" of a number for each unit; "ratio" of two
                sums over units, such as clicks per search where users are the units; "quantile" of a number for each
                unit, such as latency
    better      which way users are better off; "lower" for abandonment and latency
    covariate   what each unit was before the trial, where the estimate is adjusted by it (CUPED); "" where it is not
    at          which quantile: 0.95 is what 95% of the units do not exceed; None for other kinds
    """

    name: str
    kind: Kind = "mean"
    better: Better = "higher"
    covariate: str = ""
    at: float | None = None

    def __post_init__(self) -> None:
        if not self.name:
            raise UsageError("A metric needs a name.")
        for word, value, possible in (("kind", self.kind, Kind), ("better", self.better, Better)):
            if value not in get_args(possible):
                raise UsageError(
                    f"{word} of the metric {self.name!r} must be one of {', '.join(get_args(possible))}; got {value!r}."
                )

        if self.kind == "quantile":
            if self.at is None or not 0 < self.at < 1:
                raise UsageError(f"The metric {self.name!r} is a quantile: `at` lies between 0 and 1, such as 0.95.")
            if self.covariate:
                raise UsageError(f"The metric {self.name!r} is a quantile, which no covariate adjusts. Leave it out.")
        elif self.at is not None:
            raise UsageError(f"The metric {self.name!r} is a {self.kind}; only a quantile has `at`.")

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {name: getattr(self, name) for name in _FIELDS}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Metric:
        """What `to_dict` gave, or a table of TOML; what is left unsaid has its default."""
        unknown = [name for name in stored if name not in _FIELDS]
        if unknown:
            raise UsageError(f"A metric has {', '.join(_FIELDS)}; {unknown[0]!r} is none of them.")
        for name, value in stored.items():
            if name == "at":
                if value is not None and finite(value) is None:
                    raise UsageError(f"at of a metric must be a number between 0 and 1; got {value!r}.")
            elif not isinstance(value, str):
                raise UsageError(f"{name} of a metric must be a text; got {value!r}.")
        if "name" not in stored:
            raise UsageError("A metric needs a name.")
        return cls(**dict(stored))


Scale = Literal["absolute", "relative"]


def effect_text(effect: float, scale: Scale) -> str:
    """An effect as text, with its sign: a relative one in percent.

    >>> shown(0.0123, "relative"), shown(-2.5, "absolute"), shown(0.0, "absolute")
    ('+1.23%', '-2.5', '0')
    """
    if not math.isfinite(effect):
        return "infinity" if effect > 0 else "minus infinity"
    text = f"{100 * effect:+.2f}%" if scale == "relative" else f"{effect:+.4g}"
    return text.lstrip("+-") if text.strip("+-0.%") == "" else text


@dataclass(frozen=True, slots=True)
class VariantEffect:
    """One variant against the control in one metric.

    effect     treatment minus control, whatever is better; a share of the control where `scale` is "relative"
    adjusted   the same among all variants tested together; None where there is no estimate or no correction
    """

    metric: Metric
    variant: str
    scale: Scale
    effect: Answer
    adjusted: Adjusted | None = None

    @property
    def direction(self) -> Direction:
        """Better or worse where statistically significant at the level of the test; otherwise "not shown"."""
        if not isinstance(self.effect, Estimate):
            return "not shown"
        p = self.effect.p_value if self.adjusted is None else self.adjusted.p_value
        if p > 1 - self.effect.level:
            return "not shown"
        return "better" if (self.effect.value > self.effect.null) == (self.metric.better == "higher") else "worse"


Role = Literal["decision", "guardrail", "watch"]
Goal = Literal["better", "not_worse"]
Each = Literal["sum", "any", "mean", "max"]
Enter = Literal["first_day", "every_day"]
# As a denominator: how many rows a unit has, as COUNT(*) in SQL.
ROWS = "*"


@dataclass(frozen=True, slots=True)
class TrialMetric:
    """A metric with the columns it is made of and its role in the decision.

    value         the column of what is counted: of a ratio its numerator
    denominator   of a ratio: the column it is divided by, or "*" for the number of rows; "" for other kinds
    each          how several rows of one unit become its number: their "sum", "any" (1 where one row is above 0),
                  "mean" or "max"
    digits        of a quantile: values are rounded to as many significant digits, so that a day's file stays small
    role          "decision": it must reach its goal; "guardrail": it must not be worse by its margin; "watch": it is
                  shown and decides nothing
    margin        of "better": how much better at least; of "not_worse": how much worse at most; in units of `scale`
    scale         "relative": effects are shares of the control; "absolute": they are in units of the metric
    within        of a ratio: what is counted is a part of what it is divided by, and never more
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
    within: bool = False

    @property
    def name(self) -> str:
        """Of the metric."""
        return self.metric.name

    @property
    def threshold(self) -> float:
        """The effect at which the goal is just reached."""
        better = self.margin if self.goal == "better" else -self.margin
        return better + 0.0 if self.metric.better == "higher" else -better + 0.0  # never -0.0

    def collected(self) -> dict[str, object]:
        """What the numbers of a day are made by. Two days add up only where this is the same."""
        return {
            **self.metric.to_dict(),
            "value": self.value,
            "denominator": self.denominator,
            "each": self.each,
            "digits": self.digits,
        }


@dataclass(frozen=True, slots=True)
class TrialColumns:
    """Where rows say what.

    unit       the column of what is assigned to variants; "*" where each row is a unit
    entered    the column of the day on which a unit entered the trial; "" where rows have none, and a unit enters with
               the first of its rows that are collected together
    strata     columns known before the trial, within which variants are compared
    segments   columns by whose values effects are shown
    row        the column of an id of each row: no two rows have the same; "" where rows have none
    zone       the time zone whose days are meant, such as "Europe/Berlin"; "": the date that a time begins with
    written    the time zone of times that say none; "" where every time says its own
    agent      the column of the user agent; rows whose agent says that it is a program are left out; "" where none are
    """

    unit: str = "user_id"
    variant: str = "variant"
    day: str = ""
    entered: str = ""
    strata: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    row: str = ""
    zone: str = ""
    written: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Who is left out, by rules that are stated before the trial and are the same for every variant.

    crossing   the share of units that may have been seen in two variants: they are left out, and with more of them the
               trial is no evidence
    rows       units with more rows than this are left out, as programs; None where none are
    """

    crossing: float = 0.01
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class TrialDesign:
    """The whole design. `online/trial/design.py` reads it from TOML.

    unit      what is assigned to variants, as a word for reports: "user", "session"
    shares    planned shares of the traffic by variant, the control among them; they sum to 1
    method    an item of the trials shelf, such as "sequence(units=20000)"
    units     planned in all; None where looking at any time is lawful and nothing was planned
    enter     "first_day": a unit counts on the day it enters, once in the trial; "every_day": a unit is a user-day, and
              who comes on two days counts twice
    window    of "first_day": days from its entry on whose rows count for a unit, the day of entry among them
    begins    the first day of the trial, and `ends` its last: units of other days are left out; "" where nothing is
              said
    exclude   who is left out
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
    columns: TrialColumns = field(default_factory=TrialColumns)
    source: str = ""
    window: int = 1
    begins: str = ""
    ends: str = ""
    exclude: Exclusions = Exclusions()

    @property
    def rules(self) -> dict[str, object]:
        """By which units enter, are counted and are left out. Days add up only where these are the same."""
        return {
            "window": self.window,
            "zone": self.columns.zone,
            "agent": self.columns.agent,
            "rows": self.exclude.rows,
        }

    @property
    def treatments(self) -> tuple[str, ...]:
        """Every variant but the control."""
        return tuple(name for name in self.shares if name != self.control)
