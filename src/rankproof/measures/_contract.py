"""What an item on the measures shelf is: Measure; and one way of asking for it: Variant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.measures._kinds import Kind, Whole, show_number
from rankproof.records.judged import JudgedTable

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Param:
    """A choice that a measure leaves open: name, what it may hold, what it is when nothing is said."""

    name: str
    kind: Kind
    default: Any
    meaning: str


REL = Param("rel", Whole(0), 1, "the least grade that counts as relevant")


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """A measure with every choice made. `str()` is its canonical text, which reads back to itself."""

    measure: Measure
    values: dict[str, Any]
    at: float | int | None = None
    text: str = field(init=False)

    def __post_init__(self) -> None:
        said = [
            f"{p.name}={p.kind.show(self.values[p.name])}"
            for p in self.measure.params
            if self.values[p.name] != p.default
        ]
        text = self.measure.name + (f"({','.join(said)})" if said else "")
        if self.at is not None:
            text += f"@{show_number(self.at)}"
        object.__setattr__(self, "text", text)

    def __getitem__(self, param: str) -> Any:
        return self.values[param]

    @property
    def k(self) -> int | None:
        """The rank cutoff, or None for the whole ranking."""
        return None if self.at is None else int(self.at)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variant) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def without_relevant(table: JudgedTable, variant: Variant) -> Mask:
    """Undefined where the query has no relevant document. The usual rule."""
    return table.pool.relevant(variant["rel"]) == 0


def never(table: JudgedTable, variant: Variant) -> Mask:
    """Defined for every query."""
    return np.zeros(len(table), dtype=bool)


def nothing_to_add(table: JudgedTable, variant: Variant) -> str:
    """No fine print beyond the name."""
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One item of the shelf. `page` is the module's docstring: range, undefined, source, example.

    compute     values for all queries; 0 where undefined (unless `skips_undefined`, then anything)
    undefined   mask of the queries where the measure has no value
    cutoff      "none", "optional" or "required" rank cutoff; "recall" for a recall level from 0 to 1
    aggregate   how the queries become one number
    better      "higher", "lower" or "neither"
    fine_print  what the name leaves unsaid, for this variant on this table
    expected    closed form of the mean over all orders of tied documents, where one exists
    prefers     what moves the value up when moved up: "grade" (the usual), "judged", or "nothing known"
    spellings   everyday names that mean this measure with default parameters, matched without case
    """

    name: str
    page: str
    compute: Callable[[JudgedTable, Variant], Values]
    params: tuple[Param, ...] = ()
    cutoff: Literal["none", "optional", "required", "recall"] = "optional"
    undefined: Callable[[JudgedTable, Variant], Mask] = without_relevant
    skips_undefined: bool = False
    aggregate: Literal["mean", "geometric", "sum"] = "mean"
    better: Literal["higher", "lower", "neither"] = "higher"
    low: float = 0.0
    high: float = 1.0
    whole: bool = False
    fine_print: Callable[[JudgedTable, Variant], str] = nothing_to_add
    expected: Callable[[JudgedTable, Variant], Values] | None = None
    prefers: Literal["grade", "judged", "nothing known"] = "grade"
    needs_subtopics: bool = False
    spellings: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def variant(self, at: float | int | None = None, **values: Any) -> Variant:
        """This measure with the given choices and defaults for the rest."""
        return Variant(self, {p.name: values.get(p.name, p.default) for p in self.params}, at)
