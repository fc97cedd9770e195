"""Judgments of chunks by overlap, their ranking, and where texts stand in their sources."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

import rankproof
from rankproof import spans
from rankproof.errors import InputError, UsageError
from rankproof.spans import Span

Row = tuple[str, int, int, int]


def rows(most: int) -> st.SearchStrategy[list[Row]]:
    one = st.tuples(st.sampled_from("xy"), st.integers(0, 20), st.integers(1, 15), st.integers(0, 2))
    return st.lists(one.map(lambda r: (r[0], r[1], r[1] + r[2], r[3])), min_size=1, max_size=most)


def held(row: Any) -> set[tuple[str, int]]:
    return {(row[0], at) for at in range(row[1], row[2])}


def plain_grade(chunk: Row, gold: list[Row], threshold: float, of: str) -> int:
    best = 0
    for level in (1, 2):
        islands: list[set[tuple[str, int]]] = []
        for row in gold:
            if row[3] >= level:
                new = held(row)
                apart = [island for island in islands if not island & new]
                islands = [*apart, new.union(*(island for island in islands if island & new))]
        mine = held(chunk)
        if of == "chunk":
            shares = [len(mine & set().union(*islands)) / len(mine)] if islands else []
        elif of == "gold":
            shares = [len(mine & island) / len(island) for island in islands]
        else:
            shares = [len(mine & island) / len(mine | island) for island in islands]
        if any(share >= threshold for share in shares):
            best = level
    return best


@pytest.mark.parametrize("of", ["gold", "chunk", "iou"])
@pytest.mark.parametrize("threshold", [0.25, 0.5, 1])
@given(gold=rows(4), chunks=rows(6))
@settings(max_examples=examples(90), deadline=None)
def test_grades_equal_those_of_counted_characters(
    of: Any, threshold: float, gold: list[Row], chunks: list[Row]
) -> None:
    ranked = [{"doc_id": c[0], "start": c[1], "end": c[2], "chunk_id": f"c{i}"} for i, c in enumerate(chunks)]
    told = {f"c{i}": plain_grade(c, gold, threshold, of) for i, c in enumerate(chunks)}
    assert spans.qrels_of_spans({"q": gold}, {"q": ranked}, threshold=threshold, of=of).to_dict() == {"q": told}
    inside = {row[0] for row in gold}
    of_gold = {name: grade for (name, grade), chunk in zip(told.items(), chunks, strict=True) if chunk[0] in inside}
    if of_gold:
        assert spans.qrels_of_spans({"q": gold}, ranked, threshold=threshold, of=of).to_dict() == {"q": of_gold}


def test_recall_over_the_collection_knows_what_was_missed() -> None:
    gold = {"q": [("d", 0, 10), ("d", 50, 60)]}
    collection = [{"chunk_id": f"c{i}", "doc_id": "d", "start": 10 * i, "end": 10 * i + 10} for i in range(8)]
    run = spans.run_of_chunks({"q": [collection[0], collection[3]]})
    assert rankproof.evaluate(spans.qrels_of_spans(gold, collection), run, "R@10 P@2").results["R@10"].mean == 0.5


def test_the_threshold_decides() -> None:
    gold, chunks = {"q": [("d", 0, 10)]}, {"q": [("d", 0, 5), ("d", 5, 100)]}
    assert spans.qrels_of_spans(gold, chunks, of="gold")["q"] == {"d:0-5": 1, "d:5-100": 1}
    assert spans.qrels_of_spans(gold, chunks, of="chunk")["q"] == {"d:0-5": 1, "d:5-100": 0}
    assert spans.qrels_of_spans(gold, chunks, of="gold", threshold=0.6)["q"] == {"d:0-5": 0, "d:5-100": 0}


def test_a_share_of_0_55_of_100_characters_is_55() -> None:
    assert spans.qrels_of_spans({"q": [("d", 0, 100)]}, {"q": [("d", 0, 55)]}, threshold=0.55)["q"] == {"d:0-55": 1}


@pytest.mark.parametrize("threshold", [0, -1, 1.5, float("nan"), "half", True])
def test_a_threshold_that_is_no_share_is_refused(threshold: Any) -> None:
    with raises(UsageError, repr(threshold)):
        spans.qrels_of_spans({"q": [("d", 0, 1)]}, {"q": [("d", 0, 1)]}, threshold=threshold)


def test_what_an_overlap_is_of_is_one_of_three() -> None:
    with raises(UsageError, "'query'", "'gold'", "'chunk'", "'iou'"):
        spans.qrels_of_spans({"q": [("d", 0, 1)]}, {"q": [("d", 0, 1)]}, of="query")


def test_ids_that_do_not_meet_are_refused() -> None:
    with raises(InputError):
        spans.qrels_of_spans({"q": [("d", 0, 1)]}, {"other": [("d", 0, 1)]})


def test_one_id_for_two_ranges_is_refused() -> None:
    row = {"doc_id": "d", "start": 0, "end": 4, "chunk_id": "c"}
    with raises(InputError, "'c'"):
        spans.qrels_of_spans({"q": [("d", 0, 1)]}, {"q": [row, {**row, "end": 5}]})


def test_a_chunk_retrieved_twice_is_no_ranking_of_documents() -> None:
    with raises(InputError, "'q'", "'d:0-4'", "SpanRedundancy"):
        spans.run_of_chunks({"q": [("d", 0, 4), ("d", 0, 4)]})


# ---- texts in their sources ----------------------------------------------------------------------

SOURCES = {"d1": "aha, aha aha", "d2": "no aha here"}


def test_a_text_is_found_where_it_stands() -> None:
    assert spans.locate({"q": ["here", {"text": "aha", "doc_id": "d2", "grade": 2}]}, SOURCES) == {
        "q": [Span("d2", 7, 11), Span("d2", 3, 6, 2)]
    }


def test_a_text_that_repeats_needs_a_policy() -> None:
    with raises(InputError, "'q'", "text 1", "4 places", "repeats='first'", "repeats='all'"):
        spans.locate({"q": ["aha"]}, SOURCES)
    assert spans.locate({"q": ["aha"]}, SOURCES, repeats="first") == {"q": [Span("d1", 0, 3)]}
    everywhere = [Span("d1", 0, 3), Span("d1", 5, 8), Span("d1", 9, 12), Span("d2", 3, 6)]
    assert spans.locate({"q": ["aha"]}, SOURCES, repeats="all") == {"q": everywhere}


def test_places_that_overlap_are_two() -> None:
    assert spans.locate({"q": ["aa"]}, {"d": "aaa"}, repeats="all") == {"q": [Span("d", 0, 2), Span("d", 1, 3)]}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Aha", ("'q'", "text 1", "'Aha'")),
        ({"text": "here", "doc_id": "d1"}, ("'here'", "'d1'")),
        ({"text": "here", "doc_id": "d9"}, ("'d9'",)),
        ("", ("''",)),
        ({"doc_id": "d1"}, ("None",)),
        ({"text": "here", "doc_id": 1}, ("doc_id", 1)),
        ({"text": "here", "grade": 0.5}, ("grade", 0.5)),
        (7, (7,)),
    ],
)
def test_a_text_that_stands_nowhere_is_refused_with_its_place(text: Any, values: tuple[object, ...]) -> None:
    with raises(InputError, *values):
        spans.locate({"q": [text]}, SOURCES)


def test_a_text_for_the_list_of_texts_is_refused() -> None:
    with raises(InputError, "'q'"):
        spans.locate({"q": "aha"}, SOURCES)


def test_a_policy_is_one_of_three() -> None:
    with raises(UsageError, "'last'", "'first'", "'all'", "'refuse'"):
        spans.locate({"q": ["aha"]}, SOURCES, repeats="last")
