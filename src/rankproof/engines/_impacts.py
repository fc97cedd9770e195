"""Impacts: what a term in a document adds to its score, in five forms of BM25."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.engines._counts import Counts

VARIANTS = ("lucene", "robertson", "atire", "bm25l", "bm25+")


def impacts(counts: Counts, variant: str, k1: float, b: float, delta: float) -> NDArray[np.float64]:
    """The part of the sum over terms that each occurrence makes, by table 1 of Kamphuis et al. (2020).

    BM25L and BM25+ add over the terms that query and document share, as Lv and Zhai define them: a term that a
    document lacks adds nothing.
    """
    n = len(counts.length)
    tf = counts.often
    mean = float(counts.length.sum()) / max(n, 1)
    # 1 - b + b L / mean: a document of mean length has 1.
    long = 1 - b + b * counts.length[counts.doc] / mean
    df = np.diff(counts.start)
    if variant == "bm25l":
        c = tf / long + delta
        part = (k1 + 1) * c / (k1 + c)
    elif variant == "bm25+":
        part = (k1 + 1) * tf / (k1 * long + tf) + delta
    elif variant == "atire":
        part = (k1 + 1) * tf / (k1 * long + tf)
    else:
        part = tf / (k1 * long + tf)
    return part * np.repeat(_rarity(df, n, variant), df)


def _rarity(df: NDArray[np.int64], n: int, variant: str) -> NDArray[np.float64]:
    """Inverse document frequency. Robertson's is 0 and not negative for a term in more than half of the documents."""
    rarity: NDArray[np.float64]
    if variant == "lucene":
        rarity = np.log(1 + (n - df + 0.5) / (df + 0.5))
    elif variant == "robertson":
        rarity = np.log(np.maximum((n - df + 0.5) / (df + 0.5), 1))
    elif variant == "atire":
        rarity = np.log(n / df)
    else:
        rarity = np.log((n + 1) / (df + 0.5 if variant == "bm25l" else df))
    return rarity
