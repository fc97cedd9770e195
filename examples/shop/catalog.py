"""Reads the catalog: products with their texts and the tags that the grading rules look at.

A product in `catalog/*.txt` is

    ## Title
    Brand | tag tag ...
    - bullet

    Description.

Tags never reach the corpus. They say what the product is (`skillet cast-iron 10-inch`) and what it belongs to
(`for-cast-iron`); the brand is the tag `by-...`.

Ids come from a hash of the title, and products are sorted by them: where ties are broken by id or by place, an order as
the catalog is written, products first and their accessories after them, would tell the grades.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
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


def read_product(block: str) -> Product:
    """The product written in one block, without its leading `## `."""
    head, _, description = block.strip().partition("\n\n")
    title, facts, *bullets = head.split("\n")
    brand, _, tags = facts.partition(" | ")
    if not (description and bullets and tags and all(line.startswith("- ") for line in bullets)):
        raise ValueError(f"{title!r} needs 'Brand | tags', bullets, an empty line and a description")
    return Product(
        doc_id=f"P{sha256(title.encode('utf-8')).hexdigest()[:6].upper()}",
        title=title,
        brand=brand,
        bullets=tuple(line.removeprefix("- ") for line in bullets),
        description=" ".join(description.split()),
        tags=frozenset([*tags.split(), f"by-{brand.lower()}"]),
    )


def read_catalog() -> tuple[Product, ...]:
    """All products, by id."""
    files = sorted((HERE / "catalog").glob("*.txt"))
    blocks = (block for file in files for block in f"\n{file.read_text('utf-8')}".split("\n## ")[1:])
    return tuple(sorted(map(read_product, blocks), key=lambda product: product.doc_id))
