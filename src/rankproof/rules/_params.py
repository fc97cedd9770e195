"""What a policy may say of a rule: the kinds of every configuration, and those that only rules have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.errors import UsageError
from rankproof.measures._text import parse
from rankproof.records.params import (
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
    "Whole",
]


@dataclass(frozen=True, slots=True)
class MeasureName:
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
class Bands:
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
