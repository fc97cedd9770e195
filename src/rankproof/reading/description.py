"""Description of a source that was read: its format, its order, and the decisions made while reading it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankproof.errors import UsageError
from rankproof.reading.finding import Unit
from rankproof.reading.formats.contract import Noun, TextLayout
from rankproof.reading.records import By, Order

if TYPE_CHECKING:
    from rankproof.core import Rows

ORDERS: tuple[By, ...] = ("score", "rank", "given")


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """What was read and how: where from, which format, in which order, and what was decided on the way.

    `unit` is what `rows.line` counts. `layout` is set for text that the core reads by itself; `again` then
    reads it once more and allows no columns beyond the format's own. `shape` says what a line should look like.
    """

    source: str
    noun: Noun
    format: str
    order: Order
    notes: tuple[str, ...] = ()
    shape: str = ""
    unit: Unit = "line"
    layout: TextLayout | None = None
    again: Callable[[], Rows] | None = None

    def __str__(self) -> str:
        parts = [f"format {self.format}", *self.notes]
        if self.noun == "run":
            parts.append(f"order: {self.order}")
        return f"{self.source}: {self.noun}; {'; '.join(parts)}"


def asked_order(options: Mapping[str, object]) -> By | None:
    """The order that the options name; None where they name none."""
    name = options.get("order")
    order = next((order for order in ORDERS if order == name), None)
    if name is not None and order is None:
        raise UsageError(f"No order is called {name!r}. Possible: {', '.join(ORDERS)}.")
    return order


def order_of(name: str, scored: bool, ranked: bool, distances: bool, options: Mapping[str, object]) -> Order:
    """The order that the options name, or else what the source has: scores, ranks, or the order given.

    `distances` says that the source itself calls its scores distances; the options take precedence.
    """
    by = asked_order(options) or ("score" if scored else "rank" if ranked else "given")
    has = {"score": scored, "rank": ranked, "given": True}
    if not has[by]:
        possible = " or ".join(f"--order {other}" for other in ORDERS if has[other])
        raise UsageError(f"{name} has no {by}s to order by. Possible: {possible}.")
    lower = options.get("lower_is_better")
    if lower and by != "score":
        what = "its ranks" if by == "rank" else "the order it is given in"
        raise UsageError(f"{name} is read by {what}: --lower-is-better applies to scores only.")
    return Order(by=by, lower_is_better=by == "score" and bool(distances if lower is None else lower))
