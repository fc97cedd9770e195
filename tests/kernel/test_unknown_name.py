"""What an unknown name is answered with: what was probably meant, all of a few names, or the nearest of many."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import UnknownName
from rankproof.kernel import shelf
from rankproof.measuring.names import parse

MANY = [f"measure_{i}" for i in range(200)]


def test_a_near_name_is_offered_alone() -> None:
    error = UnknownName("measure", "ndgc", ["nDCG", "AP", "RR", *MANY])
    assert (error.near, "Did you mean 'nDCG'?" in str(error)) == (["nDCG"], True)
    assert "AP" not in str(error)


def test_a_few_names_are_listed_and_many_are_not() -> None:
    few = UnknownName("order", "zzz", ["given", "rank", "score"])
    assert all(name in str(few) for name in ("given", "rank", "score"))
    many = UnknownName("measure", "qq", [*MANY, "NumQ"], "`rankproof explain measures` lists all.")
    assert many.near == []
    assert "NumQ" in str(many)
    assert len(str(many).split(",")) == 3
    assert str(many).endswith("`rankproof explain measures` lists all.")


@pytest.mark.parametrize("known", [9, 30, 170])
def test_nine_names_are_too_many_to_list(known: int) -> None:
    assert str(UnknownName("measure", "zzz", MANY[:known])).count("measure_") == 3


def test_a_shelf_says_where_all_its_names_are_listed() -> None:
    with raises(UnknownName, "zzz", "rankproof explain measures"):
        parse("zzz@10")
    with raises(UnknownName, "zzz", "rankproof explain dialects"):
        shelf.find("dialects", "zzz")
