"""Parameters of rules: the kinds of values that only rules have, and the parameters that several rules share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

from rankproof.errors import UsageError
from rankproof.kernel.specs.kinds import (
    REQUIRED,
    Choice,
    Flag,
    Kind,
    Number,
    Param,
    Path,
    Text,
    Texts,
    Whole,
    show_number,
)
from rankproof.measuring.names import parse
from rankproof.measuring.records import GEOMETRIC_FLOOR
from rankproof.proving.rules.contract import Case

__all__ = [
    "REQUIRED",
    "Bands",
    "Choice",
    "Flag",
    "Kind",
    "MeasureName",
    "Number",
    "Param",
    "Path",
    "Text",
    "Texts",
    "ValueName",
    "Whole",
]


class MeasuredKind(Protocol):
    """What a rule asks of a measure before anything is computed; measures have it, and names of other values."""

    @property
    def better(self) -> str:
        """Which side is better: "higher", "lower" or "neither"."""

    @property
    def aggregate(self) -> str:
        """How the values become one: "mean", "geometric" or "sum"."""

    @property
    def low(self) -> float:
        """The least value."""

    @property
    def high(self) -> float:
        """The greatest value."""


class ValueName(str):
    """The name of values that no measure computes here, with what is known of them: a score, a measure of spans.

    A text like the canonical text of a measure, so that rules take both alike.
    """

    __slots__ = ("aggregate", "better", "high", "low")

    better: str
    aggregate: str
    low: float
    high: float

    def __new__(cls, text: str, better: str, low: float, high: float, aggregate: str = "mean") -> Self:
        """The text, with its better side and its range."""
        name = super().__new__(cls, text)
        name.better, name.aggregate, name.low, name.high = better, aggregate, low, high
        return name


@dataclass(frozen=True, slots=True)
class MeasureName(Kind):
    """One measure, in any accepted spelling; becomes its canonical text."""

    def read(self, value: Any) -> str:
        """The canonical text."""
        if not isinstance(value, str):
            raise ValueError(f"must be the name of a measure, such as 'nDCG@10'; got {value!r}")
        try:
            variants = parse(value)
        except UsageError as error:
            raise ValueError(f"is {value!r}: {error}") from None
        if len(variants) != 1:
            raise ValueError(f"must be one measure; {value!r} names {len(variants)}. Write a rule for each")
        if variants[0].measure.labels is not None:
            raise ValueError(f"must be a measure with a number as its value; {value!r} gives texts")
        return str(variants[0])

    def show(self, value: str) -> str:
        """The canonical text."""
        return value


@dataclass(frozen=True, slots=True)
class Bands(Kind):
    """Labels and the values where each begins: {good = 0.35, strong = 0.40}."""

    def read(self, value: Any) -> dict[str, float]:
        """The values by label."""
        if not isinstance(value, Mapping) or not all(isinstance(label, str) and label for label in value):
            raise ValueError(
                f"must be a table of labels and values, such as {{good = 0.35, strong = 0.40}}; got {value!r}"
            )
        try:
            return {label: Number().read(at) for label, at in value.items()}
        except ValueError as error:
            raise ValueError(f"must give each label a value, which {error}") from None

    def show(self, value: Mapping[str, float]) -> str:
        """As a TOML table."""
        return ", ".join(f"{label} = {show_number(at)}" for label, at in value.items()) or "none"


MEASURE = Param("measure", MeasureName(), REQUIRED, "what is measured, in any accepted spelling")
SEGMENT = Param(
    "segment",
    Text(),
    "",
    "only these queries: 'column=value' of the policy's query file; 'column' asks it of each of its values",
)
BASIS = Param(
    "basis", Choice(("interval", "point")), "interval", "'interval': one-sided bounds decide; 'point': plain means do"
)
CONFIDENCE = Param(
    "confidence",
    Number(0.5, 1, open_low=True, open_high=True),
    None,
    "of each one-sided bound; the policy's own when not said",
)


def measure_of(text: str) -> MeasuredKind:
    """The measure that a canonical text names, or what is known of values of another source."""
    return text if isinstance(text, ValueName) else parse(text)[0].measure


def level_of(case: Case, values: Mapping[str, Any]) -> float:
    """The rule's own confidence, or the policy's."""
    confidence = values["confidence"]
    return case.level if confidence is None else float(confidence)


def refuse_sideless(values: Mapping[str, Any]) -> None:
    """Refuses a measure of which neither high nor low is better: it cannot improve or get worse."""
    text = values["measure"]
    if measure_of(text).better == "neither":
        raise UsageError(
            f"{text} is neither better high nor low, so nothing can be lost or gained in it. Name another measure, or "
            "ask least_value for at_least or at_most"
        )


# What a limit on a change asks: "most" that the change is no greater than it, "least" that it is at least that great.
Limit = Literal["most", "least"]


def refuse_idle_change(values: Mapping[str, Any], key: str, limit: Limit = "most") -> None:
    """Refuses a limit on a change that every result keeps ("most") or that none reaches ("least").

    No query can change by more than the range of its measure; a geometric mean changes by logarithms of it.
    """
    text, at = values["measure"], float(values[key])
    measure = measure_of(text)
    widest, unit = measure.high - measure.low, ""
    if measure.aggregate == "geometric":
        widest, unit = math.log(measure.high / max(measure.low, GEOMETRIC_FLOOR)), " natural logarithms"
    if at < widest:
        return
    what = "no result can miss it" if limit == "most" else "no result can reach it"
    raise UsageError(
        f"{key} = {at:g}, but {text} cannot change by more than {widest:.4g}{unit}, so {what}. "
        f"Say less than {widest:.4g}{_as_share(at, widest)}"
    )


def refuse_idle_target(values: Mapping[str, Any], key: Literal["at_least", "at_most"]) -> None:
    """Refuses a target for a measure's mean that every result meets, or that none can meet.

    Bounds lie inside the range and reach its ends only without any chance: the best value of all is a target for
    plain means only.
    """
    text, at = values["measure"], float(values[key])
    measure = measure_of(text)
    worst, best = (measure.low, measure.high) if key == "at_least" else (measure.high, measure.low)
    if measure.aggregate == "sum":  # of one query or more: nothing is known of its upper end
        worst, best = (worst, math.inf) if key == "at_least" else (math.inf, best)
    sign = 1.0 if key == "at_least" else -1.0
    if sign * at <= sign * worst:
        why = "every result meets it"
    elif sign * at > sign * best:
        why = "no result can meet it"
    elif at == best and values["basis"] == "interval":
        why = 'no confidence bound reaches it; basis = "point" compares plain means'
    else:
        return
    raise UsageError(
        f"{key} = {at:g}, but {text} lies between {measure.low:g} and {measure.high:g}: {why}. "
        f"Say a target inside that range{_as_share(at, measure.high)}"
    )


def _as_share(at: float, widest: float) -> str:
    """What somebody may have meant who wrote a percentage where a share is asked for."""
    return f"; if {at:g}% was meant, that is {at / 100:g}" if 1 <= at <= 100 and widest <= 2 else ""


def refuse_lone_model_grade(values: Mapping[str, Any]) -> None:
    """Refuses the judge's least relevant grade without that of the human judges."""
    if values["model_relevant"] is not None and values["relevant"] is None:
        raise UsageError("model_relevant needs relevant beside it: people's least relevant grade")


def relevant_grades(values: Mapping[str, Any]) -> tuple[int, int] | None:
    """The least relevant grade of people and of the judge; None where grades are compared as they are."""
    people, model = values["relevant"], values["model_relevant"]
    return None if people is None else (people, people if model is None else model)


def segment_suffix(values: Mapping[str, Any]) -> str:
    """The end of a title: " on " and the segment, or nothing without one."""
    return f" on {values['segment']}" if values["segment"] else ""
