"""Query sets: all, by the value of a column, and what was typed."""

from __future__ import annotations

from tests.raising import raises

from rankproof.errors import UnknownName
from rankproof.judging.preferences import find_set, query_sets, typed_query
from rankproof.reading.collection import Query

QUERIES = [
    Query("q1", "red shoes", {"kind": "plain", "=odd&": "1"}),
    Query("q2", "coat", {"kind": "brand/new"}),
    Query("q3", "hat"),
]


def test_all_queries_and_one_set_for_each_value() -> None:
    sets = query_sets(QUERIES)
    assert [(s.words, [q.query_id for q in s.queries]) for s in sets] == [
        ("All queries", ["q1", "q2", "q3"]),
        ("kind: brand/new", ["q2"]),
        ("kind: plain", ["q1"]),
        ("=odd&: 1", ["q1"]),
    ]
    assert [s.key for s in sets] == ["", "kind=brand/new", "kind=plain", "%3Dodd%26=1"]
    assert find_set(sets, "kind=plain").queries == (QUERIES[0],)
    with raises(UnknownName) as unknown:
        find_set(sets, "kind=none")
    assert (unknown.value.kind, unknown.value.name, unknown.value.near) == (
        "query set",
        "kind=none",
        ["kind=brand/new"],
    )


def test_a_column_with_a_value_for_each_query_is_no_set() -> None:
    many = [Query(str(n), "x", {"text": f"value {n}"}) for n in range(51)]
    assert [s.key for s in query_sets(many)] == [""]


def test_typed_queries_are_a_set_of_their_own() -> None:
    typed = typed_query("  green \n tea ", QUERIES)
    assert typed.text == "green tea"
    assert typed.query_id.startswith("typed:")
    assert typed_query("green tea", QUERIES) == typed
    assert typed_query("red  shoes", QUERIES) is QUERIES[0]
    sets = query_sets([*QUERIES, typed])
    assert len(sets[0].queries) == 3
    assert (sets[-1].key, sets[-1].queries) == ("typed", (typed,))
