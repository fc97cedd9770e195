"""What a server gave, to a ranking: ties, numbers of every size, ids of every kind."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.raising import raises

from rankproof.kernel.secrets import Secrets
from rankproof.measuring.evaluate import evaluate
from rankproof.stack.engines._answer import ranking_of
from rankproof.stack.engines._wire import Wire
from rankproof.stack.engines.contract import AskFailed


def test_ties_are_ordered_as_they_are_measured() -> None:
    """b and c tie: the greater id stands first, in the ranking and in the run that is evaluated."""
    ranking = ranking_of(["a", "b", "c", "d"], [3, 2.0, 2, 1], 10)
    assert ranking.doc_ids == ("a", "c", "b", "d")
    run = {"q": dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))}
    for rank, doc in enumerate(ranking.doc_ids, start=1):
        assert evaluate({"q": {doc: 1}}, run, "RR")["RR"].mean == 1 / rank


def test_without_scores_the_order_is_all_there_is() -> None:
    for scores in (None, [None, None, None]):
        ranking = ranking_of(["b", "c", "a"], scores, 10)
        assert (ranking.doc_ids, ranking.scores.tolist()) == (("b", "c", "a"), [3, 2, 1])


def test_fewer_hits_than_wanted_more_and_none() -> None:
    assert ranking_of(["b"], [1], 10).doc_ids == ("b",)
    assert ranking_of(["b", "a", None], [2, 1, "x"], 2).doc_ids == ("b", "a")  # what is below the depth is not read
    assert len(ranking_of([], [], 10)) == 0


def test_ids_of_every_script_and_whole_numbers() -> None:
    assert ranking_of(["ä", 7, "鞋", "d\udcff"], [1, 1, 1, 1], 10).doc_ids == ("鞋", "ä", "d\udcff", "7")


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, 10**400, "2", True, [1], None])
def test_what_is_no_score(score: Any) -> None:
    with raises(AskFailed, "score", 2) as failed:
        ranking_of(["a", "b"], [3, score], 10)
    assert not failed.value.again


@pytest.mark.parametrize("doc", [None, "", 1.5, True, ["a"]])
def test_what_is_no_id(doc: Any) -> None:
    with raises(AskFailed, "id", 2, repr(doc)):
        ranking_of(["a", doc], [2, 1], 10)


def test_scores_that_rise_and_documents_that_come_twice() -> None:
    with raises(AskFailed, "score", "hit 1 (1)", "hit 2 (2)"):
        ranking_of(["a", "b"], [1, 2], 10)
    with raises(AskFailed, "'7'", "hit 1", "hit 3"):
        ranking_of([7, "b", "7"], [3, 2, 1], 10)


def test_a_number_of_5000_digits_is_an_unreadable_answer() -> None:
    pytest.importorskip("httpx")
    wire = Wire("http", Secrets("http"), {})
    with raises(AskFailed, "GET x", "JSON") as failed:
        wire._parsed("GET x", b'{"hits": ' + b"1" * 5000 + b"}")
    assert failed.value.kind == "unreadable answer"
    wire.close()
