"""A fault is the same fault whatever it came in: text with blanks or tabs, dicts, columns, Arrow."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.core import Rows
from rankproof.reading.check import check_qrels, check_run
from rankproof.testing.ruling import qrels_rows

SCORES = {
    "q1": {"a": 3.0, "b": float("nan"), "c": float("inf"), "d": 3.0},
    "q2": {"a": 1.0, "b": 1.0},
    "q9": {"z": 0.5},
}
JUDGED = ["q1 0 a 1", "q2 0 a 1", "q3 0 a 1"]
COLUMNS = [(q, d, s) for q, docs in SCORES.items() for d, s in docs.items()]


def from_columns() -> Rows:
    query, doc, number = zip(*COLUMNS, strict=True)
    return Rows.from_columns(list(query), list(doc), np.array(number))


def from_arrow() -> Rows:
    pyarrow = pytest.importorskip("pyarrow")
    query, doc, number = (list(column) for column in zip(*COLUMNS, strict=True))
    # from_pandas=False: NaN stays NaN and does not become a missing value.
    table = pyarrow.table({"q": query, "d": doc, "s": pyarrow.array(number, from_pandas=False)})
    return Rows.from_arrow(table, "q", "d", "s")


def from_text(separator: str, end: str) -> Rows:
    text = "".join(separator.join((q, d, repr(s))) + end for q, d, s in COLUMNS)
    return Rows.from_text(text.encode(), " ", 0, 1, number=2, least=3)


SOURCES = {
    "dicts": lambda: Rows.from_dicts(SCORES),
    "columns": from_columns,
    "arrow": from_arrow,
    "blanks": lambda: from_text(" ", "\n"),
    "tabs and CRLF": lambda: from_text(" \t ", "\r\n"),
}


@pytest.mark.parametrize("source", SOURCES)
def test_findings_do_not_depend_on_the_source(source: str) -> None:
    rows = SOURCES[source]()
    found = check_run(rows, "x", qrels=qrels_rows(JUDGED), cutoffs=(1,))
    said = {(f.code, f.severity, f.query_id, f.doc_id, f.message) for f in found}
    plain = check_run(SOURCES["columns"](), "x", qrels=qrels_rows(JUDGED), cutoffs=(1,))
    assert said == {(f.code, f.severity, f.query_id, f.doc_id, f.message) for f in plain}
    assert {f.code for f in found} == {
        "nan_score", "infinite_score", "constant_scores", "missing_query", "unknown_query", "tied_at_cutoff",
    }  # fmt: skip


def test_a_list_without_scores_has_no_fault_of_scores() -> None:
    rows = Rows.from_dicts({"q1": ["a", "b", "c"], "q2": ["b"]})
    assert [f.code for f in check_run(rows, "x", cutoffs=(1,))] == []


def test_a_source_without_lines_counts_rows() -> None:
    rows = Rows.from_dicts({"q1": ["a", "b", "a"]})
    (found,) = check_run(rows, "lists", cutoffs=(1,), unit="row")
    said = "lists, row 3: document 'a' is already ranked for query 'q1' in row 1. Keep one of the two lines."
    assert str(found) == said


def test_subtopics_are_no_duplicates() -> None:
    lines = ["q1 1 a 1", "q1 2 a 1", "q1 3 a 2"]
    assert check_qrels(qrels_rows(lines), "x") == ()
    codes = [f.code for f in check_qrels(qrels_rows([*lines, "q1 2 a 1", "q1 3 a 0"]), "x")]
    assert codes == ["conflicting_judgment", "duplicate_judgment", "zero_grades"]
