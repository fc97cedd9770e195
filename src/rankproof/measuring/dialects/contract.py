"""What an item on the dialects shelf is: every choice another tool makes, written as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rankproof.errors import UsageError
from rankproof.measuring.judged_table import JudgedTable, Negatives
from rankproof.measuring.measures.contract import Measure, Variant, text_of
from rankproof.reading.records import DEFAULT_ORDER, Order

Missing = Literal["zero", "drop", "blank"]


# What becomes of queries that the run lacks, by `Reading.missing`.
MISSING_FATE = {"zero": "count as empty rankings", "drop": "left out", "blank": "count as 0 in every measure"}


@dataclass(frozen=True, slots=True)
class Rounding:
    """The decimal places that a tool writes, and how it rounds a half: to the even digit, or up."""

    places: int
    half: Literal["even", "up"] = "even"

    def __call__(self, value: float) -> float:
        """The number as the tool shows it."""
        if self.half == "even" or not math.isfinite(value):
            return round(value, self.places)
        scale = 10.0**self.places
        return math.floor(value * scale + 0.5) / scale


@dataclass(frozen=True, slots=True)
class Reading:
    """How a tool reads a run, and how it reports the value of a query.

    order      how the documents of a query are put in order
    negatives  what a grade below 0 means
    missing    a judged query that the run lacks counts as an empty ranking ("zero"), is dropped, or is "blank": no
               measure is computed on it, and it counts as 0 in all of them
    ties       the tie rule of the order decides, or the value is the mean over all orders of tied documents
    rounds     how each query's value is rounded before the mean is taken
    sums       the values of queries are added exactly and rounded once, whatever their order; or as 64-bit floats one
               after the other, in bytewise order of the query ids, rounded after each
    """

    order: Order = DEFAULT_ORDER
    negatives: Negatives = "nonrelevant"
    missing: Missing = "zero"
    ties: Literal["rule", "expected"] = "rule"
    rounds: Rounding | None = None
    sums: Literal["exact", "one_by_one"] = "exact"


@dataclass(frozen=True, slots=True)
class CompleteTotal:
    """A number for all queries together that a tool does not make from the numbers of the queries.

    note  what it counts, for the fine print; "" where nobody would expect otherwise
    """

    compute: Callable[[JudgedTable], float]
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One item of the shelf. `page` is the module's docstring.

    reading      how the tool reads a run
    reading_of   the exceptions, by measure; the most exact name counts: `nDCG(gain=exp2)@k`, `RR@k`, `RR`
    defaults     parameters that the tool sets differently from rankproof, by measure name
    instead      measures that the tool defines differently, by the name they replace
    speaks       names of the measures that the tool has; empty for all of the shelf
    lacks        trec_eval's names that this version's `all_trec` does not stand for
    complete     what becomes of a judged query that the run lacks when all queries shall count (`-c`)
    totals       by the text of a measure, its number for all queries together where all shall count (`-c`) and the
                 tool makes it otherwise than from those of the queries
    round_mean   decimal places to which the tool rounds the mean
    drops_self   whether a document whose id is the query's own is removed
    limit        raises OutOfDialect where the tool's number is not defined or not reproduced; None: it always is
    """

    name: str
    page: str
    reading: Reading = Reading()
    reading_of: Mapping[str, Reading] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    instead: Mapping[str, Measure] = field(default_factory=dict)
    speaks: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    complete: Missing = "zero"
    totals: Mapping[str, CompleteTotal] = field(default_factory=dict)
    round_mean: int | None = None
    drops_self: bool = False
    limit: Callable[[JudgedTable, Variant], None] | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def read(self, variant: Variant | None, complete: bool = False) -> Reading:
        """How the table for this variant is read; `complete` when judged queries that the run lacks shall count.

        Without a variant, how the tool reads what no exception is about.
        """
        reading = self.reading
        if self.reading_of and variant is not None:
            for name in _names(variant):
                if name in self.reading_of:
                    reading = self.reading_of[name]
                    break
        return replace(reading, missing=self.complete) if complete else reading

    def speak(self, variant: Variant) -> Variant:
        """The variant with this tool's definition and defaults where the caller set nothing else."""
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

    def check(self, table: JudgedTable | None, variant: Variant) -> None:
        """UsageError where the tool has no such measure, OutOfDialect where its number is not reproduced.

        Without a table, as for a published value, only whether the tool has the measure.
        """
        if self.speaks and variant.measure.name not in self.speaks:
            raise UsageError(
                f"{variant}: {self.name} has no {variant.measure.name}. It has: {', '.join(self.speaks)}. "
                "Ask for one of these, or leave the dialect out."
            )
        if table is not None and self.limit is not None:
            self.limit(table, variant)

    def reading_lines(self, variants: Mapping[str, Variant], order: Order) -> list[str]:
        """For the fine print: rounding, and how some variants are read differently from the first.

        `order` is that of the table: one that the caller or the run decides holds for all variants.
        """
        readings = {text: self.read(self.speak(variant)) for text, variant in variants.items()}
        first = next(iter(readings.values()), self.reading)
        lines = []
        for text, reading in readings.items():
            parts = []
            if reading.order != first.order == order:
                parts.append(f"order {reading.order}")
            if reading.missing != first.missing:
                are = "are " if reading.missing == "drop" else ""
                parts.append(f"queries missing from the run {are}{MISSING_FATE[reading.missing]}")
            if reading.ties == "expected":
                parts.append("mean over all orders of documents with equal scores")
            if reading.rounds is not None:
                parts.append(f"each query rounded to {reading.rounds.places} places")
            if parts:
                lines.append(f"{text}: {'; '.join(parts)}")
        if self.round_mean is not None:
            lines.append(f"means rounded to {self.round_mean} places")
        return lines


def _names(variant: Variant) -> list[str]:
    """What `reading_of` may call a variant, most exact first; `rel` never changes the reading."""
    item = variant.measure
    plain = {p.name: variant[p.name] if p.name != "rel" else p.default for p in item.params}
    name = text_of(item, plain, None)
    if variant.at is None:
        return [name, item.name]
    return [f"{name}@k", f"{item.name}@k", name, item.name]
