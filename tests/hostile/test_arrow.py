"""Arrow tables of every kind that other libraries hand over, and Parquet files that are not what they seem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.hostile.command import good_files, here, leftovers
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, RankproofError, Refused

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

QRELS = {"1": {"d1": 1, "long-document-id-beyond-twelve": 2}, "2": {"d1": 1}}
QUERIES = ["1", "1", "1", "2"]
DOCS = ["d0", "long-document-id-beyond-twelve", "d1", "d1"]
SCORES = [3.0, 2.0, 1.0, 1.0]
# RR 1/2 and 1: the first query's best judged document is second.
EXPECTED = {"1": 0.5, "2": 1.0}


def by_query(table: Any) -> dict[str, float]:
    return dict(rankproof.evaluate(QRELS, table, "RR")["RR"].by_query)


def table(queries: Any = None, docs: Any = None, scores: Any = None) -> Any:
    return pa.table(
        {
            "query_id": pa.array(QUERIES) if queries is None else queries,
            "doc_id": pa.array(DOCS) if docs is None else docs,
            "score": pa.array(SCORES) if scores is None else scores,
        }
    )


TEXTS = ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"]


@pytest.mark.parametrize("kind", TEXTS)
def test_every_kind_of_text(kind: str) -> None:
    if not hasattr(pa, kind):
        pytest.skip(f"this pyarrow has no {kind}")
    docs = pa.array([doc.encode() for doc in DOCS]) if "binary" in kind else pa.array(DOCS)
    assert by_query(table(docs=docs.cast(getattr(pa, kind)()))) == EXPECTED


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_every_kind_of_whole_number_is_an_id_and_a_score(kind: str) -> None:
    queries = pa.array([int(query) for query in QUERIES], getattr(pa, kind)())
    scores = pa.array([int(score) for score in SCORES], getattr(pa, kind)())
    assert by_query(table(queries=queries, scores=scores)) == EXPECTED
    assert by_query(table(queries=queries.dictionary_encode())) == EXPECTED


def test_whole_numbers_at_their_limits_keep_their_digits() -> None:
    least, greatest = -(2**63), 2**63 - 1
    for value, kind in ((least, pa.int64()), (greatest, pa.int64()), (2**64 - 1, pa.uint64())):
        run = pa.table({"query_id": ["q"], "doc_id": pa.array([value], kind), "score": [1.0]})
        assert rankproof.evaluate({"q": {str(value): 1}}, run, "RR")["RR"].mean == 1


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_every_kind_of_score(kind: str) -> None:
    assert by_query(table(scores=pa.array(SCORES, getattr(pa, kind)()))) == EXPECTED


def test_dictionaries_chunks_and_slices() -> None:
    for index in (pa.int8(), pa.uint16(), pa.int32(), pa.int64()):
        coded = pa.array(DOCS).dictionary_encode().cast(pa.dictionary(index, pa.string()))
        assert by_query(table(docs=coded)) == EXPECTED
    whole = table()
    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1, 0), whole.slice(1, 2), whole.slice(3)])
    assert pieces.column("doc_id").num_chunks > 1
    assert by_query(pieces) == EXPECTED
    # A slice begins in the middle of a byte of the validity bits: rows before it must not be seen.
    padded = pa.table(
        {
            "query_id": pa.array([None] * 13 + QUERIES + [None]),
            "doc_id": pa.array([None] * 13 + DOCS + [None]).dictionary_encode(),
            "score": pa.array([None] * 13 + SCORES + [None], pa.float64()),
        }
    )
    assert by_query(padded.slice(13, 4)) == EXPECTED
    assert by_query(padded.slice(13, 4).to_batches()[0]) == EXPECTED
    assert by_query(pa.RecordBatchReader.from_batches(whole.schema, whole.to_batches())) == EXPECTED


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("queries", pa.array(["1", None, "1", "2"]), "row 2: column 'query_id' is null"),
        ("docs", pa.array(["d0", "x", None, "d1"]), "row 3: column 'doc_id' is null"),
        ("docs", pa.array(["d0", "x", None, "d1"]).dictionary_encode(), "row 3: column 'doc_id' is null"),
        ("docs", pa.nulls(4), "row 1: column 'doc_id' is null"),
        ("docs", pa.array(["d0", "x", "", "d1"]), "row 3: column 'doc_id' is empty"),
        ("queries", pa.array(["", "1", "1", "2"]), "row 1: column 'query_id' is empty"),
        ("scores", pa.array([3.0, None, 1.0, 1.0]), "row 2: the score of document"),
        ("scores", pa.array([3.0, float("nan"), 1.0, 1.0]), "row 2: the score of document"),
        ("scores", pa.array([3.0, float("inf"), 1.0, 1.0]), "row 2: the score of document"),
        ("scores", pa.array(["3", "high", "1", "1"]), "row 2: the score of document"),
        ("scores", pa.array([True, False, True, True]), "which holds no numbers"),
        ("docs", pa.array([True, False, True, True]), "which holds no ids"),
        ("docs", pa.array([1.5, 2.5, 3.5, 4.5]), "which holds no ids"),
        ("docs", pa.array([["a"], ["b"], ["c"], ["d"]]), "'score' and 'doc_id' must be lists of the same length"),
        ("docs", pa.array([{"a": 1}] * 4), "'score' and 'doc_id' must be lists of the same length"),
        ("scores", pa.array([[1.0]] * 4), "which holds no numbers"),
        ("docs", pa.array(["d1", "d1", "d1", "d1"]), "row 2: document 'd1' is already ranked"),
        ("docs", pa.array([b"d\xff", b"x", b"y", b"z"]), "not text in UTF-8"),
    ],
)
def test_what_a_column_cannot_hold(column: str, values: Any, words: str) -> None:
    with pytest.raises(InputError) as refused:
        by_query(table(**{column: values}))
    assert words in str(refused.value)


def test_a_table_without_the_columns() -> None:
    for names in (["a", "b", "c"], [], ["query_id", "query_id", "score"]):
        columns = [pa.array(["1"])] * len(names)
        with pytest.raises(RankproofError):
            by_query(pa.Table.from_arrays(columns, names=names))
    with raises(Refused, "<Table>", "empty"):
        by_query(table().slice(0, 0))


class Liar:
    """Something that promises a table and hands over another thing."""

    column_names = ("query_id", "doc_id", "score")

    def __init__(self, given: Any) -> None:
        self.given = given

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def broken() -> Any:
    yield table().to_batches()[0]
    raise ValueError("the connection is lost")


def test_a_stream_that_is_none() -> None:
    for given in (None, 5, b"bytes", ValueError("not today"), table().schema.__arrow_c_schema__()):
        with pytest.raises(InputError):
            by_query(Liar(given))
    with raises(InputError, "<Liar>", "table"):
        by_query(Liar(pa.chunked_array([DOCS]).__arrow_c_stream__()))
    with raises(InputError, "<RecordBatchReader>", "the connection is lost"):
        by_query(pa.RecordBatchReader.from_batches(table().schema, broken()))


def written(folder: Path) -> bytes:
    path = folder / "whole.parquet"
    pq.write_table(table(), path)
    content = path.read_bytes()
    path.unlink()
    return content


def test_a_parquet_file_cut_off_anywhere(tmp_path: Path) -> None:
    content = written(tmp_path)
    for length in range(4, len(content), 17):
        with pytest.raises(RankproofError):
            rankproof.evaluate(QRELS, content[:length], "RR")


def test_a_parquet_file_damaged_anywhere_is_refused_or_read(tmp_path: Path) -> None:
    content = written(tmp_path)
    for at in range(4, len(content) - 8, 5):
        damaged = content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]
        try:
            found = by_query(damaged)
        except RankproofError as error:
            message = str(error)
            assert len(message) < 1500
        else:
            assert all(0 <= value <= 1 for value in found.values())


def test_the_command_on_parquet_files(tmp_path: Path) -> None:
    qrels, _ = good_files(tmp_path)
    file = tmp_path / "a.parquet"
    for content, words in (
        (written(tmp_path)[:-20], "cannot be read as Parquet"),
        (b"PAR1" * 3, "cannot be read as Parquet"),
        (_parquet(tmp_path, {"a": ["1"], "b": [2]}), "the columns a, b"),
        (
            _parquet(tmp_path, {"query_id": ["1", None], "doc_id": ["a", "b"], "score": [1, 2]}),
            "row 2: column 'query_id'",
        ),
    ):
        file.write_bytes(content)
        for args in (
            ["evaluate", qrels, file, "-o", tmp_path / "table.txt"],
            ["runs", "validate", file],
            ["convert", file, tmp_path / "out.json", "--noun", "run"],
        ):
            assert words in here(*args).refused()
            assert leftovers(tmp_path, file) == []


def _parquet(folder: Path, columns: dict[str, list[Any]]) -> bytes:
    path = folder / "made.parquet"
    pq.write_table(pa.table(columns), path)
    content = path.read_bytes()
    path.unlink()
    return content
