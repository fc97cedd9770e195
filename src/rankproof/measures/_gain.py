"""Gain: what a grade is worth. The one place where grades become numbers to add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.records.params import show_number

# A gain is one of two words, or a mapping written as a tuple of (grade, gain) pairs, sorted by grade.
Gain = str | tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class GainKind:
    """`linear`, `exp2`, or a mapping such as `{1:0,2:1,3:10}`."""

    def read(self, text: str) -> Gain:
        """The word, or the mapping's pairs."""
        if text in ("linear", "exp2"):
            return text
        try:
            if not (text.startswith("{") and text.endswith("}")):
                raise ValueError
            pairs = {int(g): float(v) for g, v in (part.split(":") for part in text[1:-1].split(","))}
            if not all(np.isfinite(list(pairs.values()))):
                raise ValueError
        except ValueError:
            raise ValueError(f"must be linear, exp2 or a mapping such as {{1:0,2:1,3:10}}; got {text!r}") from None
        return tuple(sorted(pairs.items()))

    def show(self, value: Any) -> str:
        """The word, or the mapping in braces."""
        if isinstance(value, str):
            return value
        return "{" + ",".join(f"{grade}:{show_number(gain)}" for grade, gain in value) + "}"


def gain_of(grade: NDArray[Any], gain: Gain, rel: int = 0) -> NDArray[np.float64]:
    """The gain of each grade; 0 for grades below 0 and for grades below `rel`.

    A grade that a mapping does not list keeps its linear gain, as in trec_eval.
    """
    positive: NDArray[np.float64] = np.maximum(grade, 0).astype(np.float64)
    if gain == "linear":
        worth = positive
    elif isinstance(gain, str):
        worth = np.asarray(np.exp2(positive) - 1.0)
    else:
        worth = positive
        for level, value in gain:
            worth[grade == int(level)] = value
    if rel > 0:
        worth[grade < rel] = 0.0
    return worth


def describe_gain(gain: Gain) -> str:
    """A few words for the fine print."""
    if gain == "linear":
        return "gain = grade"
    if gain == "exp2":
        return "gain = 2^grade - 1"
    return f"gain = {GainKind().show(gain)}"
