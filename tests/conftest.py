"""What all tests share: which of them `make check` leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent

# Minutes of random examples against other tools and plain references: run by `make test`.
SLOW = ("against", "contracts/test_measures.py", "documents/test_adding.py", "measuring/test_ties.py", "hostile")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of the folders and files above as slow."""
    for item in items:
        if item.path.is_relative_to(HERE) and item.path.relative_to(HERE).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)
