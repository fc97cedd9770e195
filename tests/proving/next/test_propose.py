"""What to judge next: the order of pairs, checked by hand on small collections."""

from __future__ import annotations

import math

import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.proving.holes.bounds import Proposal
from rankproof.proving.next import propose


def pairs(found: Proposal) -> list[tuple[str, str]]:
    return [(want.query_id, want.doc_id) for want in found.wanted]


# The candidate is better so far: it has a, of grade 3, where the baseline has n, of grade 0.
QRELS = {"q1": {"a": 3, "n": 0, "m": 0}, "q2": {"a": 1, "n": 0}}
BASELINE = {"q1": ["n", "x", "m"], "q2": ["a", "z"]}
CANDIDATE = {"q1": ["a", "m", "y"], "q2": ["a", "z"]}


def test_what_speaks_for_the_weaker_side_comes_first() -> None:
    """x stands for the baseline at rank 2, y for the candidate at rank 3; z is at rank 2 of both and decides nothing.

    The lower bound of the difference rises when x turns out not relevant, which is likely, by up to 3 / log2(3) over
    2 queries; y would lift it only by turning out relevant.
    """
    found = propose(QRELS, [BASELINE, CANDIDATE], "DCG@3")
    assert pairs(found) == [("q1", "x"), ("q1", "y")]
    assert 0 < found.wanted[1].worth < found.wanted[0].worth < 3 / math.log2(3) / 2
    assert [want.best_rank for want in found.wanted] == [2, 3]
    assert (found.documents, found.useful) == (3, 2)


def test_the_bounds_that_are_to_be_settled() -> None:
    """3 for a, less 3/log2(3) for x at the most; or 3/log2(4) more for y. Over 2 queries."""
    found = propose(QRELS, [BASELINE, CANDIDATE], "DCG@3")
    (bound,) = found.differences
    assert bound.least == pytest.approx((3 - 3 / math.log2(3)) / 2)
    assert bound.greatest == pytest.approx((3 + 3 / 2) / 2)
    assert found.settled == (True,)
    assert found.values == (pytest.approx(0.5), pytest.approx(2.0))


def test_n_cuts_the_list_and_none_gives_all() -> None:
    assert len(propose(QRELS, [BASELINE, CANDIDATE], n=1).wanted) == 1
    assert len(propose(QRELS, [BASELINE, CANDIDATE], n=None).wanted) == 2


def test_the_sign_that_is_open_decides_of_two_candidates() -> None:
    """The first candidate is settled; only what tells the second one from the baseline is asked for."""
    qrels = {"q": {"a": 3, "n": 0, "m": 0}}
    sure = {"q": ["a", "n", "m"]}
    alike = {"q": ["n", "m", "x"]}
    found = propose(qrels, [{"q": ["n", "m", "a2"]}, sure, alike], "DCG@3", top_grade=3)
    assert found.settled == (True, False)
    assert set(pairs(found)) == {("q", "a2"), ("q", "x")}


def test_documents_of_a_pool_matter_to_measures_that_count_what_is_missing() -> None:
    """R@1: p is in no run, and raises the number of relevant documents. DCG does not know it."""
    runs = [{"q": ["a"]}, {"q": ["b"]}]
    qrels = {"q": {"a": 1, "b": 0}}
    assert propose(qrels, runs, "DCG@1", pool={"q": ["p"]}).wanted == ()
    found = propose(qrels, runs, "R@1", pool={"q": ["p"]})
    assert pairs(found) == [("q", "p")]
    assert found.wanted[0].best_rank == 0


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "R@3", "P@2", "Success@1", "ERR@3", "Bpref", "Rprec", "RBP"])
def test_other_measures(measure: str) -> None:
    """Only unjudged documents, each once, the best first; the same every time."""
    found = propose(QRELS, [BASELINE, CANDIDATE], measure)
    told = pairs(found)
    assert len(set(told)) == len(told)
    assert all(doc not in QRELS[query] for query, doc in told)
    worths = [want.worth for want in found.wanted]
    assert worths == sorted(worths, reverse=True)
    assert propose(QRELS, [BASELINE, CANDIDATE], measure).wanted == found.wanted


def test_documents_below_the_cutoff_matter_to_ndcg_by_the_ideal_alone() -> None:
    """x decides who is better. The others, alike to both runs, can only make the difference smaller."""
    deep = [f"d{i}" for i in range(10)]
    runs = [{"q": ["a", "x", *deep]}, {"q": ["x", "a", *deep]}]
    found = propose({"q": {"a": 1}}, runs, "nDCG@2")
    assert pairs(found) == [("q", "x"), *(("q", doc) for doc in deep)]
    assert found.wanted[0].worth > 2 * found.wanted[1].worth


def test_refusals() -> None:
    with raises(UsageError, "runs", "baseline"):
        propose(QRELS, [BASELINE])
    with raises(UsageError, "measure", "2"):
        propose(QRELS, [BASELINE, CANDIDATE], "DCG@3 P@3")
    with raises(UsageError, "Judged@10", "DCG@10"):
        propose(QRELS, [BASELINE, CANDIDATE], "Judged@10")
    with raises(UsageError, "StRecall@10", "subtopic", "DCG@10"):
        propose(QRELS, [BASELINE, CANDIDATE], "StRecall@10")
