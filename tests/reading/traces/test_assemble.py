"""From the spans of a trace to the searches of its application: nested, reranked, tried again, exported twice."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from tests.raising import raises
from tests.reading.traces import made
from tests.reading.traces.made import Told, genai, inference, of, otlp, span, told

from rankproof.errors import InputError
from rankproof.reading.traces import store

PARTS = "documents of its parts recorded, not of the whole"


def searched(heard: Told) -> list[list[str]]:
    """The documents of every call of every task."""
    return [call.docs for call in heard.calls]


# ---- nested --------------------------------------------------------------------------------------


def hybrid(docs: list[str] | None, **more: Any) -> list[dict[str, Any]]:
    """A retriever around two others, which take 5 and 8 of its 20 milliseconds."""
    return [
        genai("hybrid", "q", docs, lasts=20, **more),
        genai("bm25", "q", ["b1", "b2"], "hybrid", at=1, lasts=5),
        span("step", "hybrid", at=6),
        genai("dense", "q", ["d1", "d2"], "step", at=7, lasts=8),
    ]


def test_a_hybrid_is_one_search_and_its_parts_are_none() -> None:
    heard = of(*hybrid(["b1", "d1"]))
    assert heard.run == {"q": ["b1", "d1"]}
    assert searched(heard) == [["b1", "d1"]]
    assert heard.times == [20.0]
    assert heard.summary["nested"] == 2
    assert heard.summary["repeated_queries"] == 0
    assert "2 nested retrievals" in heard.notes


def test_parts_of_a_whole_that_recorded_nothing_do_not_stand_for_it() -> None:
    heard = of(*hybrid(None), genai("other", "r", ["x"], at=50))
    assert heard.run == {"r": ["x"]}
    assert searched(heard) == [["x"]]
    assert heard.reasons == [PARTS]
    assert heard.summary["unread_queries"] == 1


def test_the_only_part_stands_for_a_whole_that_recorded_nothing() -> None:
    """A framework's retriever around a vector store's: the query is the outer one's, and so are the times."""
    inner = genai("store", "q, rewritten", ["a"], "outer", at=2, lasts=5)
    heard = of(genai("outer", "q", None, lasts=9), inner)
    assert heard.run == {"q": ["a"]}
    assert heard.times == [9.0]
    assert of(genai("outer", None, None, lasts=9), inner).run == {"q, rewritten": ["a"]}


def test_the_only_part_may_have_been_tried_again_and_reranked() -> None:
    heard = of(
        inference("outer", "RETRIEVER", "q", None, lasts=30),
        inference("one", "RETRIEVER", "q", None, "outer", at=1, lasts=2, failed=True),
        inference("two", "RETRIEVER", "q", ["a", "b"], "outer", at=4, lasts=2),
        inference("rerank", "RERANKER", "q", ["b", "a"], "outer", at=8, lasts=3),
    )
    assert heard.run == {"q": ["b", "a"]}
    assert searched(heard) == [["b", "a"]]
    assert heard.times == [30.0]
    assert heard.summary["retries"] == heard.summary["reranked"] == 1


def test_a_part_of_a_whole_that_failed_does_not_stand_for_it() -> None:
    heard = of(*hybrid(None, failed=True))
    assert heard.run == {}
    assert heard.topics == ["q"]  # nothing was retrieved, which counts as such
    assert searched(heard) == [[]]
    assert heard.summary["failed"] == 1


def test_a_ranking_of_the_whole_that_was_cut_is_not_replaced_by_a_part() -> None:
    made_whole = genai("outer", "q", None, gen_ai__retrieval__documents='[{"id": "a')
    heard = of(made_whole, genai("inner", "q", ["a"], "outer", at=1), genai("other", "r", ["x"], at=30))
    assert heard.run == {"r": ["x"]}
    assert heard.reasons == ["documents cut by an attribute limit"]


def test_three_levels() -> None:
    heard = of(
        inference("compress", "RETRIEVER", "q", ["b"], lasts=30),
        inference("base", "RETRIEVER", "q", ["a", "b"], "compress", at=1, lasts=20),
        inference("store", "RETRIEVER", "q", ["a", "b"], "base", at=2, lasts=10),
        inference("rerank", "RERANKER", "q", ["b", "a"], "compress", at=25, lasts=2),
    )
    assert heard.run == {"q": ["b"]}
    assert heard.summary["nested"] == 3
    spans = [
        inference("compress", "RETRIEVER", "q", ["b"], lasts=30),
        inference("base", "RETRIEVER", "q", ["a", "b"], "compress", at=1, lasts=20),
        inference("rerank", "RERANKER", "q", ["b", "a"], "compress", at=25, lasts=2),
    ]
    assert of(*spans, stage="retriever").run == {"q": ["a", "b"]}
    assert of(*spans, stage="reranker").run == {"q": ["b", "a"]}


# ---- rerankers -----------------------------------------------------------------------------------


