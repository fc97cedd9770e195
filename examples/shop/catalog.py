"""Reads the hand-written catalog: products with their texts and the tags that the grading rules look at.

A product in `catalog/*.txt` is

    ## Title
    Brand | tag tag ...
    - bullet

    Description.

Tags never reach the corpus. They say what the product is (`skillet cast-iron 10-inch`) and what it belongs to
(`for-cast-iron`); the brand is the tag `by-...`, and a product's id is a tag as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Product:
    """One product of the shop."""

    doc_id: str
    title: str
    brand: str
    bullets: tuple[str, ...]
    description: str
    tags: frozenset[str]


def read_product(doc_id: str, block: str) -> Product:
    """The product written in one block, without its leading `## `."""
    head, _, description = block.strip().partition("\n\n")
    title, facts, *bullets = head.split("\n")
    brand, _, tags = facts.partition(" | ")
    if not (description and bullets and tags and all(line.startswith("- ") for line in bullets)):
        raise ValueError(f"{doc_id} ({title!r}) needs 'Brand | tags', bullets, an empty line and a description")
    return Product(
        doc_id=doc_id,
        title=title,
        brand=brand,
        bullets=tuple(line.removeprefix("- ") for line in bullets),
        description=" ".join(description.split()),
        tags=frozenset([*tags.split(), f"by-{brand.lower()}", doc_id]),
    )


def read_catalog() -> tuple[Product, ...]:
    """All products, in order. `P0307` is the seventh product of the file whose name starts with 03."""
    return tuple(
        read_product(f"P{file.name[:2]}{place:02d}", block)
        for file in sorted((HERE / "catalog").glob("*.txt"))
        for place, block in enumerate(f"\n{file.read_text('utf-8')}".split("\n## ")[1:], start=1)
    )
