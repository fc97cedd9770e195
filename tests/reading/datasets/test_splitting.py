"""Splitting: balanced, without leaks, the same every time."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.datasets.records import Dataset
from rankproof.reading.datasets.split import split, with_splits
from rankproof.reading.datasets.survey import survey


def made(kinds: dict[str, int], same: int = 1) -> Dataset:
    """So many queries of each kind; every `same` in a row have one text."""
    queries = [
        Query(f"{kind}{i}", f"{kind} number {i // same}", {"kind": kind, "half": str(i % 2)})
        for kind, size in kinds.items()
        for i in range(size)
    ]
    qrels = read_qrels({query.query_id: {"d1": 1} for query in queries})
    return Dataset("made", Corpus(("d1",), {"text": ("words",)}), tuple(queries), qrels)


def sizes(parts: dict[str, Dataset], column: str = "kind") -> dict[str, Counter[str]]:
    return {name: Counter(query.columns[column] for query in part.queries) for name, part in parts.items()}


def test_each_kind_is_halved_and_odd_ones_even_out() -> None:
    # 5, 3 and 1 are odd: three halves left over, which do not all go to the first part. 9 make 5 and 4.
    parts = split(made({"a": 5, "b": 3, "c": 1, "d": 4}), {"dev": 0.5, "test": 0.5}, by=("kind",))
    counts = sizes(parts)
    assert {name: part.total() for name, part in counts.items()} == {"dev": 7, "test": 6}
    for kind, size in {"a": 5, "b": 3, "c": 1, "d": 4}.items():
        assert abs(counts["dev"][kind] - size / 2) < 1
    assert counts["dev"] + counts["test"] == Counter({"a": 5, "b": 3, "c": 1, "d": 4})


def test_three_parts_and_two_columns() -> None:
    parts = split(made({"a": 60, "b": 30}), {"train": 0.6, "dev": 0.2, "test": 0.2}, by=("kind", "half"))
    # 60 of a: 30 in each half, of which 18, 6 and 6; 30 of b: 15 in each half, of which 9, 3 and 3.
    assert sizes(parts) == {"train": {"a": 36, "b": 18}, "dev": {"a": 12, "b": 6}, "test": {"a": 12, "b": 6}}
    assert sizes(parts, "half")["dev"] == {"0": 9, "1": 9}


def test_numbers_of_queries_leave_the_rest_out() -> None:
    whole = made({"a": 50, "b": 50})
    parts = split(whole, {"dev": 10, "test": 40}, by=("kind",))
    assert sizes(parts) == {"dev": {"a": 5, "b": 5}, "test": {"a": 20, "b": 20}}
    both = with_splits(whole, parts)
    assert {name: len(ids) for name, ids in both.splits.items()} == {"dev": 10, "test": 40}
    assert "50 queries are in no split" in both.notes


def test_queries_with_one_text_stay_together() -> None:
    whole = made({"a": 90, "b": 60}, same=3)
    parts = split(whole, {"dev": 0.5, "test": 0.5}, by=("kind",))
    texts = {name: {query.text for query in part.queries} for name, part in parts.items()}
    assert not texts["dev"] & texts["test"]
    assert sizes(parts) == {"dev": {"a": 45, "b": 30}, "test": {"a": 45, "b": 30}}
    assert survey(with_splits(whole, parts)).leaks == ()


def test_the_same_seed_gives_the_same_parts_whatever_the_order() -> None:
    whole = made({"a": 40, "b": 40})
    turned = Dataset("turned", whole.corpus, whole.queries[::-1], whole.qrels)
    halves = {"dev": 0.5, "test": 0.5}
    first, second = split(whole, halves, ("kind",)), split(turned, halves, ("kind",))
    assert {name: part.content_hash for name, part in first.items()} == {
        name: part.content_hash for name, part in second.items()
    }
    other = split(whole, halves, ("kind",), seed=1)
    assert other["dev"].content_hash != first["dev"].content_hash
    # Chance does decide: about half of one dev is in the other.
    common = {q.query_id for q in first["dev"].queries} & {q.query_id for q in other["dev"].queries}
    assert 10 < len(common) < 30


def test_only_queries_that_can_be_asked_and_scored_are_shared_out() -> None:
    whole = made({"a": 4})
    more = (*whole.queries, Query("silent", "never judged"), Query("mute", ""))
    qrels = read_qrels({**{q.query_id: {"d1": 1} for q in whole.queries}, "mute": {"d1": 1}})
    parts = split(Dataset("more", whole.corpus, more, qrels), {"dev": 0.5, "test": 0.5})
    assert sorted(q.query_id for part in parts.values() for q in part.queries) == ["a0", "a1", "a2", "a3"]


@pytest.mark.parametrize(
    ("parts", "values"),
    [
        ({"dev": 0.7, "test": 0.5}, ["shares", "1.2"]),
        ({"dev": 3, "test": 8}, ["11", "10"]),
        ({"dev": 0.5, "test": 5}, ["Parts", "shares", "0.5", "50"]),
        ({"dev": 0.0}, ["dev=0.0", "share"]),
        ({"dev": 2.5}, ["dev=2.5", "share"]),
        ({"../dev": 0.5}, ["'../dev'", "name"]),
        ({"all": 0.5}, ["'all'", "name"]),
        ({"dev": 0.01, "test": 0.99}, ["'dev'", "10"]),
        ({}, ["part", "dev=0.5"]),
    ],
)
def test_what_cannot_be_shared_out_so(parts: dict[str, float], values: list[str]) -> None:
    with raises(UsageError, *values):
        split(made({"a": 10}), parts)


def test_a_column_that_is_not_there() -> None:
    with raises(UnknownName) as unknown:
        split(made({"a": 4}), {"dev": 0.5, "test": 0.5}, by=("knd",))
    assert (unknown.value.name, unknown.value.near) == ("knd", ["kind"])
