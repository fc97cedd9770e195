"""Collecting: options of reading, what is refused, and what can be said about a source."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, Refused, UsageError
from rankproof.reading.collect import plan, read_qrels, read_rows, read_run
from rankproof.reading.records import Order

RUN = b"q1 Q0 d1 1 1.5 t\nq1 Q0 d2 2 2.5 t\n"


def test_orders() -> None:
    assert list(read_run(RUN)["q1"]) == ["d2", "d1"]
    assert list(read_run(RUN, order="rank")["q1"]) == ["d1", "d2"]
    assert list(read_run(RUN, order="given")["q1"]) == ["d1", "d2"]
    assert list(read_run(RUN, lower_is_better=True)["q1"]) == ["d1", "d2"]
    assert read_run(RUN, lower_is_better=True).order == Order(lower_is_better=True)
    # Once read by rank, the order is the rows' own.
    assert read_run(RUN, order="rank").order.by == "given"
    # Ties: the id that is greater as bytes comes first, as in trec_eval.
    assert list(read_run({"q": {"a": 1.0, "b": 1.0, "é": 1.0}})["q"]) == ["é", "b", "a"]


def test_a_run_is_read_again_as_itself() -> None:
    run = read_run(RUN, name="mine")
    again = read_run(run)
    assert again == run
    assert again.name == "mine"
    assert list(read_run(run, order="given")["q1"]) == ["d2", "d1"]
    assert read_qrels(qrels := read_qrels({"q": {"d": 1}})) == qrels


def test_faults_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(RUN + b"q1 Q0 d1 3 0.5 t\n")
    with raises(Refused, path, "line 3", "'d1'", "'q1'", "line 1") as error:
        read_run(path)
    assert [finding.code for finding in error.value.findings] == ["duplicate_document"]
    allowed = read_run(path, allow=["duplicate_document"])
    assert allowed.to_dict() == {"q1": {"d2": 2.5, "d1": 1.5}}
    assert "1 row that repeats a document is left out; the first counts" in allowed.notes


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"# only a comment\n", "empty"),
        (RUN + b"q1 Q0 d3 3\n", "wrong_columns"),
        (RUN + b"q1 Q0 d3 3 x t\n", "not_a_number"),
        (RUN + b"q1 Q0 d3 3 nan t\n", "nan_score"),
        (RUN + b"q1 Q0 d3 3 1e999 t\n", "infinite_score"),
        (RUN + b"q1 Q0 d\xff 3 1 t\n", "undecodable_bytes"),
    ],
)
def test_each_fault_of_a_run(content: bytes, code: str) -> None:
    with raises(Refused) as error:
        read_run(content)
    assert code in {finding.code for finding in error.value.findings}


def test_qrels_with_doubles() -> None:
    assert read_qrels(b"q1 0 d1 1\nq1 0 d1 1\n").to_dict() == {"q1": {"d1": 1}}
    with raises(Refused) as refused:
        read_qrels(b"q1 0 d1 1\nq1 0 d1 2\n")
    assert [finding.code for finding in refused.value.findings] == ["conflicting_judgment"]
    with raises(Refused) as refused:
        read_qrels(b"")
    assert [finding.code for finding in refused.value.findings] == ["empty_qrels"]


def test_names() -> None:
    assert read_run(RUN).name == "t"
    assert read_run(b"q1,d1,0.5\n").name == "run"
    assert read_run(RUN, name="x").name == "x"


def test_the_name_of_a_file_names_the_run(tmp_path: Path) -> None:
    path = tmp_path / "bm25.tuned.csv"
    path.write_bytes(b"q1,d1,0.5\n")
    assert read_run(path).name == "bm25"


def test_what_was_read_can_be_said() -> None:
    _, said = read_rows(b"q1,d1,0.5\n", "run")
    assert str(said) == (
        "<bytes>: run; format csv; columns separated by commas; no header; column 3 read as the score; "
        "order: score descending, then document id descending"
    )
    _, said = read_rows(b"q1 0 d1 1\n", "qrels")
    assert str(said) == "<bytes>: qrels; format trec; columns by place: query_id subtopic doc_id grade"


def test_plans_are_for_text_only() -> None:
    assert plan(RUN, "run") is not None
    assert plan(b"", "run") is None
    assert plan(b'{"q1": {"d1": 1}}', "run") is None
    assert plan({"q1": {"d1": 1}}, "run") is None
    with raises(UsageError, "trec", "'field'"):
        plan(RUN, "run", field="title")


# ---- passages to documents, and a document that is the query -------------------------------------

PASSAGES = {"q1": {"a#1": 1.0, "b#1": 2.0, "a#2": 3.0, "c": 0.5}, "q2": {"a#1": 1.0}}


def test_the_best_passage_counts() -> None:
    run = read_run(PASSAGES, collapse="#")
    assert run.to_dict() == {"q1": {"a": 3.0, "b": 2.0, "c": 0.5}, "q2": {"a": 1.0}}
    assert (
        "collapsed by '#': 5 rows to 4, the best chunk of each document; "
        "1 row without a document is kept under its own id" in run.notes
    )
    nearest = read_run(PASSAGES, collapse="#", lower_is_better=True)
    assert nearest["q1"] == {"c": 0.5, "a": 1.0, "b": 2.0}
    first = read_run({"q1": ["a#2", "b#1", "a#1"]}, collapse="#")
    assert list(first["q1"]) == ["a", "b"]
    ranked = read_run(b"q1 Q0 a#1 2 9 t\nq1 Q0 b#1 1 1 t\nq1 Q0 a#2 3 5 t\n", order="rank", collapse="#")
    assert list(ranked["q1"]) == ["b", "a"]


def test_patterns() -> None:
    world = {"q1": {"doc_7_1": 1.0, "doc_7_2": 2.0, "doc_8_1": 0.0}}
    assert list(read_run(world, collapse=r"(.*)_\d+")["q1"]) == ["doc_7", "doc_8"]
    # A separator counts where it comes first.
    assert list(read_run(world, collapse="_")["q1"]) == ["doc"]
    qrels = read_qrels({"q1": {"a#1": 1, "a#2": 3}}, collapse="#")
    assert qrels.to_dict() == {"q1": {"a": 3}}
    with raises(InputError, "<dict>", "'@'", "'doc_7_1'"):
        read_run(world, collapse="@")
    with raises(UsageError, "'(.*'", "position 0"):
        read_run(world, collapse="(.*")
    with raises(UsageError, "'(?:x)'", "group", "'(.*)_[0-9]+'"):
        read_run(world, collapse=r"(?:x)")
    with raises(UsageError, "empty", "'#'"):
        read_run(world, collapse="")


def test_doubles_are_found_before_passages_are_collapsed() -> None:
    with raises(Refused) as refused:
        read_run([("q1", "a#1", 1.0), ("q1", "a#1", 2.0)], collapse="#")
    assert [finding.code for finding in refused.value.findings] == ["duplicate_document"]


def test_subtopics_are_collapsed_apart() -> None:
    qrels = read_qrels(b"q1 1 a#1 1\nq1 1 a#2 2\nq1 2 a#1 1\n", collapse="#")
    assert [tuple(row) for row in qrels.judged()] == [("q1", ["a", "a"], [2, 1], ["1", "2"])]


def test_a_document_that_is_the_query_is_dropped() -> None:
    run = read_run({"q1": {"q1": 9.0, "q2": 1.0}, "q2": {"q1": 1.0}}, drop_self=True)
    assert run.to_dict() == {"q1": {"q2": 1.0}, "q2": {"q1": 1.0}}
    assert "dropped 1 document whose id is the query's own" in run.notes
