"""Grades products for a query by the rules that stand beside it in `queries/*.toml`.

A rule is a list of tag expressions: `"skillet cast-iron"` holds for a product that has both tags, `"bulb -decorative"`
for one that has the first and lacks the second. A product gets the highest grade one of whose expressions holds:
3 exact, 2 substitute, 1 complement, and 0 where none does. The README of the sample says how the rules were chosen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Set
from dataclasses import dataclass

from examples.shop.catalog import HERE, Product

KINDS = ("exact", "attribute", "vague", "misspelled", "brand", "complement")
GRADES = {"exact": 3, "substitute": 2, "complement": 1}


@dataclass(frozen=True, slots=True)
class ShopQuery:
    """What a shopper types, its kind, and which products deserve which grade, highest grade first."""

    query_id: str
    text: str
    kind: str
    rules: tuple[tuple[int, tuple[str, ...]], ...]


def holds(expression: str, tags: Set[str]) -> bool:
    """Whether a product with these tags meets the expression."""
    return all((word[1:] not in tags) if word.startswith("-") else (word in tags) for word in expression.split())


def grade(query: ShopQuery, product: Product) -> int:
    """The grade of the product for the query, 0 to 3."""
    return next(
        (value for value, expressions in query.rules if any(holds(text, product.tags) for text in expressions)), 0
    )


def read_queries() -> tuple[ShopQuery, ...]:
    """All queries, kind by kind."""
    written = [
        (kind, entry)
        for kind in KINDS
        for entry in tomllib.loads((HERE / "queries" / f"{kind}.toml").read_text("utf-8"))["query"]
    ]
    return tuple(
        ShopQuery(
            query_id=f"q{place:02d}",
            text=entry["text"],
            kind=kind,
            rules=tuple((value, tuple(entry.get(name, ()))) for name, value in GRADES.items()),
        )
        for place, (kind, entry) in enumerate(written, start=1)
    )
