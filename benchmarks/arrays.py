"""Measures on matrices beside plain NumPy and scikit-learn: nDCG@10 of a batch, as a training loop computes it.

    python benchmarks/arrays.py            three sizes, the best of five repetitions each
    python benchmarks/arrays.py --quick    small sizes only

All are given the same scores (no two equal in a row) and grades 0 to 3, and give the same numbers; the script stops
where they do not. scikit-learn is measured with `ignore_ties=True`, its faster way. Ratios are of one run of it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import rankproof.arrays

Matrix = NDArray[np.float64]
Grades = NDArray[np.int64]
SIZES = ((1_000, 100), (10_000, 100), (1_000, 1_000))
QUICK = SIZES[:1]
K, REPEATS = 10, 5


def plain(scores: Matrix, labels: Grades) -> Matrix:
    """nDCG@10 as one writes it in NumPy: sort each row, gather, discount, divide by the ideal."""
    discount = 1 / np.log2(np.arange(2, K + 2))
    order = np.argsort(-scores, axis=1)[:, :K]
    gained = (np.take_along_axis(labels, order, axis=1) * discount).sum(axis=1)
    ideal = (-np.sort(-labels, axis=1)[:, :K] * discount).sum(axis=1)
    return np.divide(gained, ideal, out=np.zeros(len(scores)), where=ideal > 0)


def ours(scores: Matrix, labels: Grades) -> Matrix:
    """The same with its fine print, undefined queries and population."""
    return rankproof.arrays.evaluate(scores, labels, f"nDCG@{K}")[f"nDCG@{K}"].values


def five(scores: Matrix, labels: Grades) -> Matrix:
    """Five measures at once: the ranking is joined with the grades once."""
    made = rankproof.arrays.evaluate(scores, labels, f"nDCG@{K} RR@{K} AP R@{K} P@{K}")
    return made[f"nDCG@{K}"].values


def best_of(call: Callable[[], object]) -> float:
    """Seconds of the fastest repetition."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    given = parser.parse_args()
    from sklearn.metrics import ndcg_score

    print("| queries x candidates | rankproof.arrays, nDCG@10 | five measures | plain NumPy | scikit-learn |")
    print("|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    for queries, candidates in QUICK if given.quick else SIZES:
        scores = rng.permuted(np.tile(np.arange(candidates, dtype=np.float64), (queries, 1)), axis=1)
        labels = rng.choice(4, (queries, candidates), p=(0.9, 0.05, 0.03, 0.02))
        expected = plain(scores, labels)
        mean = ndcg_score(labels, scores, k=K, ignore_ties=True)
        assert np.allclose(ours(scores, labels), expected), "rankproof and NumPy differ"
        assert np.isclose(expected.mean(), mean), "scikit-learn and NumPy differ"
        first = best_of(lambda s=scores, g=labels: ours(s, g))  # type: ignore[misc]
        rows = (
            best_of(lambda s=scores, g=labels: five(s, g)),  # type: ignore[misc]
            best_of(lambda s=scores, g=labels: plain(s, g)),  # type: ignore[misc]
            best_of(lambda s=scores, g=labels: ndcg_score(g, s, k=K, ignore_ties=True)),  # type: ignore[misc]
        )
        cells = [f"{seconds * 1000:.1f} ms ({seconds / first:.1f}x)" for seconds in rows]
        print(f"| {queries:,} x {candidates:,} | {first * 1000:.1f} ms | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
