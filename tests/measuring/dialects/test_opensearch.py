"""OpenSearch's numbers: those of its own tests (until February 2026), and rounding."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import OutOfDialect, UsageError
from rankproof.measuring.evaluate import evaluate

# The collection of its tests: 20 documents with ratings 1 2 0 1 2 0 ..., returned in this order.
DOCS = [f"d{i}" for i in range(1, 21)]
RATINGS = {doc: i % 3 for i, doc in enumerate(DOCS, start=1)}


def value(measure, hits, ratings=RATINGS):
    return evaluate({"q": ratings}, {"q": hits}, measure, dialect="opensearch")[measure].mean


@pytest.mark.parametrize(
    ("measure", "returned", "expected"),
    [
        ("P@20", 20, 0.7),
        ("P@5", 20, 0.8),
        ("P@8", 5, 0.8),
        ("P@5", 8, 0.8),
        ("AP@20", 20, 0.76),
        ("AP@5", 5, 0.25),
        ("AP@8", 5, 0.25),
        ("AP@5", 8, 0.25),
        ("nDCG@20", 20, 0.76),
        ("nDCG@5", 5, 0.51),
        ("nDCG@8", 5, 0.40),
        ("nDCG@5", 8, 0.51),
    ],
)
def test_numbers_of_its_own_tests(measure, returned, expected):
    assert value(measure, DOCS[:returned]) == expected


def test_each_query_is_rounded_and_a_half_goes_up():
    # 1/8 is 0.125 exactly: 0.13. The mean of 0.13 and 0 is not rounded again.
    qrels = {"a": {"d8": 1}, "b": {"d9": 1}}
    run = {"a": DOCS[:8], "b": DOCS[:8]}
    ours = evaluate(qrels, run, "AP@8", dialect="opensearch")["AP@8"]
    assert ours.by_query == {"a": 0.13, "b": 0.0}
    assert ours.mean == 0.065


def test_what_lies_outside_is_refused():
    with raises(OutOfDialect, "nDCG(gain=exp2)@5", "q", "grades", 0):
        value("nDCG@5", ["d1"], {"d1": -1, "d2": 1})
    with raises(UsageError, "RR@5", "opensearch", "nDCG", "P", "AP"):
        value("RR@5", ["d1"])
