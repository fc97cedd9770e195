"""ScoreChoices: how tables of scores are read and what their values mean, as a policy of a gate says it.

A policy file holds everything that decides, so its [scores] table has what `compare --scores` takes as options:

    [scores]
    unit = "question_id"                  # the column of the unit; found by its usual names when not said
    lower = ["cost", "latency"]           # scores of which less is better
    range = {faithfulness = [0, 1]}       # between which values a score lies by its definition
    missing = "worst"                     # or "drop"
    format = "mteb(split=test)"           # the format of another tool's records, where content does not tell it
    repeats = true                        # units were asked several times: their values are averaged
    system = "model"                      # the column of the system, where a file has several
    baseline = "v1"                       # with system: which of them is which
    candidate = "v2"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rankproof.kernel.specs.kinds import Choice, Flag, Kind, Text, Texts, finite, show_number

Missing = Literal["worst", "drop"]


@dataclass(frozen=True, slots=True)
class ScoreChoices:
    """The choices of a policy's [scores] table; the docstring of the module says what each is.

    baseline, candidate   names of systems, where the column `system` names one in each row; else the inputs of the
                          policy say which table is whose
    """

    unit: str | None = None
    system: str | None = None
    repeats: bool = False
    lower: tuple[str, ...] = ()
    range: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    missing: Missing = "worst"
    baseline: str | None = None
    candidate: str | None = None
    format: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreRanges(Kind):
    """By score its least and its greatest value: {faithfulness = [0, 1]}."""

    def read(self, value: Any) -> dict[str, tuple[float, float]]:
        """The pairs by score."""
        shape = "must be a table of scores with two numbers each, the least first, such as {faithfulness = [0, 1]}"
        if not isinstance(value, Mapping):
            raise ValueError(f"{shape}; got {value!r:.80}")
        ranges: dict[str, tuple[float, float]] = {}
        for score, ends in value.items():
            both = [finite(end) for end in ends] if isinstance(ends, list | tuple) else []
            if len(both) != 2 or both[0] is None or both[1] is None or not both[0] < both[1]:
                raise ValueError(f"{shape}; {score!r:.40} has {ends!r:.40}")
            ranges[str(score)] = (float(both[0]), float(both[1]))
        return ranges

    def show(self, value: Mapping[str, tuple[float, float]]) -> str:
        """As a TOML table."""
        ends = (f"{score} = [{show_number(low)}, {show_number(high)}]" for score, (low, high) in value.items())
        return ", ".join(ends) or "none"


# The keys of a [scores] table.
SCORES: dict[str, Kind] = {
    "unit": Text(),
    "system": Text(),
    "repeats": Flag(),
    "lower": Texts(),
    "range": ScoreRanges(),
    "missing": Choice(("worst", "drop")),
    "baseline": Text(),
    "candidate": Text(),
    "format": Text(),
}