def two_stages(**more: Any) -> list[dict[str, Any]]:
    return [
        inference("find", "RETRIEVER", "q", ["a", "b", "c"], "answer", lasts=10),
        inference("rerank", "RERANKER", "q", ["c", "a"], "answer", at=12, lasts=8, **more),
    ]


@pytest.mark.parametrize(
    ("stage", "ranking", "ms"),
    [("last", ["c", "a"], 20.0), ("retriever", ["a", "b", "c"], 10.0), ("reranker", ["c", "a"], 8.0)],
)
def test_a_reranker_makes_the_ranking_of_its_retriever(stage: str, ranking: list[str], ms: float) -> None:
    heard = of(*two_stages(), stage=stage)
    assert heard.run == {"q": ranking}
    assert searched(heard) == [ranking]
    assert heard.times == [ms]


def test_a_reranker_that_failed_leaves_the_ranking_as_it_was() -> None:
    heard = of(*two_stages(failed=True))
    assert heard.run == {"q": ["a", "b", "c"]}
    assert "1 reranker failed or recorded no documents" in heard.notes
    bare = of(two_stages()[0], inference("rerank", "RERANKER", "q", None, "answer", at=12))
    assert bare.run == {"q": ["a", "b", "c"]}


def test_a_reranker_without_a_query_takes_that_of_its_retriever() -> None:
    heard = of(two_stages()[0], inference("rerank", "RERANKER", None, ["c"], "answer", at=12))
    assert heard.run == {"q": ["c"]}
    assert heard.topics == ["q"]


def test_a_reranker_of_rewritten_queries_takes_them_all() -> None:
    heard = of(
        inference("one", "RETRIEVER", "q, short", ["a"], "answer"),
        inference("two", "RETRIEVER", "q, long", ["b"], "answer", at=11),
        inference("rerank", "RERANKER", "q", ["b", "a"], "answer", at=30),
    )
    assert heard.run == {"q": ["b", "a"]}
    assert searched(heard) == [["b", "a"]]
    assert heard.summary["reranked"] == 2


def test_two_searches_of_one_agent_keep_their_rerankers() -> None:
    spans = [
        inference("f1", "RETRIEVER", "q", ["a"], "answer"),
        inference("r1", "RERANKER", "q", ["a", "x"], "answer", at=11),
        inference("f2", "RETRIEVER", "r", ["b"], "answer", at=30),
        inference("r2", "RERANKER", "r", ["b", "y"], "answer", at=41),
    ]
    heard = of(*spans)
    assert heard.run == {"q": ["a", "x"], "r": ["b", "y"]}
    assert searched(heard) == [["a", "x"], ["b", "y"]]


def steps(query: str | None, at: int) -> list[dict[str, Any]]:
    """The steps of a graph: each search and each reranker has a parent of its own."""
    return [
        span("graph", lasts=100),
        span("retrieve", "graph"),
        inference("find", "RETRIEVER", "q", ["a", "b"], "retrieve", at=1, lasts=9),
        span("rank", "graph", at=at),
        inference("rerank", "RERANKER", query, ["b"], "rank", at=at, lasts=5),
    ]


def test_a_reranker_under_another_parent_is_found_by_the_query_and_the_time() -> None:
    heard = of(*steps("q", at=12))
    assert heard.run == {"q": ["b"]}
    assert searched(heard) == [["b"]]
    assert heard.times == [16.0]  # from 1 to 17
    # Began before the retriever had ended, or for another query: two searches.
    assert searched(of(*steps("q", at=5))) == [["a", "b"], ["b"]]
    assert searched(of(*steps("r", at=12))) == [["a", "b"], ["b"]]
    assert searched(of(*steps(None, at=12))) == [["a", "b"], ["b"]]


def test_a_reranker_under_another_parent_that_failed_leaves_the_ranking_as_it_was() -> None:
    spans = steps("q", at=12)
    spans[-1]["status"] = {"code": "STATUS_CODE_ERROR"}
    assert searched(of(*spans)) == [["a", "b"]]


# ---- attempts ------------------------------------------------------------------------------------


def test_attempts_are_one_search_from_the_first_to_the_last() -> None:
    heard = of(
        genai("one", "q", None, "answer", at=0, lasts=3, failed=True),
        genai("two", "q", None, "answer", at=5, lasts=3, failed=True),
        genai("three", "q", ["a"], "answer", at=10, lasts=4),
    )
    assert searched(heard) == [["a"]]
    assert heard.times == [14.0]
    assert heard.summary["retries"] == 2


def test_attempts_that_all_failed_are_one_search_without_documents() -> None:
    heard = of(*(genai(f"a{n}", "q", ["never"], "answer", at=n, failed=True) for n in range(3)))
    assert searched(heard) == [[]]
    assert heard.run == {}
    assert heard.topics == ["q"]
    assert heard.times == []
    assert (heard.summary["failed"], heard.summary["retries"]) == (1, 2)


