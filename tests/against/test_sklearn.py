"""The sklearn dialect against scikit-learn itself: random collections, query by query and on the mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import OutOfDialect
from rankproof.measuring.evaluate import evaluate
from rankproof.testing.collections import CollectionKind, Qrels, Run, collections

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed: nothing to hold against")

INSIDE = CollectionKind(grades=(0, 0, 1, 2, 3), least=2)
SCORERS = {"nDCG": metrics.ndcg_score, "DCG": metrics.dcg_score}


def theirs(name: str, k: int | None, qrels: Qrels, run: Run) -> dict[str, float]:
    """scikit-learn's value of each query that has both a ranking and judgments."""
    values = {}
    for query in qrels:
        if query in run:
            truth = [[qrels[query].get(doc, 0) for doc in run[query]]]
            values[query] = SCORERS[name](truth, [list(run[query].values())], k=k)
    return values


@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.parametrize("k", [None, 1, 3, 10])
@settings(max_examples=examples(60), deadline=None)
@given(collection=collections(INSIDE))
def test_same_value_for_every_query_and_on_the_mean(name, k, collection):
    qrels, run = collection
    expected = theirs(name, k, qrels, run)
    text = name if k is None else f"{name}@{k}"
    ours = evaluate(qrels, run, text, dialect="sklearn")[text]
    assert ours.by_query == pytest.approx(expected, abs=1e-9)
    assert ours.mean == pytest.approx(np.mean(list(expected.values())), abs=1e-9)


@pytest.mark.parametrize(
    ("qrels", "run", "values"),
    [
        ({"q": {"a": -1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, ("ndcg_score", 0)),
        ({"q": {"a": 1}}, {"q": {"a": 1.0}}, ("scikit-learn",)),
    ],
    ids=["grade below 0", "one document"],
)
def test_what_scikit_learn_refuses_is_refused(qrels, run, values):
    with pytest.raises(ValueError, match=r"negative y_true|more than 1 document"):
        theirs("nDCG", None, qrels, run)
    with raises(OutOfDialect, "nDCG(ideal=retrieved)", "q", *values):
        evaluate(qrels, run, "nDCG", dialect="sklearn")
