"""Jaccard similarity: how much of what the first k documents of two rankings hold is the same.

Documents in both, over documents in either; order does not matter. A ranking with fewer than k documents
counts with those it has; without a cutoff, whole rankings count.

range: 0 to 1
undefined: both rankings are empty
source: Jaccard, The distribution of the flora in the alpine zone, New Phytologist 11(2), 1912

>>> from rankproof.testing import alike
>>> alike("Jaccard@3", ["a", "b", "c", "d"], ["b", "a", "e", "c"])
0.5
"""

from __future__ import annotations

from rankproof.measuring.similarities.contract import Pairing, Ranking, Similarity


def jaccard(a: Ranking, b: Ranking, pairing: Pairing) -> float | None:
    """Common documents over all documents."""
    first, second = set(a[: pairing.k]), set(b[: pairing.k])
    either = first | second
    return len(first & second) / len(either) if either else None


OFFERS = (
    Similarity(
        name="Jaccard",
        page=__doc__,
        compare=jaccard,
        cutoff="optional",
        spellings=("jaccard",),
    ),
)
