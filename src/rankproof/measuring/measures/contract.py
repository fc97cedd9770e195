"""Contract of the measures shelf: Measure, and a measure with all its parameters set: Variant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.specs.calls import call_text
from rankproof.kernel.specs.kinds import REQUIRED, OptionValues, Param, Whole
from rankproof.measuring.dependence import Dependence, Ordered
from rankproof.measuring.judged_table import JudgedTable

__all__ = ["REL", "REQUIRED", "Cutoff", "Mask", "Measure", "NamedItem", "Param", "Values", "Variant", "text_of"]

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
Cutoff = Literal["none", "optional", "required", "recall", "budget"]


class NamedItem(Protocol):
    """What a text such as `name(param=value)@k` can stand for: an item of the measures or another shelf."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def params(self) -> tuple[Param, ...]:
        """Its parameters."""

    @property
    def cutoff(self) -> Cutoff:
        """Whether it takes a cutoff."""


REL = Param("rel", Whole(0), 1, "the least grade that counts as relevant")


def text_of(item: NamedItem, values: OptionValues, at: float | int | None) -> str:
    """The canonical text of an item with its options; defaults are left out."""
    return call_text(item.name, item.params, values, at)


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """A measure with every parameter set. `str()` is its canonical text, which reads back to itself.

    `typed` is another tool's name for it, when that tool prints parameters as they were typed; it makes no difference.
    """

    measure: Measure
    values: OptionValues
    at: float | int | None = None
    typed: str = ""
    text: str = field(init=False)

    def __post_init__(self) -> None:
        text = call_text(self.measure.name, self.measure.params, self.values, self.at)
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
    none: Mask = table.pool.relevant(variant["rel"]) == 0
    return none


def never(table: JudgedTable, variant: Variant) -> Mask:
    """Defined for every query."""
    return np.zeros(len(table), dtype=bool)


def ordered(variant: Variant) -> Ordered:
    """Grades count as relevant or not, the higher the better; missed relevant documents only lower the value."""
    return Ordered(variant["rel"], thins=True)


def nothing_to_add(table: JudgedTable, variant: Variant) -> str:
    """No fine print beyond the name."""
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One item of the shelf. `page` is the module's docstring: range, undefined, source, example.

    formula     what the page says in words, in LaTeX and for the defaults; the reference explains its symbols
    compute     values for all queries; 0 where undefined (unless `skips_undefined`, then anything)
    undefined   mask of the queries where the measure has no value
    cutoff      "none", "optional" or "required" rank cutoff; "recall" for a recall level from 0 to 1 ("budget", a rank
                or an amount of text, is for span measures)
    aggregate   how the queries become one number
    better      "higher", "lower" or "neither"
    fine_print  what the name does not say, for this variant on this table
    expected    closed form of the mean over all orders of tied documents; None for a variant without one
    prefers     what moves the value up when moved up: "grade" (the usual), "judged", or "nothing known"
    worth       the same by row, where grades alone do not decide (documents without a row are worth 0);
                None for a variant where it is unknown
    depends     how a variant depends on grades, for bounds over missing grades; None: nothing simple is known
    labels      each query's value as text, for what is read and not counted
    spellings   everyday names that mean this measure with default parameters, matched without case
    """

    name: str
    page: str
    compute: Callable[[JudgedTable, Variant], Values]
    params: tuple[Param, ...] = ()
    cutoff: Cutoff = "optional"
    undefined: Callable[[JudgedTable, Variant], Mask] = without_relevant
    skips_undefined: bool = False
    aggregate: Literal["mean", "geometric", "sum"] = "mean"
    better: Literal["higher", "lower", "neither"] = "higher"
    low: float = 0.0
    high: float = 1.0
    whole: bool = False
    fine_print: Callable[[JudgedTable, Variant], str] = nothing_to_add
    expected: Callable[[JudgedTable, Variant], Values | None] | None = None
    prefers: Literal["grade", "judged", "nothing known"] = "grade"
    worth: Callable[[JudgedTable, Variant], Values | None] | None = None
    depends: Callable[[Variant], Dependence | None] | None = None
    needs_subtopics: bool = False
    labels: Callable[[JudgedTable, Variant], list[str]] | None = None
    spellings: tuple[str, ...] = ()
    formula: str = ""

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def variant(self, at: float | int | None = None, **values: Any) -> Variant:
        """This measure with the given parameters and defaults for the rest."""
        whole = {}
        for param in self.params:
            whole[param.name] = values.get(param.name, param.default)
            if whole[param.name] is REQUIRED:
                raise UsageError(f"{self.name}: {param.name} is missing: {param.meaning}.")
        return Variant(self, whole, at)
