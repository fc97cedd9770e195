"""Similarities of two short lists, for worked examples."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.measuring.similarities.contract import parse


def alike(similarity: str, a: Sequence[str], b: Sequence[str]) -> float | None:
    """The similarity of two rankings, to four places; None where it is undefined."""
    pairing = parse(similarity)[0]
    value = pairing.similarity.compare(a, b, pairing)
    return None if value is None else round(value, 4)
