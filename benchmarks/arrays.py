"""Measures on matrices beside plain NumPy, scikit-learn and torchmetrics: a batch, as a training loop measures it.

    python benchmarks/arrays.py            all sizes; torchmetrics where it is installed
    python benchmarks/arrays.py --quick    small sizes only

Plain NumPy is what a person writes who wants nothing but the number: `np.argsort` of each row, the grades of the first
ten, their discounted sum, and the same for the sorted grades. It breaks ties by chance and refuses nothing. All are
given the same scores and grades 0 to 3 and give the same means; the script stops where they do not. scikit-learn is
measured with `ignore_ties=True`, its faster way. Times are processor time on one thread, which waiting for other
processes does not lengthen; contenders take turns, and the best of each one's repetitions counts. Ratios are to plain
NumPy.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rankproof.arrays

Matrix = NDArray[Any]
SIZES = ((8_000, 40), (1_000, 100), (10_000, 100), (1_000, 1_000))
K, REPEATS = 10, 15
ONE, BOTH = f"nDCG@{K}", f"nDCG@{K} RR@{K}"
FIVE = f"RR@{K} AP R@{K} P@{K} {ONE}"
# torchmetrics walks over the queries in Python: seconds, one repetition, and not for more queries than these.
MOST_SLOW = 8_000


def plain_ndcg(scores: Matrix, labels: Matrix) -> Matrix:
    """nDCG@10 as one writes it in NumPy: sort each row, gather, discount, divide by the ideal."""
    discount = 1 / np.log2(np.arange(2, K + 2))
    order = np.argsort(-scores, axis=1)[:, :K]
    gained = (np.take_along_axis(labels, order, axis=1) * discount).sum(axis=1)
    ideal = (-np.sort(-labels, axis=1)[:, :K] * discount).sum(axis=1)
    return np.divide(gained, ideal, out=np.zeros(len(scores)), where=ideal > 0)


def plain_rr(scores: Matrix, labels: Matrix) -> Matrix:
    """RR@10 in NumPy."""
    order = np.argsort(-scores, axis=1)[:, :K]
    relevant = np.take_along_axis(labels, order, axis=1) > 0
    return np.where(relevant.any(axis=1), 1 / (1 + relevant.argmax(axis=1)), 0.0)


def plain_both(scores: Matrix, labels: Matrix) -> Matrix:
    """nDCG@10 and RR@10 in NumPy, with one sort of the scores."""
    discount = 1 / np.log2(np.arange(2, K + 2))
    order = np.argsort(-scores, axis=1)[:, :K]
    first = np.take_along_axis(labels, order, axis=1)
    ideal = (-np.sort(-labels, axis=1)[:, :K] * discount).sum(axis=1)
    np.divide((first * discount).sum(axis=1), ideal, out=np.zeros(len(scores)), where=ideal > 0)
    relevant = first > 0
    return np.where(relevant.any(axis=1), 1 / (1 + relevant.argmax(axis=1)), 0.0)


def best(contenders: Mapping[str, Callable[[], object]], repeats: int = REPEATS) -> dict[str, float]:
    """Milliseconds of processor time of each one's fastest repetition; they take turns."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, call in contenders.items():
            began = time.process_time()
            call()
            times[name].append((time.process_time() - began) * 1000)
    return {name: min(taken) for name, taken in times.items()}


def measured(scores: Matrix, labels: Matrix, measures: str, **choices: Any) -> Matrix:
    """rankproof's values of the last measure, with undefined queries and population."""
    made = rankproof.arrays.evaluate(scores, labels, measures, threads=1, **choices)
    return list(made.values())[-1].values


def torchmetrics_mean(scores: Matrix, labels: Matrix) -> Callable[[], object] | None:
    """A call that gives torchmetrics' nDCG@10, or None where it is not installed."""
    try:
        import torch
        from torchmetrics.retrieval import RetrievalNormalizedDCG
    except ImportError:
        return None
    given = torch.tensor(scores).float().flatten(), torch.tensor(labels).flatten()
    torch.set_num_threads(1)
    indexes = torch.arange(len(scores)).repeat_interleave(scores.shape[1])
    return lambda: float(RetrievalNormalizedDCG(top_k=K)(*given, indexes=indexes))


