"""Parameters that several rules take, and what they ask of a measure before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.errors import UsageError
from rankproof.measures._contract import Measure
from rankproof.measures._text import parse
from rankproof.rules._contract import Case
from rankproof.rules._params import REQUIRED, Choice, MeasureName, Number, Param, Text

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


def measure_of(text: str) -> Measure:
    """The measure that a canonical text names."""
    return parse(text)[0].measure


def level_of(case: Case, values: Mapping[str, Any]) -> float:
    """The rule's own confidence, or the policy's."""
    said = values["confidence"]
    return case.level if said is None else float(said)


def refuse_sideless(values: Mapping[str, Any]) -> None:
    """A measure of which neither high nor low is better cannot win or lose."""
    text = values["measure"]
    if measure_of(text).better == "neither":
        raise UsageError(
            f"{text} is neither better high nor low, so nothing can be lost or gained in it. Name another measure, or "
            "ask least_value for at_least or at_most"
        )


def on(values: Mapping[str, Any]) -> str:
    """The segment as the end of a title."""
    return f" on {values['segment']}" if values["segment"] else ""
