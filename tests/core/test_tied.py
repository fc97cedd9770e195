"""Orders of tied documents from the core are those of NumPy, to the last draw."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.core import by_rank, random_orders


@pytest.mark.parametrize(("size", "kept"), [(1, 1), (2, 1), (3, 3), (33, 2), (50, 5), (64, 64), (65, 7), (1000, 3)])
def test_random_orders_are_those_of_permuted(size: int, kept: int) -> None:
    ours, numpys = np.random.default_rng(5), np.random.default_rng(5)
    found = random_orders(ours.bit_generator.capsule, 40, size, kept).reshape(40, kept)
    places = np.tile(np.arange(size, dtype=np.int32), (40, 1))
    assert np.array_equal(found, numpys.permuted(places, axis=1)[:, :kept])
    assert ours.random() == numpys.random()


@pytest.mark.parametrize(("rows", "ranks"), [(1, 1), (5, 5), (5, 50), (50, 50), (3, 100_000)])
def test_rows_by_rank_are_those_of_a_stable_sort(rows: int, ranks: int) -> None:
    rng = np.random.default_rng(1)
    rank = np.concatenate([rng.choice(ranks, rows, replace=False) for _ in range(30)] + [[7, 3, 7, 3]]).astype(np.int32)
    start = np.append(np.arange(31) * rows, 30 * rows + 4)
    query = np.repeat(np.arange(31), np.diff(start))
    assert np.array_equal(by_rank(start, rank), np.lexsort((rank, query)))


def test_columns_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="ranks"):
        by_rank(np.array([0, 3]), np.array([1], dtype=np.int32))
    with pytest.raises(ValueError, match="kept"):
        random_orders(np.random.default_rng(0).bit_generator.capsule, 1, 2, 3)
