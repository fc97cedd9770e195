"""Keys: the same id has the same number wherever it stands, and each without an id has its own."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.online.clicks.logs import page_parts as keys
from rankproof.online.clicks.logs.page_parts import digests, numbered


def test_numbers_are_in_the_order_of_first_appearance() -> None:
    assert numbered(digests(["b", "a", "b", "c", "a"])).tolist() == [0, 1, 0, 2, 1]


def test_each_without_an_id_has_a_number_of_its_own() -> None:
    assert numbered(digests([None, "a", None, "a", None])).tolist() == [0, 1, 2, 1, 3]


def test_ids_of_all_scripts_and_of_none() -> None:
    assert numbered(digests(["", "ß", "ss", "\udc80", ""])).tolist() == [0, 1, 2, 3, 0]
    assert numbered(digests([])).tolist() == []


def test_numbers_are_the_same_however_many_are_put_in_order_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 300 ids, some of them none: the number is the place among the ids in the order of first appearance."""
    ids = [None if one == 0 else str(one) for one in np.random.default_rng(1).integers(40, size=300).tolist()]
    known: dict[object, int] = {}
    expected = [known.setdefault(at if one is None else one, len(known)) for at, one in enumerate(ids)]
    for at_once in (1_000_000, 100, 1):
        monkeypatch.setattr(keys, "KEYS_AT_ONCE", at_once)
        assert numbered(digests(ids)).tolist() == expected
