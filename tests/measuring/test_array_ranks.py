"""Matrices ranked by the core: each row in its plain order, by whatever way of ranking, on any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.raising import raises

import rankproof
import rankproof.arrays
from rankproof.core import join_arrays
from rankproof.errors import UsageError

# 1 and 2 are the least; up to 64 documents are compared each with each; more are packed; 16 first ones are few.
WIDTHS = [1, 2, 7, 8, 9, 40, 63, 64, 65, 150]
DEPTHS = [0, 1, 3, 10, 16, 17, 200]


def _scores(kind: str, rows: int, columns: int, rng: np.random.Generator) -> NDArray[Any]:
    scores: NDArray[Any] = rng.normal(size=(rows, columns))
    if kind == "one score":
        scores[:] = 0.25
    if kind == "ties":
        scores = np.round(scores)  # with both zeros
    if kind == "last bits":
        # Neighbors among floats: all but the last bits are the same, and some are ties.
        scores = 0.7 + rng.integers(0, 40, scores.shape) * np.spacing(0.7)
    if kind == "upper halves":
        # The upper 32 bits are the same in all, the others are not.
        scores = 1.0 + rng.integers(0, 2**20, scores.shape) * 2.0**-40
    if kind == "extremes":
        scores = rng.choice([1.7e308, -1.7e308, 5e-324, -5e-324, 0.0, -0.0, 1.0, -1.0], scores.shape)
    if kind in ("float32", "float32 last bits"):
        scores = scores.astype(np.float32)
    if kind == "float32 last bits":
        near = np.float32(0.7) + rng.integers(0, 9, scores.shape).astype(np.float32) * np.spacing(np.float32(0.7))
        scores = near.astype(np.float32)
    return scores


KINDS = ["random", "one score", "ties", "last bits", "upper halves", "extremes", "float32", "float32 last bits"]


def _plain(
    scores: NDArray[Any], labels: NDArray[np.int32], cells: NDArray[np.uint8] | None, ties: str, precision: str,
    lower: bool, depth: int,
) -> tuple[list[list[int]], list[list[tuple[int, ...]]]]:  # fmt: skip
    """Grades of each pool, and (rank, first and last of the tie, place in the query's pool), by Python's own sort."""
    pools, tables = [], []
    for q in range(len(scores)):
        row = np.full(scores.shape[1], 3, dtype=np.uint8) if cells is None else cells[q]
        pool = sorted((c for c in range(len(row)) if row[c] & 2), key=lambda c: (-int(labels[q, c]), c))
        keys = scores[q].astype(np.float32).astype(float) if precision == "float32" else scores[q].astype(float)
        key = {c: float(keys[c]) if lower else -float(keys[c]) for c in range(len(row)) if row[c] & 1}
        ranking = sorted(key, key=lambda c: (key[c], -c if ties == "id_descending" else c))
        placed = []
        for rank, c in enumerate(ranking[: depth or None], 1):
            if row[c] & 2:
                first = sum(other < key[c] for other in key.values()) + 1
                last = sum(other <= key[c] for other in key.values())
                placed.append((rank, first, last, pool.index(c)))
        pools.append([int(labels[q, c]) for c in pool])
        tables.append(placed)
    return pools, tables


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", WIDTHS)
def test_every_row_has_the_plain_order_with_its_ties(kind: str, columns: int) -> None:
    rng = np.random.default_rng([KINDS.index(kind), columns])
    for case in range(14):
        depth, lower = DEPTHS[case % 7], bool(rng.integers(2))
        ties = str(rng.choice(["id_descending", "id_ascending"]))
        precision = str(rng.choice(["float64", "float64", "float32"]))
        scores = _scores(kind, 4, columns, rng)
        if precision == "float32" and kind == "extremes":
            scores = np.clip(scores, -1e30, 1e30)
        grades = rng.choice([0, 0, 0, 0, 1, 2] if case % 3 else [-2, 0, 7, 1000], scores.shape).astype(np.int32)
        cells = rng.integers(0, 4, scores.shape).astype(np.uint8) if case >= 7 else None
        start, grade, joined = join_arrays(scores, grades, cells, "score", ties, precision, lower, depth)
        pools, tables = _plain(scores, grades, cells, ties, precision, lower, depth)
        for q in range(len(scores)):
            rows = slice(joined.start[q], joined.start[q + 1])
            placed = zip(
                joined.rank[rows].tolist(), joined.tie_first[rows].tolist(), joined.tie_last[rows].tolist(),
                (joined.doc[rows] - start[q]).tolist(), strict=True,
            )  # fmt: skip
            assert grade[start[q] : start[q + 1]].tolist() == pools[q]
            assert list(placed) == tables[q], (case, q)
        retrieved = np.full(len(scores), columns) if cells is None else ((cells & 1) != 0).sum(axis=1)
        assert joined.retrieved.tolist() == retrieved.tolist()
        assert joined.in_run.tolist() == (retrieved > 0).tolist()


@pytest.mark.parametrize("masked", [False, True])
def test_no_number_of_threads_changes_a_value(masked: bool) -> None:
    """The matrix is large enough to be shared out in several parts, of which the last is smaller."""
    rng = np.random.default_rng(4)
    scores = np.round(rng.normal(size=(7_001, 31)), 1)
    labels = rng.choice(4, scores.shape, p=(0.9, 0.05, 0.03, 0.02))
    mask = rng.random(scores.shape) < 0.7 if masked else None
    one = rankproof.arrays.evaluate(scores, labels, "nDCG@10 RR AP", mask=mask, threads=1)
    for threads in (2, 3, 64, 0):
        many = rankproof.arrays.evaluate(scores, labels, "nDCG@10 RR AP", mask=mask, threads=threads)
        for text in one:
            assert np.array_equal(many[text].values, one[text].values), (threads, text)
            assert many[text].mean == one[text].mean
    with raises(UsageError, -1, 1024):
        rankproof.arrays.evaluate(scores, labels, "RR", threads=-1)


@pytest.mark.parametrize("threads", [1, 2, 0])
def test_scores_that_are_no_numbers_are_counted_in_every_part(threads: int) -> None:
    scores = np.zeros((9_000, 30))
    scores[5, 3] = scores[8_999, 29] = np.nan
    scores[4_000, 7] = -np.inf
    _, _, joined = join_arrays(
        scores, np.zeros(scores.shape, dtype=np.int32), None, "score", "id_ascending", "float64", False, 10, threads
    )
    assert (joined.faults["nan_score"], joined.faults["infinite_score"]) == (2, 1)


@pytest.mark.parametrize("columns", [40, 150])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_of_any_bits_are_ranked_without_harm(kind: Any, columns: int) -> None:
    """Not a number has many forms, one with all bits set: rows of them are refused, but only after they are ranked."""
    bits = np.random.default_rng(2).integers(0, 256, (200, columns, kind().itemsize), dtype=np.uint8)
    bits[::2] = 255
    scores = bits.view(kind)[..., 0]
    wrong = int((~np.isfinite(scores)).sum())
    for ties in ("id_descending", "id_ascending"):
        for depth in (0, 1, 10, 20):
            labels = np.zeros(scores.shape, dtype=np.int32)
            _, _, joined = join_arrays(scores, labels, None, "score", ties, "float64", False, depth)
            assert joined.faults["nan_score"] + joined.faults["infinite_score"] == wrong
            placed = joined.doc.reshape(len(scores), -1) - np.arange(len(scores))[:, None] * columns
            assert all(len(set(row)) == len(row) and 0 <= min(row) <= max(row) < columns for row in placed.tolist())


def test_matrices_of_other_shapes_do_not_reach_the_core() -> None:
    scores, labels = np.zeros((2, 3)), np.zeros((2, 3), dtype=np.int32)
    for wrong in ((labels[:1], None), (labels[:, :2].copy(), None), (labels, np.zeros((3, 3), dtype=np.uint8))):
        with pytest.raises(ValueError, match="shape"):
            join_arrays(scores, *wrong, "score", "id_descending", "float64", False)


def test_the_ideal_of_pools_of_one_size_is_that_of_others() -> None:
    """Grades of such pools are read as a matrix, others one by one: no bit of nDCG may tell which."""
    rng = np.random.default_rng(8)
    qrels = {f"q{q}": {f"d{d:02}": int(rng.integers(0, 4)) for d in range(23)} for q in range(40)}
    run = {query: {doc: float(rng.normal()) for doc in docs} for query, docs in qrels.items()}
    measures = "nDCG@10 nDCG(gain=exp2)@10 nDCG(discount=jk2002)@5 nDCG(rel=2)@20 nDCG@100 nDCG(gain={1:5,2:1})@10"
    same = rankproof.evaluate(qrels, run, measures)
    uneven = rankproof.evaluate({**qrels, "more": {"d00": 1}}, {**run, "more": {"d00": 1.0}}, measures)
    for text in same:
        values = dict(uneven[text].by_query)
        del values["more"]
        assert values == same[text].by_query, text
