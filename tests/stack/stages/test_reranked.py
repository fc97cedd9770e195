"""A rerank keeps every document, moves nothing below its depth, and its scores keep its order."""

from __future__ import annotations

import numpy as np
import pytest
from tests.raising import raises

from rankproof.reading.ranking import Ranking
from rankproof.stack.stages._scores import mixed
from rankproof.stack.stages.contract import reorder_head, rerank_head

INCOMING = Ranking(("a", "b", "c", "d", "e"), np.array([9.0, 8.0, 7.0, 6.0, 6.0]))


def test_the_head_is_ordered_and_the_tail_keeps_its_scores() -> None:
    # The least new score is 0.1 and the tail begins with 6, so 6 + 1 - 0.1 = 6.9 is added.
    out = rerank_head(INCOMING, 3, [0.1, 0.9, 0.5])
    assert out.doc_ids == ("b", "c", "a", "d", "e")
    assert out.scores == pytest.approx([7.8, 7.4, 7.0, 6.0, 6.0], abs=1e-6)
    assert out.scores[3:].tolist() == [6.0, 6.0]


def test_scores_stay_as_they_are_where_they_stand_above_the_tail() -> None:
    assert rerank_head(INCOMING, 2, [10.5, 11.5]).scores.tolist() == [11.5, 10.5, 7.0, 6.0, 6.0]
    assert rerank_head(INCOMING, 9, [-1.0, -2.0, -3.0, -4.0, -5.0]).scores.tolist() == [-1.0, -2.0, -3.0, -4.0, -5.0]


def test_equal_scores_leave_the_incoming_order_and_do_not_tie_even_in_32_bits() -> None:
    out = rerank_head(INCOMING, 4, [0.5, 0.5, 0.5 + 1e-12, 0.5])
    assert out.doc_ids == ("c", "a", "b", "d", "e")
    assert (np.diff(out.scores.astype(np.float32)) < 0).all()


def test_a_document_without_a_score_keeps_its_place() -> None:
    assert rerank_head(INCOMING, 4, [None, 0.1, None, 0.9]).doc_ids == ("a", "d", "c", "b", "e")
    out = rerank_head(INCOMING, 5, [0.1, 0.2, 0.3, 0.4, None])
    assert out.doc_ids == ("d", "c", "b", "a", "e")
    assert (np.diff(out.scores) < 0).all()


def test_without_any_score_nothing_changes() -> None:
    assert rerank_head(INCOMING, 3, [None, None, None]) is INCOMING
    assert rerank_head(Ranking((), np.array([])), 3, []).doc_ids == ()


def test_an_order_is_taken_as_it_is() -> None:
    out = reorder_head(INCOMING, ["c", "a", "b"])
    assert out.doc_ids == ("c", "a", "b", "d", "e")
    assert out.scores.tolist() == [9.0, 8.0, 7.0, 6.0, 6.0]  # 3, 2, 1 and 6 + 1 - 1 for each
    assert reorder_head(INCOMING, []) is INCOMING


@pytest.mark.parametrize("order", [["a", "a"], ["a", "c"], ["a", "x"]])
def test_an_order_that_would_lose_a_document_is_refused(order: list[str]) -> None:
    with raises(ValueError, "order", "once"):
        reorder_head(INCOMING, order)


def test_wrong_scores_are_refused() -> None:
    with raises(ValueError, 3, 2, "scores"):
        rerank_head(INCOMING, 3, [1.0, 2.0])
    with raises(ValueError, "score", "finite"):
        rerank_head(INCOMING, 2, [1.0, float("nan")])


def test_any_scores_keep_the_promises() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 12))
        depth = int(rng.integers(1, 15))
        incoming = Ranking(
            tuple(f"d{i}" for i in range(n)), np.sort(rng.normal(0, 10.0 ** rng.integers(-6, 35), n))[::-1]
        )
        scale = 10.0 ** rng.integers(-12, 35)
        scores = [None if rng.random() < 0.2 else float(s) for s in rng.normal(0, scale, min(n, depth)).round(1)]
        out = rerank_head(incoming, depth, scores)
        assert sorted(out.doc_ids) == sorted(incoming.doc_ids)
        assert out.doc_ids[depth:] == incoming.doc_ids[depth:]
        assert out.scores[depth:].tolist() == incoming.scores[depth:].tolist()
        if any(score is not None for score in scores):
            assert (np.diff(out.scores[: depth + 1]) < 0).all()
        known = {doc: score for doc, score in zip(incoming.doc_ids, scores, strict=False) if score is not None}
        ranked = [known[doc] for doc in out.doc_ids if doc in known]
        assert ranked == sorted(ranked, reverse=True)


def test_new_and_incoming_scores_are_mixed_over_the_documents_that_have_both() -> None:
    # Of a, b, d the incoming 9, 8, 6 become 1, 2/3, 0 and the new 0.1, 0.9, 0.5 become 0, 1, 0.5.
    scores = mixed(INCOMING, [0.1, 0.9, None, 0.5], 0.25)
    assert scores[2] is None
    assert [scores[i] for i in (0, 1, 3)] == pytest.approx([0.75, 0.25 + 0.5, 0.125])
    assert mixed(INCOMING, [0.1, None], 1.0) == [0.1, None]
    assert mixed(INCOMING, [None], 0.5) == [None]
    assert rerank_head(INCOMING, 5, mixed(INCOMING, [0.0, 1.0, 2.0, 3.0, 4.0], 0.0)).doc_ids == INCOMING.doc_ids
