"""Repairs: what takes no guess is done and listed, what would take one is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

from rankproof.core import Rows
from rankproof.errors import Refused
from rankproof.reading.check import check_run
from rankproof.reading.records import Order
from rankproof.reading.repair import repair
from rankproof.testing.ruling import run_rows

SHALLOW = {"shallow", "constant_scores"}  # what a repair cannot and need not change


def mended(lines: list[str], **options: object) -> tuple[list[str], list[str]]:
    rows, changes = repair(
        run_rows(lines),
        "x.run",
        again=lambda: run_rows(lines, most=6),
        **options,
    )
    assert {f.code for f in check_run(rows, "x.run")} <= SHALLOW
    return text_of(rows), [str(change) for change in changes]


def text_of(rows: Rows) -> list[str]:
    names, labels = rows.query_ids, rows.labels
    columns = zip(rows.query, rows.doc_ids(), rows.rank, rows.number, rows.label, strict=True)
    return [f"{names[q]} Q0 {doc} {rank} {score:g} {labels[label]}" for q, doc, rank, score, label in columns]


def test_a_run_without_fault_comes_back_as_it_was() -> None:
    lines = ["q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 t", "q2 Q0 d1 1 3 t"]
    assert mended(lines) == (lines, [])


def test_rows_are_sorted_and_ranks_counted_anew() -> None:
    lines = ["q2 Q0 d1 5 3 t", "q1 Q0 d2 2 8 t", "q2 Q0 d2 9 2 t", "q1 Q0 d1 0 9 t"]
    assert mended(lines) == (
        ["q2 Q0 d1 1 3 t", "q2 Q0 d2 2 2 t", "q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 t"],
        [
            "rows of query 'q2' put in order",
            "rows of query 'q1' put in order",
            "2 ranks of query 'q2' rewritten",
            "1 rank of query 'q1' rewritten",
        ],
    )


def test_equal_scores_keep_the_order_of_their_ranks() -> None:
    lines = ["q1 Q0 b 3 5 t", "q1 Q0 a 1 5 t", "q1 Q0 c 2 5 t"]
    assert mended(lines)[0] == ["q1 Q0 a 1 5 t", "q1 Q0 c 2 5 t", "q1 Q0 b 3 5 t"]


def test_the_best_ranked_of_equal_duplicates_stays() -> None:
    lines = ["q1 Q0 d1 3 9 t", "q1 Q0 d2 2 8 t", "q1 Q0 d1 1 9 t", "q1 Q0 d1 4 9.0 t"]
    assert mended(lines) == (
        ["q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 t"],
        [
            "line 1: repeated row of document 'd1' for query 'q1' removed; the one on line 3 stays",
            "line 4: repeated row of document 'd1' for query 'q1' removed; the one on line 3 stays",
            "rows of query 'q1' put in order",
        ],
    )


def test_what_follows_the_tag_is_dropped() -> None:
    lines = ["q1 Q0 d1 1 9 t and more", "q1 Q0 d2 2 8 t"]
    expected = ["what followed the last column was dropped on 1 line"]
    assert mended(lines) == (["q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 t"], expected)


def test_a_run_is_cut_only_when_told() -> None:
    lines = [f"q1 Q0 d{i} {i} {9 - i} t" for i in range(1, 6)]
    assert mended(lines)[0] == lines
    kept, changes = mended(lines, max_depth=2)
    assert kept == lines[:2]
    assert changes == ["3 rows of query 'q1' below rank 2 removed"]


def test_a_tie_across_the_cut_falls_as_in_an_evaluation() -> None:
    # By score, then id descending, the first two are a and d; among those left, old ranks order the rows.
    lines = ["q1 Q0 b 2 5 t", "q1 Q0 c 3 5 t", "q1 Q0 a 1 9 t", "q1 Q0 d 4 5 t"]
    assert mended(lines, max_depth=2)[0] == ["q1 Q0 a 1 9 t", "q1 Q0 d 2 5 t"]


def test_tags_are_mended_only_when_told() -> None:
    lines = ["q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 u"]
    with raises(Refused, "x.run", "line 2", "'u'", "'t'", "line 1", "--tag"):
        mended(lines)
    assert mended(lines, tag="t") == (["q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 t"], ["tag 't' given to 1 row"])


DISAGREES = ["q1 Q0 d1 1 8 t", "q1 Q0 d2 2 9 t", "q1 Q0 d3 3 7 t"]


def test_a_disagreement_is_settled_only_by_who_knows() -> None:
    with raises(Refused, "x.run", "line 2", "--order score", "--order rank", "--lower-is-better"):
        mended(DISAGREES)
    assert mended(DISAGREES, order=Order(by="score"))[0] == [
        "q1 Q0 d2 1 9 t",
        "q1 Q0 d1 2 8 t",
        "q1 Q0 d3 3 7 t",
    ]
    kept, changes = mended(DISAGREES, order=Order(by="rank"))
    assert kept == ["q1 Q0 d1 1 3 t", "q1 Q0 d2 2 2 t", "q1 Q0 d3 3 1 t"]
    assert changes == ["scores of query 'q1' replaced by 3 to 1, in the order of the ranks"]


def test_distances_become_scores() -> None:
    lines = ["q1 Q0 d1 1 0 t", "q1 Q0 d2 2 0.5 t"]
    kept, changes = mended(lines, order=Order(lower_is_better=True))
    assert kept == ["q1 Q0 d1 1 0 t", "q1 Q0 d2 2 -0.5 t"]
    assert changes == ["signs of the scores turned, so that a higher score is better"]


def test_the_order_of_the_lines_may_be_what_is_meant() -> None:
    lines = ["q1 Q0 d1 7 1 t", "q1 Q0 d2 3 1 t"]
    assert mended(lines, order=Order(by="given"))[0] == ["q1 Q0 d1 1 2 t", "q1 Q0 d2 2 1 t"]


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["q1 Q0 d1 1 9 t", "q1 Q0 d1 2 8 t"], "duplicate_document"),
        (["q1 Q0 d1 1 nan t"], "nan_score"),
        (["q1 Q0 d1 1 -inf t"], "infinite_score"),
        (["q1 Q0 d1 1 nine t"], "not_a_number"),
        (["q1 Q0 d1 1 9 t", "q1 Q0 d2"], "wrong_columns"),
        (["q1 Q0 d\udcff 1 9 t"], "undecodable_bytes"),
        ([], "empty"),
        (DISAGREES, "rank_disagrees"),
    ],
)
def test_no_guess_is_made(lines: list[str], code: str) -> None:
    data = "\n".join(lines).encode("utf-8", "surrogateescape")
    with raises(Refused, "x.run", "guess") as caught:
        repair(run_rows(data), "x.run")
    assert [finding.code for finding in caught.value.findings] == [code]


def test_where_ranks_decide_they_must_be_readable_and_distinct() -> None:
    for lines, code in (
        (["q1 Q0 d1 one 9 t", "q1 Q0 d2 2 8 t"], "bad_rank"),
        (["q1 Q0 d1 1 9 t", "q1 Q0 d2 1 8 t"], "duplicate_rank"),
        (["q1 Q0 d1 1 9 t", "q1 Q0 d1 2 9 t"], "duplicate_document"),
    ):
        with pytest.raises(Refused) as caught:
            repair(run_rows(lines), "x.run", order=Order(by="rank"))
        assert [finding.code for finding in caught.value.findings] == [code]


def test_lists_without_scores_stay_in_their_order() -> None:
    rows, changes = repair(Rows.from_dicts({"q1": ["b", "a", "c"]}), "lists", unit="row")
    assert rows.doc_ids() == ["b", "a", "c"]
    assert rows.rank.tolist() == [1, 2, 3]
    assert (rows.state == Rows.ABSENT).all()
    assert [str(change) for change in changes] == ["ranks added from the order of the documents"]
    with raises(Refused, "lists", "row 3", "'b'", "'q1'", "row 1", "places") as refused:
        repair(Rows.from_dicts({"q1": ["b", "a", "b"]}), "lists", unit="row")
    assert [finding.code for finding in refused.value.findings] == ["duplicate_document"]


rows_of_runs = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["a", "b", "c", "d", "e"]),
        st.integers(0, 9),
        st.sampled_from([0.0, 1.5, 2.0, 7.0]),
    ),
    min_size=1,
    max_size=15,
)


@settings(max_examples=examples(300), deadline=None)
@given(
    rows_of_runs,
    st.sampled_from([None, Order(), Order(lower_is_better=True), Order(by="rank"), Order(by="given")]),
)
def test_a_repaired_run_has_no_fault_left_and_lost_no_document(
    rows: list[tuple[str, str, int, float]], order: Order | None
) -> None:
    given_rows = run_rows([f"{q} Q0 {d} {r} {s!r} t" for q, d, r, s in rows])
    try:
        fixed, changes = repair(given_rows, "x.run", order=order)
    except Refused:
        return
    assert {f.code for f in check_run(fixed, "x.run")} <= SHALLOW
    names = fixed.query_ids
    left = [(names[q], doc) for q, doc in zip(fixed.query.tolist(), fixed.doc_ids(), strict=True)]
    assert sorted(left) == sorted({(q, d) for q, d, _, _ in rows})
    # Once repaired there is nothing left to do.
    same, none = repair(fixed, "x.run")
    assert none == ()
    assert text_of(same) == text_of(fixed)
    if order is None or order == Order():
        # Scores are untouched.
        kept = {(q, d): s for q, d, _, s in rows}
        assert fixed.number.tolist() == [kept[pair] for pair in left]
    assert bool(changes) == (text_of(fixed) != text_of(given_rows))
