"""The beir dialect against BEIR itself: random collections; what BEIR gives are rounded means."""

from __future__ import annotations

import copy
import importlib.util
import math
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import OutOfDialect
from rankproof.measuring.evaluate import evaluate
from rankproof.testing.collections import CollectionKind, Qrels, Run, collections

pytest.importorskip("pytrec_eval", reason="pytrec-eval-terrier is not installed: BEIR cannot run")
CUTOFFS = [1, 3, 5, 10]


def load():
    """BEIR's EvaluateRetrieval, from its two files: the package itself wants a deep learning library."""
    spec = importlib.util.find_spec("beir")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("beir is not installed: nothing to hold against", allow_module_level=True)
    folder = Path(spec.submodule_search_locations[0]) / "retrieval"
    for name, place in {
        "beir_alone": folder,
        "beir_alone.search": folder / "search",
        "beir_alone.search.base": None,
    }.items():
        package = types.ModuleType(name)
        if place is not None:
            package.__path__ = []  # nothing is found by looking: only what is put here
        sys.modules[name] = package
    sys.modules["beir_alone.search.base"].BaseSearch = object
    for part in ("custom_metrics", "evaluation"):
        found = importlib.util.spec_from_file_location(f"beir_alone.{part}", folder / f"{part}.py")
        module = importlib.util.module_from_spec(found)
        sys.modules[f"beir_alone.{part}"] = module
        found.loader.exec_module(module)
    return sys.modules["beir_alone.evaluation"].EvaluateRetrieval


BEIR = load()

# A document called "1" or "q" may be the query itself, which BEIR removes.
ANY = CollectionKind()
# BEIR's own metrics stop at queries without judgments, and R_cap at queries without a relevant document.
INSIDE = CollectionKind(strays=False, relevant=True)


def theirs(qrels: Qrels, run: Run) -> dict[str, float]:
    """NDCG, MAP, Recall and P, as rankproof calls them. `evaluate` removes documents from its argument."""
    found = BEIR.evaluate(qrels, copy.deepcopy(run), CUTOFFS)
    names = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}
    return {
        f"{names[name.split('@')[0]]}@{name.split('@')[1]}": value for metric in found for name, value in metric.items()
    }


def theirs_custom(qrels: Qrels, run: Run) -> dict[str, float]:
    """MRR, R_cap and Accuracy, after `evaluate` has removed what it removes."""
    kept = copy.deepcopy(run)
    BEIR.evaluate(qrels, kept, CUTOFFS)
    names = {"mrr": "RR", "recall_cap": "R(denominator=min_k)", "top_k_accuracy": "Success"}
    return {
        f"{ours}@{name.split('@')[1]}": value
        for metric, ours in names.items()
        for name, value in BEIR.evaluate_custom(qrels, kept, CUTOFFS, metric).items()
    }


def assert_same(qrels: Qrels, run: Run, expected: dict[str, float]) -> None:
    """The same five places. BEIR adds in the order of the run: halfway between two roundings its sum may fall short."""
    ours = evaluate(qrels, run, list(expected), dialect="beir")
    for text, value in expected.items():
        exact = math.fsum(ours[text].by_query.values()) / len(ours[text].by_query)
        halfway = abs(exact * 1e5 % 1 - 0.5) < 1e-6
        assert ours[text].mean == value or (halfway and abs(ours[text].mean - value) < 1.1e-5), text


@settings(max_examples=examples(150), deadline=None)
@given(collection=collections(ANY))
def test_same_rounded_means_of_pytrec_eval_measures(collection):
    assert_same(*collection, theirs(*collection))


@settings(max_examples=examples(150), deadline=None)
@given(collection=collections(INSIDE))
def test_same_rounded_means_of_its_own_metrics(collection):
    assert_same(*collection, theirs_custom(*collection))


def test_the_document_that_is_the_query_is_removed():
    qrels, run = {"1": {"1": 1, "a": 1}}, {"1": {"1": 2.0, "a": 1.0}}
    ours = evaluate(qrels, run, "RR@10 nDCG@10", dialect="beir")
    assert theirs_custom(qrels, run)["RR@10"] == ours["RR@10"].mean == 1.0
    assert theirs(qrels, run)["nDCG@10"] == ours["nDCG@10"].mean == 0.61315


def test_where_its_own_metrics_stop_we_refuse():
    stray = {"1": {"a": 1.0}, "77": {"a": 1.0}}
    with pytest.raises(KeyError):
        theirs_custom({"1": {"a": 1}}, stray)
    for text in ("RR@10", "Success@10", "R(denominator=min_k)@10"):
        with raises(OutOfDialect, text, 77, "BEIR"):
            evaluate({"1": {"a": 1}}, stray, text, dialect="beir")
    with pytest.raises(ZeroDivisionError):
        theirs_custom({"1": {"a": 0}}, {"1": {"a": 1.0}})
    with raises(OutOfDialect, "R(denominator=min_k)@10", 1, "relevant", "BEIR"):
        evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, "R(denominator=min_k)@10", dialect="beir")
