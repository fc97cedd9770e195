"""Verification: what came of computing an experiment again from its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rankproof.records import lasting

SCHEMA = "verification/1"
Problem = Literal["input_missing", "input_changed", "not_computed", "value_differs"]


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One thing that is not as the manifest says. `message` is a sentence; old and new are hashes or values."""

    problem: Problem
    what: str
    message: str
    old: float | str | None = None
    new: float | str | None = None
    difference: float | None = None  # new minus old, of values


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer of `rankproof verify`.

    compared    how many values were computed again
    equal       how many of them are the same within `tolerance`, a relative difference
    largest     the largest relative difference among those that count as equal
    notes       what is different and changes nothing: versions, another form of the same content
    """

    manifest: str  # the experiment's id
    name: str
    compared: int
    equal: int
    tolerance: float
    largest: float = 0.0
    discrepancies: tuple[Discrepancy, ...] = ()
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def verified(self) -> bool:
        """Whether everything was computed again, from the same inputs, with the same values."""
        return not self.discrepancies and self.compared > 0

    @property
    def exit_status(self) -> int:
        """0 when verified, 1 otherwise."""
        return 0 if self.verified else 1

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        return {"verified": self.verified, **lasting.plain(self)}
