"""What an unknown name is answered with: what was probably meant, all of a few names, or the nearest of many."""

from __future__ import annotations

from rankproof.errors import UnknownName

MANY = [f"measure_{i}" for i in range(200)]


def test_a_near_name_is_offered_alone() -> None:
    error = UnknownName("measure", "ndgc", ["nDCG", "AP", "RR", *MANY])
    assert (error.near, "Did you mean 'nDCG'?" in str(error)) == (["nDCG"], True)
    assert "AP" not in str(error)


def test_a_few_names_are_listed_and_many_are_not() -> None:
    few = UnknownName("order", "zzz", ["given", "rank", "score"])
    assert all(name in str(few) for name in ("given", "rank", "score"))
    many = UnknownName("measure", "qq", [*MANY, "NumQ"])
    assert many.near == []
    assert "NumQ" in str(many)
    assert len(str(many).split(",")) <= 5
