"""What answers said of documents, in the store: shown pair by pair, added once, and never other than judges saw it."""

from __future__ import annotations

from tests.judging.store.acts import graded

from rankproof.judging.store.hits import HitsAdded
from rankproof.judging.store.store import Store
from rankproof.reading.hit_documents import HitDocuments

SAID = HitDocuments.of(
    [
        ("q1", "a", {"title": "A", "price": "1", "snippet": "of q1"}),
        ("q2", "a", {"title": "A", "price": "2", "snippet": "of q2"}),
        ("q2", "b", {"title": "B"}),
    ]
)
RANKED = {"q1": ["a"], "q2": ["a", "b"], "q3": ["a", "unknown"]}


def test_each_pair_is_shown_as_its_query_saw_it(store: Store) -> None:
    assert store.hits.add("shop", SAID, RANKED) == HitsAdded(2, ())
    assert store.hits.add("shop", SAID, RANKED) == HitsAdded(0, ())
    shown = store.hits.shown("shop", [("q2", "b"), ("q1", "a"), ("q2", "a"), ("q3", "a"), ("q3", "unknown")])
    assert list(shown) == [("q2", "b"), ("q1", "a"), ("q2", "a"), ("q3", "a")]
    assert shown["q1", "a"] == {"title": "A", "price": "1", "snippet": "of q1"}
    assert shown["q2", "a"] == {"title": "A", "price": "2", "snippet": "of q2"}
    assert shown["q3", "a"] == {"title": "A", "price": "1"}  # a snippet is never another query's
    assert store.hits.of_query("shop", "q2", ["b", "a"])["b"] == {"title": "B"}


def test_what_judges_saw_stays_and_is_told(store: Store) -> None:
    store.hits.add("shop", SAID, RANKED)
    store.judgments.add("shop", graded(2, query_id="q3", doc_id="a"))
    later = HitDocuments.of(
        [(query, "a", {"title": "A, now cheaper", "price": "0"}) for query in ("q1", "q3", "q4")]
        + [("q2", "b", {"title": "B"})]
    )
    ranked = {"q1": ["a"], "q2": ["b"], "q3": ["a"], "q4": ["a"]}
    # q1 has its own row, q3 was judged; nobody has seen the document for q4.
    assert store.hits.add("shop", later, ranked) == HitsAdded(0, (("q1", "a"), ("q3", "a")))
    shown = store.hits.shown("shop", [(query, "a") for query in ("q1", "q3", "q4")])
    assert shown["q1", "a"]["title"] == "A"
    assert shown["q3", "a"] == {"title": "A", "price": "1"}
    assert shown["q4", "a"] == {"title": "A, now cheaper", "price": "0"}
    assert store.items.documents("shop", ["a"]) == {"a": {"title": "A", "price": "1"}}


def test_a_document_of_a_corpus_keeps_its_fields(store: Store) -> None:
    store.items.add_documents("shop", [("a", {"title": "of the corpus"})])
    store.judgments.add("shop", graded(2, query_id="q1", doc_id="a"))
    assert store.hits.add("shop", SAID, {"q1": ["a"], "q2": ["a"]}) == HitsAdded(0, (("q1", "a"),))
    assert store.hits.shown("shop", [("q1", "a")]) == {("q1", "a"): {"title": "of the corpus"}}
    assert store.hits.shown("shop", [("q2", "a")])["q2", "a"]["title"] == "A"


def test_characters_that_no_database_keeps_come_as_the_same_next_time(store: Store) -> None:
    said = HitDocuments.of([("q1", "a", {"title": "A\x00\ud800"}), ("q2", "a", {"title": "B\x00"})])
    ranked = {"q1": ["a"], "q2": ["a"]}
    assert store.hits.add("shop", said, ranked) == HitsAdded(1, ())
    store.judgments.add("shop", graded(1, query_id="q2", doc_id="a"))
    assert store.hits.add("shop", said, ranked) == HitsAdded(0, ())
    assert store.hits.shown("shop", [("q1", "a")])["q1", "a"] == {"title": "A\ufffd\ufffd"}


def test_many_pairs_go_in_and_come_out(store: Store) -> None:
    pairs = [(f"q{i % 7}", f"d{i % 1301}") for i in range(2600)]
    said = HitDocuments.of((query, doc, {"title": doc, "snippet": f"{doc} for {query}"}) for query, doc in pairs)
    ranked: dict[str, list[str]] = {}
    for query, doc in pairs:
        ranked.setdefault(query, []).append(doc)
    assert store.hits.add("shop", said, ranked).documents == 1301
    shown = store.hits.shown("shop", pairs)
    assert all(shown[query, doc]["snippet"] == f"{doc} for {query}" for query, doc in pairs)
