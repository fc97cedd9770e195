"""Gold spans and chunks are read from every form to the same values, and what cannot be trusted is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.measuring.spans.evaluate import evaluate
from rankproof.measuring.spans.read import read_chunks, read_gold
from rankproof.measuring.spans.records import LONGEST, Span

ROWS = [("q1", "d1", 0, 10, 2), ("q1", "d2", 5, 9, 1), ("q2", "d1", 3, 30, 1)]
COLUMNS = {
    "query_id": [row[0] for row in ROWS],
    "doc_id": [row[1] for row in ROWS],
    "start": [row[2] for row in ROWS],
    "end": [row[3] for row in ROWS],
    "grade": [row[4] for row in ROWS],
}
BY_QUERY = {"q1": [ROWS[0][1:], ROWS[1][1:]], "q2": [ROWS[2][1:]]}


def lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def mapping(row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("doc_id", "start", "end", "grade"), row, strict=True))


RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
FORMS = {
    "tuples": BY_QUERY,
    "spans": {query: [Span(*row) for row in rows] for query, rows in BY_QUERY.items()},
    "mappings": {query: list(map(mapping, rows)) for query, rows in BY_QUERY.items()},
    "lists in columns": COLUMNS,
    "arrays in columns": {name: np.array(column) for name, column in COLUMNS.items()},
    "a frame": pandas.DataFrame(COLUMNS),
    "a frame with floats": pandas.DataFrame(COLUMNS).astype({"start": float, "end": float}),
    "JSON lines": lines(RECORDS),
    "JSON lines by query": lines([{"query_id": q, "spans": list(map(mapping, rows))} for q, rows in BY_QUERY.items()]),
    "CSV": pandas.DataFrame(COLUMNS).to_csv(index=False).encode(),
    "TSV with a mark": b"\xef\xbb\xbf" + pandas.DataFrame(COLUMNS).to_csv(index=False, sep="\t").encode(),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_reads_to_the_same_gold(form: str) -> None:
    gold = read_gold(FORMS[form])
    told = zip(
        gold.query.tolist(), gold.doc.tolist(), gold.start.tolist(), gold.end.tolist(), gold.grade.tolist(), strict=True
    )
    assert [(gold.query_ids[q], gold.doc_ids[d], *rest) for q, d, *rest in told] == ROWS
    assert gold.content_hash == read_gold(BY_QUERY).content_hash


def test_the_hash_is_that_of_the_content() -> None:
    turned = {query: rows[::-1] for query, rows in reversed(BY_QUERY.items())}
    assert read_gold(turned).content_hash == read_gold(BY_QUERY).content_hash
    for other in (
        {**BY_QUERY, "q3": []},
        {**BY_QUERY, "q2": [("d1", 3, 31)]},
        {**BY_QUERY, "q2": [("d3", 3, 30)]},
        {**BY_QUERY, "q2": [("d1", 3, 30, 2)]},
        {"q1": BY_QUERY["q1"], "q9": BY_QUERY["q2"]},
    ):
        assert read_gold(other).content_hash != read_gold(BY_QUERY).content_hash
    assert read_gold(BY_QUERY, unit="tokens").content_hash != read_gold(BY_QUERY).content_hash


def test_a_query_without_gold_is_there() -> None:
    for source in (
        {"q1": [("d", 0, 1)], "q2": []},
        lines([{"query_id": "q1", "doc_id": "d", "start": 0, "end": 1}, {"query_id": "q2", "spans": []}]),
    ):
        assert read_gold(source).query_ids == ("q1", "q2")


def test_chunks_go_by_score_then_as_given() -> None:
    rows = [
        {"doc_id": d, "start": 0, "end": 1, "score": s, "chunk_id": f"c{d}"}
        for d, s in (("a", 1.0), ("b", 3.0), ("c", 3.0))
    ]
    assert read_chunks({"q": rows}).ids() == ["cb", "cc", "ca"]
    assert read_chunks({"q": [{**row, "score": -row["score"]} for row in rows]}).ids() == ["ca", "cb", "cc"]


def test_chunks_go_by_rank_across_lines() -> None:
    rows = [
        {"query_id": q, "doc_id": d, "start": 0, "end": 1, "rank": r}
        for q, d, r in (("q2", "x", 7), ("q1", "b", 2), ("q1", "a", 1), ("q2", "y", 3))
    ]
    got = read_chunks(lines(rows))
    assert [(got.query_ids[q], name) for q, name in zip(got.query.tolist(), got.ids(), strict=True)] == [
        ("q2", "y:0-1"), ("q2", "x:0-1"), ("q1", "a:0-1"), ("q1", "b:0-1"),
    ]  # fmt: skip


# ---- what is refused: one sentence with the place ------------------------------------------------

BAD_RANGES = {
    "reversed": (("d1", 9, 4), ("q7", "d1", 9, 4, "row", 2)),
    "empty": (("d1", 4, 4), ("q7", "d1", 4)),
    "negative": (("d1", -3, 4), ("q7", "d1", -3)),
    "longer than any text": (("d1", 0, LONGEST + 1), ("q7", "d1", LONGEST + 1)),
}


@pytest.mark.parametrize("read", [read_gold, read_chunks])
@pytest.mark.parametrize("fault", BAD_RANGES)
def test_a_range_that_is_none_is_refused_with_query_and_document(fault: str, read) -> None:
    span, values = BAD_RANGES[fault]
    with raises(InputError, *values):
        read({"q1": [("d1", 0, 5)], "q7": [span, ("d2", 0, 1)]})


@pytest.mark.parametrize("read", [read_gold, read_chunks])
def test_offsets_past_the_end_of_the_text_are_refused(read) -> None:
    read({"q1": [("d1", 0, 5)]}, {"d1": 5})
    with raises(InputError, "q1", "d1", 6, 5):
        read({"q1": [("d1", 0, 6)]}, {"d1": 5})
    with raises(InputError, "q1", "d2"):
        read({"q1": [("d2", 0, 6)]}, {"d1": 5})


def test_the_first_fault_of_the_input_is_told_and_the_others_counted() -> None:
    chunks = {"query_id": ["q", "q", "q"], "doc_id": ["d"] * 3, "start": [5, 9, 0], "end": [3, 2, 9], "rank": [3, 1, 2]}
    with raises(InputError, "row", 1, 5, 3, "(1 more like this.)"):
        read_chunks(chunks)


NAN = float("nan")
BAD_VALUES = {
    "NaN": ({"start": NAN}, ("start", "nan")),
    "an infinity": ({"end": float("inf")}, ("end", "inf")),
    "half a character": ({"end": 2.5}, ("end", 2.5)),
    "a text": ({"start": "0"}, ("start", "'0'")),
    "true": ({"start": True}, ("start", "True")),
    "nothing": ({"end": None}, ("end", "None")),
    "beyond 64 bits": ({"end": 2**70}, ("end", 2**70)),
    "no document": ({"doc_id": ""}, ("doc_id", "''")),
    "true for a document": ({"doc_id": True}, ("doc_id", "True")),
    "a fraction for a document": ({"doc_id": 1.5}, ("doc_id", 1.5)),
    "a list for a document": ({"doc_id": ["d"]}, ("doc_id", "['d']")),
}


@pytest.mark.parametrize("read", [read_gold, read_chunks])
@pytest.mark.parametrize("fault", BAD_VALUES)
def test_a_value_that_is_none_is_refused_with_its_column(fault: str, read) -> None:
    change, values = BAD_VALUES[fault]
    row = {"doc_id": "d1", "start": 0, "end": 4}
    with raises(InputError, *values):
        read({"q1": [row, {**row, **change}]})


@pytest.mark.parametrize("column", ["start", "end"])
def test_nan_in_an_array_is_refused_with_its_row(column: str) -> None:
    columns = {"query_id": ["q"] * 3, "doc_id": ["d"] * 3, "start": np.zeros(3), "end": np.ones(3)}
    columns[column] = columns[column].copy()
    columns[column][1] = np.nan
    with raises(InputError, "row", 2, column, "nan"):
        read_gold(columns)


@pytest.mark.parametrize("score", [NAN, float("inf"), "high", None])
def test_a_score_that_orders_nothing_is_refused(score: object) -> None:
    rows = [
        {"doc_id": "d1", "start": 0, "end": 4, "score": 1.0},
        {"doc_id": "d1", "start": 0, "end": 4, "score": score},
    ]
    with raises(InputError, "score", repr(score)):
        read_chunks({"q1": rows})


def test_two_chunks_of_one_rank_are_refused() -> None:
    row = {"doc_id": "d1", "start": 0, "end": 4, "rank": 2}
    with raises(InputError, "q1", "rank 2"):
        read_chunks({"q1": [{**row, "rank": 1}, row, row]})


def test_rank_and_score_together_are_refused() -> None:
    with raises(InputError, "chunks"):
        read_chunks({"q1": [{"doc_id": "d1", "start": 0, "end": 4, "rank": 2, "score": 1.0}]})


BAD_FORMS = {
    "a list without queries": ([("d", 0, 1)], UsageError, ("list",)),
    "a text for spans": ({"q1": "d:0-1"}, InputError, ("q1", "'d:0-1'")),
    "a number for a span": ({"q1": [5]}, InputError, ("q1", 5)),
    "two values": ({"q1": [("d", 0)]}, InputError, ("q1", "start")),
    "a missing column": ({"q1": [{"doc_id": "d", "start": 0}]}, InputError, ("q1", "end", "'start'")),
    "columns of different lengths": (
        {"query_id": ["q"], "doc_id": ["d", "e"], "start": [0], "end": [1]},
        InputError,
        ("doc_id 2",),
    ),
    "no query": ({}, InputError, ("gold",)),
    "CSV without a column": (b"query_id,doc_id,start\nq,d,0\n", InputError, ("end", "'start'")),
    "CSV with a word": (
        b"query_id,doc_id,start,end\nq,d,0,1\nq,d,zero,9\n",
        InputError,
        ("line", 3, "start", "'zero'"),
    ),
    "JSON with NaN": (
        b'{"query_id": "q", "doc_id": "d", "start": NaN, "end": 9}\n',
        InputError,
        ("line", 1, "start", "nan"),
    ),
    "JSON that ends early": (b'{"query_id": "q", "doc_id"', InputError, ("line", 1)),
    "JSON without a query": (b'{"doc_id": "d", "start": 0, "end": 9}\n', InputError, ("line", 1, "query_id", "None")),
    "JSON with spans that are none": (b'{"query_id": "q", "spans": {"doc_id": "d"}}\n', InputError, ("line", 1)),
    "a range in the fourth line": (
        b"query_id,doc_id,start,end\nq,d,0,1\nq,d,0,1\nq,d,9,1\n",
        InputError,
        ("line", 4, "q", "d", 9),
    ),
}


@pytest.mark.parametrize("form", BAD_FORMS)
def test_a_form_that_is_none_is_refused_in_one_message(form: str) -> None:
    what, kind, values = BAD_FORMS[form]
    with raises(kind, *values) as refused:
        read_gold(what)
    assert "\n" not in str(refused.value)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gold.parquet"
    path.write_bytes(b"PAR1" + b"\0" * 100)
    with pytest.raises(InputError, match=r"gold\.parquet"):
        read_gold(path)


@pytest.mark.parametrize("count", [1_000_000, pytest.param(10_000_000, marks=pytest.mark.full)])
def test_many_rows_take_arrays_and_not_objects(count: int) -> None:
    """Chunks of one query in one document, each [i, i + 2): one character more than chunks is different."""
    chunks = {
        "query_id": ["q"] * count,
        "doc_id": ["d"] * count,
        "start": np.arange(count),
        "end": np.arange(count) + 2,
    }
    ev = evaluate({"q": [("d", 0, count + 1)]}, chunks, "SpanRecall SpanRedundancy SpanRecall@500000")
    assert [ev[name].mean for name in ev] == [1.0, (count - 1) / (2 * count), 500_001 / (count + 1)]


def test_ids_that_are_whole_numbers_were_refused_or_a_traceback(tmp_path: Path) -> None:
    texts = {"1": [{"doc_id": "7", "chunk_id": "3", "start": 0, "end": 10}]}
    row = {"query_id": 1, "doc_id": 7, "chunk_id": 3, "start": 0, "end": 10}
    (tmp_path / "chunks.jsonl").write_text(json.dumps(row) + "\n")
    by_query = {1: [{name: row[name] for name in row if name != "query_id"}]}
    for numbers in (by_query, {name: [value] for name, value in row.items()}, tmp_path / "chunks.jsonl"):
        assert read_chunks(numbers).query_ids == ("1",)
        assert read_chunks(numbers).ids() == read_chunks(texts).ids() == ["3"]
        assert rankproof.spans.evaluate(texts, numbers, "SpanIoU@1")["SpanIoU@1"].by_query == {"1": 1.0}
    qrels = rankproof.spans.qrels_of_spans({1: [(7, 0, 10)]}, [by_query[1][0]], threshold=0.5)
    assert qrels["1"] == {"3": 1}


def test_options_after_the_cutoff_asked_whether_the_same_name_was_meant() -> None:
    for name in ("SpanRecall@3chars(whole=true)", "nDCG@10(gain=exp2)"):
        known = name.partition("@")[0]
        with raises(UsageError, name, f"{known}(option=value)@10"):
            rankproof.spans.evaluate({}, {}, name) if "Span" in name else rankproof.evaluate({}, {}, name)
