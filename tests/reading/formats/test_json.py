"""JSON and JSON lines: every shape of rows, ids that are numbers, keys that stand twice, nulls."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import InputError, Refused
from rankproof.reading.collect import read_qrels, read_rows, read_run, read_topics

SCORED = {"q1": {"d1": 2.0, "d2": 1.0}}
SHAPES = {
    "object of objects": b'{"q1": {"d1": 2, "d2": 1.0}}',
    "object of pairs": b'{"q1": [["d1", 2], ["d2", 1]]}',
    "object of rows": b'{"q1": [{"doc_id": "d1", "score": 2}, {"doc_id": "d2", "score": 1}]}',
    "list of objects": b'[{"qid": "q1", "docid": "d1", "score": 2}, {"qid": "q1", "docid": "d2", "score": 1}]',
    "list of triples": b'[["q1", "d1", 2], ["q1", "d2", 1]]',
    "lines of rows": b'{"qid":"q1","pid":"d1","sim":2}\n\n{"qid":"q1","pid":"d2","sim":"1.0"}\n',
    "lines of queries": b'{"query_id": "q1", "docs": {"d1": 2, "d2": 1}}\n',
    "lines of queries with rows": (
        b'{"query_id": "q1", "results": [{"id": 0, "doc_id": "d2", "score": 1}, {"doc_id": "d1", "score": 2}]}\n'
    ),
    "lines of queries with scores": b'{"query_id": "q1", "docs": ["d2", "d1"], "scores": [1, 2]}\n',
}
GIVEN_SHAPES = {
    "object of lists": b'{"q1": ["d2", "d1"]}',
    "list of pairs": b'[["q1", "d2"], ["q1", "d1"]]',
    "lines of lists": b'{"query_id": "q1", "docs": ["d2", "d1"]}\n',
    "lines of bare rows": b'{"query_id": "q1", "doc_id": "d2"}\n{"query_id": "q1", "doc_id": "d1"}\n',
    "ranks": b'{"query_id":"q1","doc_id":"d1","rank":2}\n{"query_id":"q1","doc_id":"d2","rank":1}\n',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_with_scores(shape: str) -> None:
    run = read_run(SHAPES[shape])
    assert run.to_dict() == SCORED
    assert run.kind == "score"


@pytest.mark.parametrize("shape", GIVEN_SHAPES)
def test_shapes_without_scores(shape: str) -> None:
    run = read_run(GIVEN_SHAPES[shape])
    assert run.to_dict() == {"q1": {"d2": None, "d1": None}}
    assert list(run["q1"]) == ["d2", "d1"]
    assert run.kind == "rank"


@pytest.mark.parametrize(
    "content",
    [
        b'{"1": {"10": 2, "20": 1}}',
        b'{"1": [[10, 2], [20, 1]]}',
        b'[{"query_id": 1, "doc_id": 10, "score": 2}, {"query_id": 1, "doc_id": 20.0, "score": 1}]',
        b'{"query_id": 1, "docs": [10, 20], "scores": [2, 1]}',
    ],
)
def test_numbers_in_ids_become_text(content: bytes) -> None:
    assert read_run(content).to_dict() == {"1": {"10": 2.0, "20": 1.0}}


def test_distances_by_name() -> None:
    run = read_run(b'{"query_id":"q1","doc_id":"far","distance":9}\n{"query_id":"q1","doc_id":"near","distance":1}\n')
    assert list(run["q1"]) == ["near", "far"]


# ---- a key that stands twice --------------------------------------------------------------------


def test_a_document_that_stands_twice_is_a_duplicate_document() -> None:
    with raises(Refused, "<bytes>", "row 1", "row 2", "'d1'", "'q1'") as error:
        read_run(b'{"q1": {"d1": 2, "d1": 1}}')
    assert [finding.code for finding in error.value.findings] == ["duplicate_document"]
    with pytest.raises(Refused) as conflict:
        read_qrels(b'{"q1": {"d1": 2, "d1": 1}}')
    assert [finding.code for finding in conflict.value.findings] == ["conflicting_judgment"]


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (b'{"q1": {"d1": 2}, "q1": {"d2": 1}}', ("'q1'",)),
        (b'[{"query_id": "q1", "doc_id": "d1", "score": 1, "score": 2}]', ("row 1", "'score'")),
        (b'{"query_id": "q1", "doc_id": "d1", "doc_id": "d2"}\n', ("line 1", "'doc_id'")),
    ],
)
def test_other_keys_that_stand_twice_are_refused(content: bytes, values: tuple[str, ...]) -> None:
    with raises(InputError, "<bytes>", *values):
        read_run(content)


# ---- what is refused, and how -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"q1": {"d1": null}}', "<bytes>, query 'q1': document 'd1' has null for its number."),
        (b'{"q1": {"d1": "high"}}', "'high' is not a number, but a score must be one."),
        (b'{"q1": {"d1": 1}, "q2": ["d1"]}', "some rows have a score and some have none."),
        (b'{"q1": 7}', "found 7 where the documents should be."),
        (b'{"q1": [true]}', "True cannot be an id. An id is a text or a number."),
        (b'{"q1": [["", 1]]}', "an id is empty."),
        (b"[1, 2]", "<bytes>, row 1: 1 is not a row. A row is query, document and score."),
        (b'[{"query_id": "q1", "score": 1}]', "row 1 has the columns query_id, score; a run needs a query"),
        (b'{"query_id": "q1", "doc_id": null}\n', "<bytes>, line 1: 'doc_id' is null."),
        (b'{"query_id": "q1", "doc_id": "d", "rank": 1.5}\n', "1.5 is not a rank."),
        (b'{"query_id":"q","doc_id":"a","score":1}\n{"query_id":"q","doc_id":"b","distance":1}\n', "some a distance"),
        (b'{"query_id": "q1", "docs": ["a"], "scores": []}\n', "must be lists of the same length"),
        (b'{"query_id": "q1", "docs": ["a"]}\n{"qid": "q1"}\n', "<bytes>, line 2: the fields are 'qid'"),
        (b'{"query_id": "q1", "docs": ["a"]}\n[1]\n', "<bytes>, line 2: each line must hold a JSON object"),
        (b'{"query_id": "q1", "docs": ["a"]\n', "<bytes>, line 1: this is not JSON"),
        (b'{"q1": {"d1": 1}', "<bytes>, line 1: this is not JSON"),
        (b'{"q1": {"d1": 1}}\n{"q2": {"d1": 1}}\n', "<bytes>, line 2: this is not JSON (Extra data"),
        (b'{"q1": ' + b"[" * 200_000, "nested too deeply"),
        (b'{"q1": {"d1": ' + b"9" * 5000 + b"}}", "the JSON cannot be read"),
        (b'{"q1": {"d\xff": 1}}', "<bytes>, line 1: byte 0xff is not UTF-8."),
    ],
)
def test_what_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(InputError) as error:
        read_run(content)
    assert said in str(error.value)


def test_lists_name_relevant_documents() -> None:
    assert read_qrels(b'{"q1": ["d1"]}').to_dict() == {"q1": {"d1": 1}}
    assert read_qrels(b'{"q1": [1, 2]}', "json").to_dict() == {"q1": {"1": 1, "2": 1}}


def test_nan_and_infinity_are_left_to_the_checks() -> None:
    rows, _ = read_rows(b'{"q1": {"d1": NaN, "d2": Infinity}}', "run")
    assert rows.state.tolist() == [rows.NAN, rows.INFINITE]


def test_lines_are_counted_for_findings() -> None:
    rows, said = read_rows(
        b'{"query_id":"q","doc_id":"a","score":1}\n\n{"query_id":"q","doc_id":"a","score":2}\n', "run"
    )
    assert rows.line.tolist() == [1, 3]
    assert said.unit == "line"
    assert read_rows(b'{"q1": {"d1": 1}}', "run")[1].unit == "row"


def test_topics() -> None:
    expected = {"q1": "one", "2": "two"}
    assert read_topics(b'{"q1": "one", "2": "two"}') == expected
    assert read_topics(b'[{"id": "q1", "text": "one"}, {"id": 2, "title": "two"}]') == expected
    assert read_topics(b'{"_id": "q1", "text": "one", "metadata": {}}\n{"_id": 2, "text": "two"}\n') == expected
    for content, said in [
        (b'{"q1": 1}', "has 1 where its text should be"),
        (b'{"q1": "a", "q1": "b"}', "the key 'q1' is there twice"),
        (b'{"_id": "1", "text": "x"}\n{"_id": 1, "text": "y"}\n', "line 2: query '1' already has a text"),
        (b'{"_id": "1", "body": "x"}\n', "the fields are '_id', 'body'; a topic needs a query id"),
        (b'{"_id": "1", "text": null}\n', "found None where the text of a query should be"),
        (b"[]", "has no topics"),
    ]:
        with pytest.raises(InputError) as error:
            read_topics(content)
        assert said in str(error.value)