def sizes(quick: bool) -> None:
    """nDCG@10 on matrices of several sizes, beside other tools."""
    from sklearn.metrics import ndcg_score

    head = ("plain NumPy", "rankproof.arrays", "five measures", "scikit-learn", "torchmetrics")
    print(f"nDCG@{K}, scores without ties:\n")
    print(f"| queries x candidates | {' | '.join(head)} |\n|{'---|' * (len(head) + 1)}")
    rng = np.random.default_rng(0)
    for queries, candidates in SIZES[:1] if quick else SIZES:
        scores = rng.permuted(np.tile(np.arange(candidates, dtype=np.float64), (queries, 1)), axis=1)
        labels = rng.choice(4, (queries, candidates), p=(0.9, 0.05, 0.03, 0.02))
        expected = plain_ndcg(scores, labels)
        assert np.allclose(measured(scores, labels, ONE), expected), "rankproof and NumPy differ"
        contenders: dict[str, Callable[[], object]] = {
            "plain NumPy": lambda s=scores, g=labels: plain_ndcg(s, g),  # type: ignore[misc]
            "rankproof.arrays": lambda s=scores, g=labels: measured(s, g, ONE),  # type: ignore[misc]
            "five measures": lambda s=scores, g=labels: measured(s, g, FIVE),  # type: ignore[misc]
            "scikit-learn": lambda s=scores, g=labels: ndcg_score(g, s, k=K, ignore_ties=True),  # type: ignore[misc]
        }
        assert np.isclose(expected.mean(), ndcg_score(labels, scores, k=K, ignore_ties=True)), "scikit-learn differs"
        times = best(contenders)
        theirs = torchmetrics_mean(scores, labels)
        if theirs is not None and queries <= MOST_SLOW:
            means: list[Any] = []
            times |= best({"torchmetrics": lambda t=theirs, m=means: m.append(t())}, 1)  # type: ignore[misc]
            assert np.isclose(expected.mean(), means[0], atol=1e-5), "torchmetrics differs"
        floor = times["plain NumPy"]
        cells = [f"{times[n]:.1f} ms ({times[n] / floor:.2f}x)" if n in times else "not measured" for n in head]
        print(f"| {queries:,} x {candidates:,} | {' | '.join(cells)} |", flush=True)


def kinds() -> None:
    """The same on other data, of the first size."""
    queries, candidates = SIZES[0]
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(queries, candidates))
    labels = rng.choice(4, scores.shape, p=(0.9, 0.05, 0.03, 0.02))
    mask = rng.random(scores.shape) < 0.8
    cases: dict[str, tuple[Callable[[], Matrix], Callable[[], Matrix]]] = {
        "nDCG@10": (lambda: plain_ndcg(scores, labels), lambda: measured(scores, labels, ONE)),
        "RR@10": (lambda: plain_rr(scores, labels), lambda: measured(scores, labels, f"RR@{K}")),
        "nDCG@10 RR@10": (lambda: plain_both(scores, labels), lambda: measured(scores, labels, BOTH)),
        "both, padding": (
            lambda: plain_both(np.where(mask, scores, -np.inf), np.where(mask, labels, 0)),
            lambda: measured(scores, labels, BOTH, mask=mask),
        ),
    }
    as_floats, short = scores.astype(np.float32), labels.astype(np.int32)
    cases["both, 32-bit scores and grades"] = (
        lambda: plain_both(as_floats, short),
        lambda: measured(as_floats, short, BOTH),
    )
    for theirs, ours in cases.values():
        assert np.allclose(theirs(), ours()), "rankproof and NumPy differ"
    tied = np.round(scores, 1)  # whose order NumPy leaves to chance
    cases["both, ties"] = (lambda: plain_both(tied, labels), lambda: measured(tied, labels, BOTH))
    print(f"\n{queries:,} x {candidates}, other measures and data:\n")
    print("| | plain NumPy | rankproof.arrays |\n|---|---|---|")
    for name, (theirs, ours) in cases.items():
        times = best({"theirs": theirs, "ours": ours})
        ratio = times["ours"] / times["theirs"]
        print(f"| {name} | {times['theirs']:.1f} ms | {times['ours']:.1f} ms ({ratio:.2f}x) |", flush=True)


def main() -> None:
    """Prints two Markdown tables and the versions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    given = parser.parse_args()
    sizes(given.quick)
    kinds()
    versions = [f"{name} {sys.modules[name].__version__}" for name in VERSIONS if name in sys.modules]
    if "torchmetrics" not in sys.modules:
        print("\ntorchmetrics is not installed here: pip install torch torchmetrics, in an environment of its own.")
    print(f"\nPython {sys.version.split()[0]}, {', '.join(versions)}")


VERSIONS = ("numpy", "sklearn", "torch", "torchmetrics")

if __name__ == "__main__":
    main()
