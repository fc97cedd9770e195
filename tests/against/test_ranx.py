"""The ranx dialect against ranx itself: random collections without ties, query by query and on the mean."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import OutOfDialect
from rankproof.measuring.evaluate import evaluate
from rankproof.testing.collections import CollectionKind, Qrels, Run, collections

ranx = pytest.importorskip("ranx", reason="ranx is not installed: nothing to hold against")

INSIDE = CollectionKind(ties=False)
FOR_BPREF = CollectionKind(ties=False, relevant=True, contrast=True)

# rankproof's text -> ranx's name. Both are asked on the same collections, so that numba compiles each once.
NAMES = {
    "nDCG": "ndcg",
    "nDCG@3": "ndcg@3",
    "nDCG(rel=2)@3": "ndcg@3-l2",
    "nDCG(gain=exp2)@5": "ndcg_burges@5",
    "DCG@3": "dcg@3",
    "DCG(gain=exp2)@3": "dcg_burges@3",
    "RR": "mrr",
    "RR@2": "mrr@2",
    "RR(rel=2)@5": "mrr@5-l2",
    "AP": "map",
    "AP@3": "map@3",
    "AP(rel=2)@10": "map@10-l2",
    "P@1": "precision@1",
    "P@5": "precision@5",
    "P(rel=3)@5": "precision@5-l3",
    "R@3": "recall@3",
    "R(rel=2)@20": "recall@20-l2",
    "F@3": "f1@3",
    "F(rel=2)@10": "f1@10-l2",
    "SetP": "precision",
    "SetR": "recall",
    "SetF": "f1",
    "Success@2": "hit_rate@2",
    "Rprec": "r-precision",
    "Rprec(rel=2)": "r-precision-l2",
    "RBP(p=0.95)": "rbp.95",
    "RBP(p=0.8,rel=2)": "rbp.8-l2",
    "NumRelRet": "hits",
    "NumRelRet(rel=2)@3": "hits@3-l2",
}


def theirs(names: list[str], qrels: Qrels, run: Run) -> dict[str, dict[str, float]]:
    """ranx's value of each judged query, by metric."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba on casts of hashed ids
        judged = ranx.Qrels(qrels)
        values = ranx.evaluate(judged, ranx.Run(run), names, return_mean=False, make_comparable=True)
    if len(names) == 1:
        values = {names[0]: values}
    ids = sorted(qrels)  # ranx sorts queries by id
    return {name: dict(zip(ids, values[name].tolist(), strict=True)) for name in names}


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Everything that numba compiles, before hypothesis looks at the clock."""
    theirs([*NAMES.values(), "bpref"], {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0}})


@settings(max_examples=examples(150), deadline=None)
@given(collection=collections(INSIDE))
def test_same_value_for_every_query_and_on_the_mean(collection):
    qrels, run = collection
    expected = theirs(list(NAMES.values()), qrels, run)
    ours = evaluate(qrels, run, list(NAMES), dialect="ranx")
    for text, name in NAMES.items():
        assert ours[text].by_query == pytest.approx(expected[name], abs=1e-9), text
        assert ours[text].mean == pytest.approx(np.mean(list(expected[name].values())), abs=1e-9), text


@settings(max_examples=examples(60), deadline=None)
@given(collection=collections(FOR_BPREF))
def test_same_bpref(collection):
    qrels, run = collection
    ours = evaluate(qrels, run, "Bpref", dialect="ranx")["Bpref"]
    assert ours.by_query == pytest.approx(theirs(["bpref"], qrels, run)["bpref"], abs=1e-9)


def test_a_tie_of_a_relevant_document_is_refused_only_where_it_can_matter():
    qrels = {"q": {"a": 1, "b": 1, "c": 0}}
    tied = {"q": {"a": 2.0, "b": 1.0, "x": 1.0}}
    with raises(OutOfDialect, "nDCG@10", "q", "score", "ties"):
        evaluate(qrels, tied, "nDCG@10", dialect="ranx")
    assert evaluate(qrels, tied, "nDCG@1", dialect="ranx")["nDCG@1"].mean == 1.0
    harmless = {"q": {"a": 2.0, "c": 1.0, "x": 1.0}}
    ours = evaluate(qrels, harmless, "AP", dialect="ranx")["AP"]
    assert ours.by_query == theirs(["map"], qrels, harmless)["map"]


def test_bpref_without_contrast_is_refused_because_ranx_has_no_number():
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}}
    assert np.isnan(theirs(["bpref"], qrels, run)["bpref"]["q"])
    with raises(OutOfDialect, "Bpref", "q", "nonrelevant"):
        evaluate(qrels, run, "Bpref", dialect="ranx")
