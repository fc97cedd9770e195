"""Quepid's numbers, worked by hand from its scorers, and a plain reading of nDCG@10."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given, settings
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import OutOfDialect, UsageError
from rankproof.measuring.evaluate import evaluate
from rankproof.testing.collections import CollectionKind, collections


def value(measure, ratings, rated_elsewhere=()):
    """One query: ratings of its results by rank (None is unrated), and those of rated documents it lacks."""
    results = [f"result {i}" for i in range(len(ratings))]
    rated = {doc: rating for doc, rating in zip(results, ratings, strict=True) if rating is not None}
    rated |= {f"other {i}": rating for i, rating in enumerate(rated_elsewhere)}
    return evaluate({"q": rated}, {"q": results}, measure, dialect="quepid")[measure].mean


def test_the_ideal_of_ndcg_is_not_cut():
    # One result with rating 3, and ten more rated 3: 7 over 7 (1/log2(2) + ... + 1/log2(12)).
    assert value("nDCG@10", [3], [3] * 10) == pytest.approx(1 / sum(1 / log2(i + 2) for i in range(11)))
    assert value("nDCG@1", [3], [3]) == pytest.approx(1 / (1 + 1 / log2(3)))


def test_precision_and_average_precision():
    assert value("P@10", [1, None, 0]) == pytest.approx(1 / 3)
    # Relevant at 1 and 3 of three relevant: (1/1 + 2/3) / 3
    assert value("AP@10", [1, 0, 2], [3]) == pytest.approx(5 / 9)
    assert value("RR@10", [None, 2]) == 0.5


def test_expected_reciprocal_rank_has_top_grade_3_whatever_the_ratings():
    # (2^1 - 1) / 2^3 at rank 1; then 7/8 x 3/8 / 2 at rank 2
    assert value("ERR@10", [1, 2]) == pytest.approx(1 / 8 + 7 / 8 * 3 / 8 / 2)


def test_discounted_gain():
    assert value("DCG@10", [3, 0, 2]) == pytest.approx(7 + 3 / 2)
    assert value("DCG@1", [3, None]) == 7.0


def plain(rated, results, k):
    """nDCG as the scorer reads: the first k against all ratings, best first."""
    gained = sum((2 ** rated.get(doc, 0) - 1) / log2(i + 2) for i, doc in enumerate(results[:k]))
    ideal = sum((2**r - 1) / log2(i + 2) for i, r in enumerate(sorted(rated.values(), reverse=True)))
    return gained / ideal if ideal else 0.0


@settings(max_examples=examples(100), deadline=None)
@given(collection=collections(CollectionKind(grades=(0, 0, 1, 2, 3))))
def test_ndcg_as_the_scorer_reads(collection):
    qrels, run = collection
    expected = {query: plain(qrels[query], list(run.get(query, {})), 3) for query in qrels}
    ours = evaluate(qrels, run, "nDCG@3", dialect="quepid")["nDCG@3"]
    assert ours.by_query == pytest.approx(expected, abs=1e-9)


def test_what_lies_outside_is_refused():
    with raises(OutOfDialect, "DCG(gain=exp2)@10", "q", "grades", 0):
        value("DCG@10", [-1, 1])
    with raises(OutOfDialect, "DCG(gain=exp2)@10", "q", "unrated"):
        value("DCG@10", [3, None, 2])
    with raises(OutOfDialect, "ERR(max_grade=3)@10", "q", "grades", 3):
        value("ERR@10", [4])
    with raises(OutOfDialect, "AP@10", "q", "relevant", "undefined=skip"):
        value("AP@10", [0])
    with raises(UsageError, "R@10", "quepid", "nDCG", "DCG", "P", "AP", "RR", "ERR"):
        value("R@10", [1])
