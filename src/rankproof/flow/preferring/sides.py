"""Sides: which variant stands where, by chance for the judge and the same each time the query is opened."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256


def shuffled(variants: Iterable[str], judge: str, query_id: str, seed: int = 0) -> tuple[str, ...]:
    """The variants in the order of a hash of judge, query, seed and name.

    Every order is equally likely, none follows from another query's, and nothing has to be kept: the page and what is
    sent from it find the same sides. The order in which the variants are named does not matter.

    >>> shuffled(["bm25", "dense"], "ann", "q1") == shuffled(["dense", "bm25"], "ann", "q1")
    True
    """
    return tuple(sorted(variants, key=lambda name: (_place(name, judge, query_id, seed), name)))


def _place(name: str, judge: str, query_id: str, seed: int) -> bytes:
    parts = ("rankproof sides 1", str(seed), judge, query_id, name)
    text = "".join(f"{len(part)} {part}\n" for part in parts)
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
