"""Python values as rows: dicts, lists, and tables of pandas, polars, pyarrow and DuckDB."""

from __future__ import annotations

import subprocess
import sys
from collections import OrderedDict, UserDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError, Refused, UsageError
from rankproof.reading.collect import read_qrels, read_run, read_topics

RUN = {"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d3": 0.5}}
COLUMNS: dict[str, list[Any]] = {
    "qid": ["q1", "q1", "q2"],
    "docno": ["d1", "d2", "d3"],
    "score": [2.5, 1.5, 0.5],
}


def frames() -> dict[str, Callable[[dict[str, list[Any]]], Any]]:
    pyarrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    return {
        "pyarrow": pyarrow.table,
        "batches": lambda columns: pyarrow.table(columns).to_reader(),
        "pandas": pandas.DataFrame,
        "pandas without pyarrow": pandas.DataFrame,
        "old pandas": lambda columns: _without_stream(pandas.DataFrame(columns)),
        "polars": polars.DataFrame,
        "duckdb": lambda columns: duckdb.from_arrow(pyarrow.table(columns)),
        "anything with a stream": lambda columns: _Stream(pyarrow.table(columns)),
    }


def _without_stream(frame: Any) -> Any:
    """A frame of a pandas before 2.2, which had no Arrow stream."""

    class Old(type(frame)):
        __arrow_c_stream__ = property()

    Old.__module__ = "pandas.core.frame"
    return Old(frame)


class _Stream:
    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


KINDS = [
    "pyarrow", "batches", "pandas", "pandas without pyarrow", "old pandas", "polars", "duckdb",
    "anything with a stream",
]  # fmt: skip


def maker(kind: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, list[Any]]], Any]:
    if kind == "pandas without pyarrow":
        for module in ("arrow", "collect"):
            monkeypatch.setattr(f"rankproof.reading.{module}.has_pyarrow", lambda: False)
    return frames()[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_tables(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = maker(kind, monkeypatch)
    assert read_run(table(COLUMNS)).to_dict() == RUN
    graded = {"topic": [1, 1, 2], "pid": [10, 20, 30], "label": [2, 0, 1]}
    assert read_qrels(table(graded)).to_dict() == {"1": {"10": 2, "20": 0}, "2": {"30": 1}}
    ranked = {"query": ["q1", "q1"], "doc": ["d1", "d2"], "rank": [2, 1]}
    assert list(read_run(table(ranked))["q1"]) == ["d2", "d1"]
    assert read_topics(table({"qid": [1, 2], "text": ["a", "b"]})) == {"1": "a", "2": "b"}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_that_cannot_be_read(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = maker(kind, monkeypatch)
    with raises(InputError, "a, b", "run", "query_id", "doc_id", "score"):
        read_run(table({"a": ["q1"], "b": ["d1"]}))
    with raises(InputError, "row 2", "'docno'", "null"):
        read_run(table({"qid": ["q1", "q1"], "docno": ["d1", None], "score": [1.0, 2.0]}))
    with raises(Refused, "row 1", "'d1'", "'q1'", "score"):
        read_run(table({"qid": ["q1"], "docno": ["d1"], "score": [float("nan")]}))
    with raises(InputError, "a, b", "topics", "query_id", "text"):
        read_topics(table({"a": ["q1"], "b": ["d1"]}))


WITHOUT_PYARROW = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
import pandas, rankproof
run = pandas.DataFrame({"qid": ["q1", "q1", "7"], "docno": ["d1", "d2", "x"], "score": [1, 2, 3]}, index=[5, 5, 2])
grades = pandas.DataFrame({"qid": ["q1", "7"], "docno": ["d1", "x"], "rel": [1, 1]})
print(rankproof.evaluate(grades, run, "RR")["RR"].by_query)
print(sorted(rankproof.read_topics(pandas.DataFrame({"qid": [7], "text": ["seven"]})).items()))
print("pyarrow" in sys.modules)
"""


def test_pandas_frames_are_read_where_pyarrow_is_not_installed() -> None:
    """They ended in an ImportError of pandas. q1 has its relevant document at rank 2, 7 at rank 1."""
    pytest.importorskip("pandas")
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout.splitlines() == ["{'q1': 0.5, '7': 1.0}", "[('7', 'seven')]", "False"]


@pytest.mark.parametrize("kind", ["pandas", "pandas without pyarrow"])
def test_named_levels_of_an_index_are_columns(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = maker(kind, monkeypatch)(COLUMNS)
    assert read_run(frame.set_index(["qid", "docno"])).to_dict() == RUN
    assert read_run(frame.set_index("qid")).to_dict() == RUN
    named = frame.copy()
    named.index = [9, 9, 1]
    named.index.name = "qid"  # a column of the name is there: it wins
    assert read_run(named).to_dict() == RUN


@pytest.mark.parametrize(
    "value",
    [
        RUN,
        OrderedDict(RUN),
        UserDict({q: UserDict(docs) for q, docs in RUN.items()}),
        MappingProxyType(RUN),
        {q: {d: np.float32(s) for d, s in docs.items()} for q, docs in RUN.items()},
        {q: list(docs.items()) for q, docs in RUN.items()},
        [(q, d, s) for q, docs in RUN.items() for d, s in docs.items()],
        [{"query_id": q, "doc_id": d, "score": s} for q, docs in RUN.items() for d, s in docs.items()],
        ([("q1", "d2", 1.5), ["q1", "d1", 2.5], ("q2", "d3", 0.5)]),
    ],
)
def test_values(value: Any) -> None:
    run = read_run(value)
    assert run.to_dict() == RUN
    assert run == read_run(RUN)


def test_numbers_as_ids() -> None:
    run = read_run({1: {10: 1.0, np.int64(20): 2}, "3": {"x": 1}})
    assert run.to_dict() == {"1": {"20": 2.0, "10": 1.0}, "3": {"x": 1.0}}
    with raises(Refused, "<dict>", "row 2", "'10'", "'1'", "row 1") as refused:
        read_run({1: {10: 1.0, "10": 2.0}})
    assert [finding.code for finding in refused.value.findings] == ["duplicate_document"]


def test_what_is_not_a_ranking() -> None:
    with raises(Refused, "<dict>") as refused:
        read_run({})
    assert [finding.code for finding in refused.value.findings] == ["empty"]
    with raises(Refused, "<list>") as refused:
        read_run([])
    assert [finding.code for finding in refused.value.findings] == ["empty"]
    with raises(InputError, "<list>", "row 2", "7", "score"):
        read_run([("q1", "d1", 1.0), 7])
    with raises(UsageError, "int", "path", "dict", "pandas", "polars", "pyarrow", "DuckDB"):
        read_run(7)
    with raises(InputError, "<list>", "row 1", "('q1',)", "grade"):
        read_qrels([("q1",)])


def test_topics() -> None:
    expected = {"q1": "one", "2": "two"}
    assert read_topics({"q1": "one", 2: "two"}) == expected
    assert read_topics([("q1", "one"), (2, "two")]) == expected
    assert read_topics([{"qid": "q1", "text": "one"}, {"qid": 2, "text": "two"}]) == expected
    with raises(InputError, "<dict>", "'q1'", "1", "text"):
        read_topics({"q1": 1})
    with raises(InputError, "<list>", "row 1", "'q1'", "topic"):
        read_topics(["q1"])
