"""Columns in files are like others, may be let go, and say so where there is no room."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.kernel import column_files as kept


def test_small_columns_are_in_memory_and_large_ones_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LARGE", 80)
    small, large = kept.zeros((3, 3), np.int64), kept.zeros((5, 2), np.int64)
    assert [kept.is_in_file(column) for column in (small, large, large[1:3], large[:, 1])] == [False, True, True, True]
    assert large.tolist() == [[0, 0]] * 5
    assert kept.put(small) is small
    assert kept.put(large) is large
    assert kept.is_in_file(kept.put(np.arange(10)))


def test_what_was_let_go_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of columns that begin and end anywhere: pages of memory have thousands of bytes."""
    monkeypatch.setattr(kept, "LARGE", 1)
    column = kept.zeros((9_000, 3), np.int64)
    column[:] = np.arange(27_000).reshape(-1, 3)
    kept.let_go(column[1_000:2_500], None, np.zeros(3), column[:0])
    kept.let_go(column)
    column[4_000] = -1
    kept.let_go(column[3_999:4_001])
    expected = np.arange(27_000).reshape(-1, 3)
    expected[4_000] = -1
    assert np.array_equal(column, expected)


@pytest.mark.parametrize("large", [0, 100, 2**24])
def test_a_spool_gives_back_what_was_put(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LARGE", large)
    monkeypatch.setattr(kept, "BLOCK", 64)
    put = [
        np.arange(6, dtype=np.int32).reshape(2, 3),
        np.array([True, False, True]),
        np.zeros((0, 2)),
        np.linspace(0, 1, 50),
        np.arange(10, dtype=np.uint64)[::3],
    ]
    spool = kept.Spool()
    again = [spool.put(array) for array in put]
    for _ in range(2):
        for array, get in zip(put, again, strict=True):
            assert np.array_equal(get(), array)
            assert (get().dtype, get().shape) == (array.dtype, array.shape)


def test_a_full_disk_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with raises(InputError, "32 MiB", os.strerror(errno.ENOSPC), "TMPDIR"):
        kept.zeros(2**22, np.float64)
