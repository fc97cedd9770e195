"""What an item on the dialects shelf is: every choice another tool makes, written as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rankproof.measures._contract import Measure, Variant
from rankproof.records.judged import JudgedTable
from rankproof.records.order import DEFAULT_ORDER, Order
from rankproof.records.pool import Negatives

Missing = Literal["zero", "drop"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows become the table that a measure sees: order, meaning of grades below 0, and population."""

    order: Order = DEFAULT_ORDER
    negatives: Negatives = "nonrelevant"
    missing: Missing = "zero"


def no_limit(table: JudgedTable, variant: Variant) -> None:
    """Reproduces its tool on any data."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One item of the shelf. `page` is the module's docstring.

    reading        how tables are read, and `reading_of` the exceptions by measure name
    defaults       parameters that the tool fixes otherwise than rankproof, by measure name
    instead        measures that the tool defines otherwise, by the name they replace
    round_query    decimal places to which the tool rounds each query's value
    round_mean     decimal places to which it rounds the mean
    drops_self     whether a document whose id is the query's own is removed
    limit          raises OutOfDialect where the tool's number is not defined or not reproduced
    """

    name: str
    page: str
    reading: Reading = Reading()
    reading_of: Mapping[str, Reading] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    instead: Mapping[str, Measure] = field(default_factory=dict)
    round_query: int | None = None
    round_mean: int | None = None
    drops_self: bool = False
    limit: Callable[[JudgedTable, Variant], None] = no_limit

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def read(self, variant: Variant) -> Reading:
        """How the table for this variant is read."""
        return self.reading_of.get(variant.measure.name, self.reading)

    def speak(self, variant: Variant) -> Variant:
        """The variant with this tool's definition and defaults where nothing else was said."""
        measure = self.instead.get(variant.measure.name, variant.measure)
        defaults = self.defaults.get(variant.measure.name)
        if measure is variant.measure and not defaults:
            return variant
        ours = {p.name: p.default for p in variant.measure.params}
        values = {p.name: variant.values.get(p.name, p.default) for p in measure.params}
        for name, value in (defaults or {}).items():
            if name in values and values[name] == ours.get(name, values[name]):
                values[name] = value
        return Variant(measure, values, variant.at)
