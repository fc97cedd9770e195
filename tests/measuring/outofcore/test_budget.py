"""How much memory reading may take, and what is read in pieces because of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.measuring.run_sources import budget_of, in_pieces, may_be_large, piece_bytes


@pytest.mark.parametrize(
    ("said", "size"),
    [("512MB", 512 << 20), ("1.5 gb", 3 << 29), ("2GiB", 2 << 30), ("64", 64), ("3K", 3072), (100, 100)],
)
def test_sizes(said: int | str, size: int) -> None:
    assert budget_of(said) == size


@pytest.mark.parametrize("said", ["", "GB", "-1GB", "1XB", "0", 0, True])
def test_what_is_no_size(said: int | str) -> None:
    with raises(UsageError, repr(said), "512MB", "2GB"):
        budget_of(said)


def test_the_usual_budget_is_a_gigabyte_at_most() -> None:
    assert 0 < budget_of() <= 1 << 30


def test_when_a_file_is_read_in_pieces(tmp_path: Path) -> None:
    """With 1,600 bytes: text from 801 on, rows four times as dear from 201 on, packed files from 101 on."""
    assert [in_pieces(size, "text", 1600) for size in (800, 801)] == [False, True]
    assert [in_pieces(size, "rows", 1600) for size in (200, 201)] == [False, True]
    assert [in_pieces(size, "packed", 1600) for size in (100, 101)] == [False, True]
    assert piece_bytes(1600) == 100
    assert piece_bytes(3) == 1
    path = tmp_path / "a"
    path.write_bytes(b"x" * 101)
    assert may_be_large(path, 1600)
    assert not may_be_large(path, 1700)
    assert not may_be_large(tmp_path, 1)
    assert not may_be_large(tmp_path / "none", 1)
