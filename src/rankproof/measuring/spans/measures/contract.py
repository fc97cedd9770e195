"""Contract of the span measures: SpanMeasure, SpanVariant, and the reader of names: `SpanRecall@4000tokens`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import no_call, split_call
from rankproof.kernel.specs.kinds import Choice, Flag, OptionValues, Param
from rankproof.measuring.measures.contract import REL, Cutoff, text_of
from rankproof.measuring.names import Budget, options_of, tokens
from rankproof.measuring.spans.coverage import ReadText

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]

GRADE = Param("rel", REL.kind, REL.default, "the least grade with which a gold span counts")
WHOLE = Param("whole", Flag(), False, "leave out the chunk that crosses a budget, instead of cutting it there")
REPEATS = Param(
    "repeats",
    Choice(("count", "once")),
    "count",
    "text that was retrieved twice counts twice in what was read, or once",
)


@dataclass(frozen=True, slots=True, eq=False)
class SpanVariant:
    """A span measure with every parameter set. `str()` is its canonical text, which reads back to itself.

    at   a rank, a Budget of text, or None for all that was retrieved
    """

    measure: SpanMeasure
    values: OptionValues
    at: int | None = None
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", text_of(self.measure, self.values, self.at))

    def __getitem__(self, param: str) -> Any:
        return self.values[param]

    @property
    def budget(self) -> Budget | None:
        """The amount of text that is read; None where ranks are counted."""
        return self.at if isinstance(self.at, Budget) else None

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpanVariant) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def without_gold(read: ReadText, variant: SpanVariant) -> Mask:
    """Undefined where the query has no gold. The usual rule."""
    none: Mask = read.gold == 0
    return none


def nothing_more(variant: SpanVariant) -> str:
    """No fine print beyond the name."""
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class SpanMeasure:
    """One item of the shelf. `page` is the module's docstring: range, undefined, source, example.

    compute     values of all queries; anything where undefined
    undefined   mask of the queries where the measure has no value: they are left out of the mean, and named
    fine_print  what the name does not say, for this variant
    """

    name: str
    page: str
    compute: Callable[[ReadText, SpanVariant], Values]
    params: tuple[Param, ...] = (GRADE, WHOLE)
    undefined: Callable[[ReadText, SpanVariant], Mask] = without_gold
    better: Literal["higher", "lower"] = "higher"
    low: float = 0.0
    high: float = 1.0
    fine_print: Callable[[SpanVariant], str] = nothing_more
    spellings: tuple[str, ...] = ()
    cutoff: Cutoff = "budget"
    aggregate: Literal["mean"] = "mean"

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def variant(self, at: int | None = None, **values: Any) -> SpanVariant:
        """This measure with the given parameters and defaults for the rest."""
        return SpanVariant(self, {p.name: values.get(p.name, p.default) for p in self.params}, at)


def parse(names: str | SpanVariant | Iterable[str | SpanVariant]) -> tuple[SpanVariant, ...]:
    """The span measures that a text, or several texts, name; each once, in their order."""
    variants: dict[SpanVariant, None] = {}
    for name in (names,) if isinstance(names, str | SpanVariant) else names:
        for variant in (name,) if isinstance(name, SpanVariant) else map(read, tokens(name)):
            variants.setdefault(variant)
    if not variants:
        raise UsageError("No span measure was named. Name one or more, such as: SpanRecall@4000tokens SpanPrecision@5")
    return tuple(variants)


def read(token: str) -> SpanVariant:
    """The variant of one token."""
    call = split_call(token)
    item = None if call is None else by_name(call.name)
    if call is None or item is None:
        name = re.split(r"[(@]", token)[0]
        if call is None and by_name(name) is not None:
            raise no_call(token)
        raise UnknownName("span measure", name or token, shelf.everything("spanmeasures"))
    values, at = options_of(item, call, token)
    variant = SpanVariant(item, values, None if at is None else at if isinstance(at, Budget) else int(at))
    if variant.values.get("whole") and variant.budget is None:
        raise UsageError(f"{token}: `whole` says what becomes of the chunk that crosses a budget, such as @4000tokens.")
    return variant


def canonical(name: str) -> str:
    """The canonical text of a name."""
    return str(parse(name)[0])


def by_name(name: str) -> SpanMeasure | None:
    """The span measure with this name or everyday spelling; None where there is none."""
    items: dict[str, SpanMeasure] = dict(shelf.offered("spanmeasures"))
    if name in items:
        return items[name]
    folded = name.casefold().replace("-", "_")
    for item in shelf.everything("spanmeasures").values():
        if folded in {spelling.casefold() for spelling in (item.name, *item.spellings)}:
            found: SpanMeasure = item
            return found
    return None


def ratio(part: NDArray[Any], whole: NDArray[Any]) -> Values:
    """A part over its whole, by query; 0 where there is no whole."""
    shares: Values = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return shares
