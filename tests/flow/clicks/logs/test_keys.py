"""Keys: the same id has the same number wherever it stands, and each without an id has its own."""

from __future__ import annotations

from rankproof.flow.clicks.logs.keys import digests, numbered


def test_numbers_are_in_the_order_of_first_appearance() -> None:
    assert numbered(digests(["b", "a", "b", "c", "a"])).tolist() == [0, 1, 0, 2, 1]


def test_each_without_an_id_has_a_number_of_its_own() -> None:
    assert numbered(digests([None, "a", None, "a", None])).tolist() == [0, 1, 2, 1, 3]


def test_ids_of_all_scripts_and_of_none() -> None:
    assert numbered(digests(["", "ß", "ss", "\udc80", ""])).tolist() == [0, 1, 2, 3, 0]
    assert numbered(digests([])).tolist() == []
