"""Shares of grades in the first k: parts that add up to 1, at the depth the measures speak of."""

from __future__ import annotations

import pytest

from rankproof.measuring.grade_shares import MOST_GRADES, grade_shares
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun, join_run, prepare_qrels

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
RUNS = {
    "first": {"q1": {"a": 4.0, "b": 3.0, "x": 2.0, "c": 1.0}, "q2": {"a": 1.0}},
    "second": {"q1": {"x": 2.0, "y": 1.0}},
}


def prepared(qrels: object = QRELS) -> dict[str, PreparedRun]:
    judged = prepare_qrels(qrels, None, ())
    return {name: join_run(judged, run, name=name) for name, run in RUNS.items()}


def test_shares_by_hand() -> None:
    """Depth 4. first: q1 has 2, 0, unjudged, 1; q2 has 1 and three empty ranks. second: q1 two unjudged; q2 nothing."""
    found = grade_shares(prepared(), parse("AP nDCG@4 P@2"))
    assert found is not None
    assert found.depth == 4
    assert found.systems == ("first", "second")
    assert found.parts == (2, 1, 0, "unjudged", "not returned")
    assert found.shares[0] == pytest.approx((1 / 8, 2 / 8, 1 / 8, 1 / 8, 3 / 8))
    assert found.shares[1] == pytest.approx((0, 0, 0, 2 / 8, 6 / 8))


def test_without_a_cutoff_the_first_page_is_looked_at() -> None:
    found = grade_shares(prepared(), parse("AP"))
    assert found is not None
    assert found.depth == 10
    assert [sum(row) for row in found.shares] == pytest.approx([1, 1])


def test_a_recall_level_is_no_depth() -> None:
    """IPrec@0.5 is cut at a recall level: a share of documents, not a rank."""
    found = grade_shares(prepared(), parse("IPrec@0.5 P@3"))
    assert found is not None
    assert found.depth == 3


def test_marks_on_a_long_scale_make_no_picture() -> None:
    marks = {"q1": {f"d{i}": i for i in range(MOST_GRADES + 1)}}
    assert grade_shares(prepared(marks), parse("nDCG@10")) is None
