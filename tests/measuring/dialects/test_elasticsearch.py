"""Elasticsearch's numbers: those of its own tests and of a pull request, and a plain reading of its definition."""

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
    """One search: ratings of its hits by rank (None is unrated), and those of rated documents it lacks."""
    hits = [f"hit {i}" for i in range(len(ratings))]
    rated = {doc: rating for doc, rating in zip(hits, ratings, strict=True) if rating is not None}
    rated |= {f"other {i}": rating for i, rating in enumerate(rated_elsewhere)}
    return evaluate({"q": rated}, {"q": hits}, measure, dialect="elasticsearch")[measure].mean


@pytest.mark.parametrize(
    ("ratings", "elsewhere", "dcg", "ideal"),
    [
        # 7 + 3/log2(3) + 7/2 + 0 + 1/log2(6) + 3/log2(7), against 3 3 2 2 1 0
        ([3, 2, 3, 0, 1, 2], [], 13.84826362927298, 14.595390756454922),
        # two hits are unrated; the ideal has the four rated ones: 3 3 2 1
        ([3, 2, 3, None, 1, None], [], 12.779642067948913, 13.347184833073591),
        # four hits, one more rated document: the ideal still has four
        ([3, 2, 3, None], [1], 12.392789260714371, 13.347184833073591),
    ],
)
def test_numbers_of_its_own_tests_of_dcg(ratings, elsewhere, dcg, ideal):
    assert value("DCG@10", ratings, elsewhere) == pytest.approx(dcg, abs=1e-12)
    assert value("nDCG@10", ratings, elsewhere) == pytest.approx(dcg / ideal, abs=1e-12)


def test_numbers_of_its_own_tests_of_err():
    assert value("ERR(max_grade=3)@3", [3, 2, 0, 1]) == pytest.approx(0.8984375, abs=1e-13)
    assert value("ERR(max_grade=3)@4", [3, 2, 0, 1]) == pytest.approx(0.8984375 + 0.00244140625, abs=1e-13)
    assert value("ERR(max_grade=3)@4", [3, None, 0, 1]) == pytest.approx(0.875 + 0.00390625, abs=1e-13)


def test_one_perfect_hit_is_perfect_and_five_late_ones_are_not():
    """Five documents are rated 3. From elastic/elasticsearch pull request 154362."""
    assert value("nDCG@10", [3], [3, 3, 3, 3]) == 1.0
    # 7 (1/log2(7) + ... + 1/log2(11)) over 7 (1/log2(2) + ... + 1/log2(6)): 1.5951 / 2.9485
    assert value("nDCG@10", [None] * 5 + [3] * 5) == pytest.approx(0.5410, abs=1e-4)


def test_precision_is_over_the_hits_returned():
    assert value("P@10", [1, None, 0]) == pytest.approx(1 / 3)
    assert value("P@2", [1, None, 0]) == 0.5
    assert value("R@10", [1, None, 0], [1]) == 0.5
    assert value("RR@10", [None, 0, 2]) == pytest.approx(1 / 3)


def plain(qrels, hits, k):
    """nDCG as its source reads: 2^rating - 1 over log2(rank + 1), the ideal as long as the hits."""
    gained = sum((2 ** qrels.get(doc, 0) - 1) / log2(i + 2) for i, doc in enumerate(hits[:k]))
    best = sorted(qrels.values(), reverse=True)[: len(hits[:k])]
    ideal = sum((2**rating - 1) / log2(i + 2) for i, rating in enumerate(best))
    return gained / ideal if ideal else 0.0


@settings(max_examples=examples(100), deadline=None)
@given(collection=collections(CollectionKind(grades=(0, 0, 1, 2, 3, 4))))
def test_ndcg_as_its_source_reads(collection):
    qrels, run = collection
    ours = evaluate(qrels, run, "nDCG@3 nDCG", dialect="elasticsearch")
    for text, k in (("nDCG@3", 3), ("nDCG", None)):
        expected = {query: plain(qrels[query], list(run.get(query, {})), k) for query in qrels}
        assert ours[text].by_query == pytest.approx(expected, abs=1e-9)


def test_what_lies_outside_is_refused():
    with raises(OutOfDialect, "nDCG(gain=exp2)@10", "q", "grades", 0):
        value("nDCG@10", [-1, 1])
    with raises(OutOfDialect, "ERR(max_grade=2)@10", "q", "grade", "maximum_relevance 2"):
        value("ERR(max_grade=2)@10", [3])
    with raises(UsageError, "AP@10", "elasticsearch", "nDCG", "DCG", "P", "R", "RR", "ERR"):
        value("AP@10", [1])
