"""Checks together: order of the findings, allowing, strictness, and the refusal of what cannot be trusted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

from rankproof.core import Rows
from rankproof.errors import Refused, UnknownName
from rankproof.reading.check import check_qrels, check_run, refuse
from rankproof.reading.records import Order
from rankproof.testing.ruling import qrels_rows, run_rows

TWO_FAULTS = ["q1 Q0 d1 1 9 t", "q1 Q0 d2 2 nan t", "q1 Q0 d1 3 7 u", "q1 Q0 d3 9 6 t"]


def codes(lines: list[str], **options: object) -> list[tuple[str, str]]:
    found = check_run(run_rows(lines), "x.run", **options)
    return [(finding.severity, finding.code) for finding in found]


def test_gravest_first_then_by_line() -> None:
    assert codes(TWO_FAULTS) == [
        ("error", "nan_score"),
        ("error", "duplicate_document"),
        ("warning", "shallow"),
        ("warning", "mixed_tags"),
        ("warning", "rank_gap"),
    ]


def test_what_is_allowed_becomes_a_note() -> None:
    assert codes(TWO_FAULTS, allow=["nan_score", "shallow", "duplicate_document"], strict=True) == [
        ("error", "mixed_tags"),
        ("error", "rank_gap"),
        ("note", "shallow"),
        ("note", "nan_score"),
        ("note", "duplicate_document"),
    ]


def test_strict_makes_errors_of_warnings_and_not_of_notes() -> None:
    rows = qrels_rows(["q1 0 d1 1", "q1 0 d2 -1", "q1 0 d3 0"])
    found = check_qrels(rows, "x", strict=True)
    assert [(f.severity, f.code) for f in found] == [("error", "negative_grade"), ("note", "zero_grades")]


def test_an_unknown_code_names_its_neighbor() -> None:
    with raises(UnknownName) as unknown:
        check_run(run_rows(TWO_FAULTS), "x", allow=["duplicate_doc"])
    assert (unknown.value.name, unknown.value.near) == ("duplicate_doc", ["duplicate_document"])
    with raises(UnknownName) as unknown:
        refuse(run_rows(["q1 Q0 d1 1 9 t"]), "run", "x", allow=["nothing_like_it"])
    assert (unknown.value.name, unknown.value.near) == ("nothing_like_it", [])


def test_a_refusal_says_the_first_fault_how_many_more_and_what_to_do() -> None:
    with pytest.raises(Refused) as caught:
        refuse(run_rows(TWO_FAULTS), "run", "x.run")
    assert str(caught.value) == (
        "x.run, line 2: the score of document 'd2' for query 'q1' is NaN, which has no place in an order. "
        "Give the document a real score or leave it out. 1 more such error (nan_score, duplicate_document). "
        "See all with: rankproof runs validate x.run. "
        "To go on all the same: --allow nan_score --allow duplicate_document."
    )
    assert [finding.code for finding in caught.value.findings] == ["nan_score", "duplicate_document"]


def test_a_refusal_counts_what_was_folded() -> None:
    with raises(Refused, "x.run", "99", "nan_score", "rankproof runs validate x.run"):
        refuse(run_rows([f"q{i} Q0 d1 1 nan t" for i in range(100)]), "run", "x.run")


def test_what_is_allowed_is_not_refused() -> None:
    refuse(run_rows(TWO_FAULTS), "run", "x.run", allow=["nan_score", "duplicate_document"])


def test_warnings_are_not_refused() -> None:
    refuse(run_rows(["q1 Q0 d1 7 9 t", "q1 Q0 d2 7 9 u"]), "run", "x.run")
    refuse(qrels_rows(["q1 0 d1 -1", "q1 0 d1 -1"]), "qrels", "x.qrels")


def test_unreadable_ranks_are_refused_where_ranks_decide() -> None:
    rows = run_rows(["q1 Q0 d1 first 9 t"])
    refuse(rows, "run", "x.run")
    with raises(Refused, "x.run", "line 1", "'d1'", "'q1'", "rank") as refused:
        refuse(rows, "run", "x.run", order=Order(by="rank"))
    assert [finding.code for finding in refused.value.findings] == ["bad_rank"]


def test_qrels_refused_point_to_their_command() -> None:
    with raises(Refused, "rankproof qrels validate x.qrels", "--allow conflicting_judgment"):
        refuse(qrels_rows(["q1 0 d1 1", "q1 0 d1 2"]), "qrels", "x.qrels")


def test_blanks_read_with_another_separator_are_never_called_valid() -> None:
    # A space-separated run, read as if tabs parted its columns: no line becomes a row.
    rows = Rows.from_text(b"q1 Q0 d1 1 9 t\nq1 Q0 d2 2 8 t\n", "\t", 0, 1, number=2, least=3)
    assert len(rows) == 0
    found = check_run(rows, "x.run")
    assert [(f.severity, f.code, f.line) for f in found] == [
        ("error", "wrong_columns", 1), ("error", "wrong_columns", 2), ("error", "empty", None),
    ]  # fmt: skip
    assert "none of its 2 lines could be read as a row" in str(found[-1])
    with raises(Refused) as refused:
        refuse(rows, "run", "x.run")
    assert [finding.code for finding in refused.value.findings] == ["wrong_columns", "wrong_columns", "empty"]


def test_distances_are_held_against_ranks_the_other_way_round() -> None:
    lines = ["q1 Q0 d1 1 0.1 t", "q1 Q0 d2 2 0.4 t"]
    assert ("warning", "rank_disagrees") in codes(lines)
    assert ("warning", "rank_disagrees") not in codes(lines, order=Order(lower_is_better=True))
    assert ("warning", "rank_disagrees") in codes(lines[::-1])
    assert ("warning", "rank_disagrees") not in codes(lines, order=Order(by="rank"))


def test_topics_alone_are_enough_to_hold_queries_against() -> None:
    found = check_run(run_rows(["q1 Q0 d1 1 9 t", "q9 Q0 d1 1 9 t"]), "x.run", topics={"q1": "one", "q2": "two"})
    messages = [f.message for f in found if f.code.endswith("_query")]
    assert messages == [
        "query 'q9' is not in the topics and cannot be scored.",
        "query 'q2' of the topics is missing from the run and counts as an empty ranking.",
    ]


# A byte order mark at the beginning of a file is no part of an id.
ids = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")).filter(
        lambda c: not c.isspace() and c != "\ufeff"
    ),
    min_size=1,
    max_size=6,
)
rankings = st.dictionaries(ids, st.lists(ids, unique=True, min_size=1, max_size=12), min_size=1, max_size=5)


@settings(max_examples=examples(100), deadline=None)
@given(rankings)
def test_a_valid_run_has_no_error_and_is_not_refused(run: dict[str, list[str]]) -> None:
    lines = [
        f"{query} Q0 {doc} {rank} {100 - rank} t"
        for query, docs in run.items()
        for rank, doc in enumerate(docs, start=1)
    ]
    rows = run_rows(lines)
    judged = qrels_rows([f"{query} 0 {docs[-1]} 1" for query, docs in run.items()])
    found = check_run(rows, "x.run", qrels=judged, topics=list(run), cutoffs=(1, 10))
    assert {f.code for f in found} <= {"shallow"}
    refuse(rows, "run", "x.run")
    refuse(judged, "qrels", "x.qrels")
    assert check_qrels(judged, "x.qrels") == ()


def test_findings_are_the_same_every_time() -> None:
    rows = run_rows(TWO_FAULTS)
    assert check_run(rows, "x", cutoffs=(1, 2)) == check_run(run_rows(TWO_FAULTS), "x", cutoffs=(2, 1))