def test_what_succeeded_twice_was_asked_twice() -> None:
    heard = of(genai("one", "q", ["a"], at=0), genai("two", "q", ["b"], at=20), genai("three", "q", ["b"], at=40))
    assert searched(heard) == [["a"], ["b"], ["b"]]
    assert heard.run == {"q": ["b"]}
    assert of(genai("one", "q", ["a"]), genai("two", "q", ["b"], at=20), repeats="first").run == {"q": ["a"]}
    assert "1 query searched more than once, 1 with different rankings: the last ranking counts" in heard.notes


def test_failures_without_a_query_are_not_taken_for_attempts_at_one_search() -> None:
    heard = of(genai("one", None, None, failed=True), genai("two", None, ["a"], at=20))
    assert searched(heard) == [[], ["a"]]
    assert heard.summary["without_query"] == 2


# ---- twice, in any order, in several files, without parents ---------------------------------------

WHOLE = [
    span("agent", lasts=100, session__id="s"),
    *(
        {**one, **({"parentSpanId": made.span("agent")["spanId"]} if "parentSpanId" not in one else {})}
        for one in hybrid(["b1", "d1"])
    ),
    inference("rerank", "RERANKER", "q", ["d1", "b1"], "agent", at=30, lasts=5),
]


def test_a_span_that_was_exported_twice_counts_once() -> None:
    once = of(*WHOLE)
    twice = told(otlp(*WHOLE), otlp(*reversed(WHOLE)))
    assert twice.run == once.run == {"q": ["d1", "b1"]}
    assert twice.tasks == once.tasks == {"s": [["d1", "b1"]]}
    assert twice.summary["duplicate_spans"] == len(WHOLE)
    assert twice.summary["spans"] == once.summary["spans"]
    assert "with other content" not in twice.notes


def test_of_two_records_of_a_span_the_one_that_ended_counts() -> None:
    """Some exporters write a span when it begins and again when it ends."""
    begun = {key: given for key, given in genai("a", "q", None).items() if key != "endTimeUnixNano"}
    ended = genai("a", "q", ["x"])
    for order in ([begun, ended], [ended, begun]):
        heard = of(*order)
        assert heard.run == {"q": ["x"]}
        assert heard.summary["duplicate_spans"] == 1
        assert "1 of them with other content" in heard.notes
    assert of(ended, genai("a", "q", ["y"])).run == {"q": ["y"]}


def test_the_order_and_the_files_change_nothing() -> None:
    rng = random.Random(5)
    expected = of(*WHOLE)
    for _ in range(20):
        spans = rng.sample(WHOLE, len(WHOLE))
        cut = rng.randrange(1, len(spans))
        heard = told(otlp(*spans[:cut]), otlp(*spans[cut:]))
        assert (heard.run, heard.tasks, heard.times) == (expected.run, expected.tasks, expected.times)
        assert heard.summary == expected.summary


def test_a_parent_that_is_in_no_file_is_no_parent() -> None:
    heard = of(*(one for one in WHOLE if one["name"] != "agent"))
    assert heard.run == {"q": ["d1", "b1"]}
    # The session was the agent's: the trace is the task, and the note says what is missing.
    assert heard.tasks == {made.TRACE: [["d1", "b1"]]}
    assert "2 spans whose parent is in no file" in heard.notes
    # Without the hybrid its parts cannot be told from searches, save that the reranker takes those with its query.
    torn = of(*(one for one in WHOLE if one["name"] not in ("agent", "hybrid", "rerank")))
    assert searched(torn) == [["b1", "b2"], ["d1", "d2"]]
    assert torn.summary["missing_parents"] == 2


def test_parents_in_a_circle_are_no_parents() -> None:
    heard = of(
        genai("a", "q", ["x"], "b"),
        genai("b", "r", ["y"], "c", at=20),
        genai("c", "s", ["z"], "b", at=40),
        genai("me", "t", ["w"], "me", at=60),
    )
    assert heard.run == {"r": ["y"], "s": ["z"], "t": ["w"]}  # a stands within b
    assert "3 spans whose parents go in a circle" in heard.notes


def test_a_trace_too_long_for_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LONGEST_TRACE", 5)
    spans = [genai(f"a{n}", f"q{n}", ["x"], at=n) for n in range(6)]
    with raises(InputError, made.TRACE, 5):
        of(*spans)
    assert len(of(*spans[:5]).run) == 5


def test_a_chain_of_many_spans_is_walked_without_recursion() -> None:
    chain = [span(f"{n}", f"{n - 1}" if n else "", at=n) for n in range(3000)]
    heard = of(*chain, genai("leaf", "q", ["a"], "2999", at=3000))
    assert heard.run == {"q": ["a"]}


def test_every_order_of_two_stages_with_a_retry() -> None:
    spans = [
        inference("one", "RETRIEVER", "q", None, "answer", at=0, failed=True),
        inference("two", "RETRIEVER", "q", ["a", "b"], "answer", at=11),
        inference("rerank", "RERANKER", "q", ["b"], "answer", at=30),
    ]
    for order in itertools.permutations(spans):
        assert searched(of(*order)) == [["b"]]
