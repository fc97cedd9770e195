"""A population that shrinks: a candidate that loses all of some queries is not better over the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.proving.fooling_runs import (
    BASE,
    QRELS,
    QUERIES,
    REVERSED,
    decide,
    ranked,
)

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.measuring.measures.contract import Measure
from rankproof.proving.compare import compare
from rankproof.proving.rules._change import over_all_queries
from rankproof.testing.ruling import case_of, rule_on

LOSING = {q: docs if q > "q03" else {"A0": 1.0} for q, docs in BASE.items()}
EARLY = {q: ranked("Z0", "Z1", "Z2", "A0") if q > "q03" else {"A0": 1.0} for q in QUERIES}


@pytest.mark.parametrize("measure", ["AvgPos", "MinPos"])
@pytest.mark.parametrize("rule", ["no_regression", "least_gain"])
def test_a_candidate_that_loses_all_of_three_queries_is_not_better_over_the_rest(measure: str, rule: str) -> None:
    """Its average position is better over the other 37, and it passed."""
    key = "margin" if rule == "no_regression" else "at_least"
    (ruling,) = decide({"rule": rule, "measure": measure, key: 0.0}, baseline=BASE, candidate=EARLY).rulings
    assert ruling.status == "UNDECIDED"
    assert f"has no {measure} for 3 queries" in ruling.reason
    assert ruling.queries == ("q01", "q02", "q03")
    assert ruling.decides


def test_a_candidate_that_finds_more_is_compared_with_nothing_there_either() -> None:
    rule = {"rule": "no_regression", "measure": "AvgPos", "margin": 0.5}
    (ruling,) = decide(rule, baseline=LOSING, candidate=BASE).rulings
    assert ruling.status == "UNDECIDED"
    assert "baseline has no AvgPos for 3 queries where candidate has one (q01, q02, q03)" in ruling.reason


def test_queries_that_neither_run_has_a_value_for_are_no_matter() -> None:
    rule = {"rule": "no_regression", "measure": "AvgPos", "margin": 0.5}
    (ruling,) = decide(rule, baseline=LOSING, candidate=LOSING).rulings
    assert ruling.status == "PASS"


def test_a_target_for_a_mean_that_leaves_queries_out_says_so() -> None:
    rule = {"rule": "least_value", "measure": "AvgPos", "at_most": 4.0, "basis": "point"}
    verdict = decide(rule, candidate=EARLY)
    assert verdict.status == "PASS"
    assert verdict.warnings[0] == (
        "AvgPos: 3 queries have no value for candidate and are left out of its mean (q01, q02, q03)."
    )


def test_the_population_of_a_segment_is_its_own() -> None:
    kinds = {q: {"kind": "lost" if q <= "q03" else "kept"} for q in QUERIES}
    rule = {"rule": "no_regression", "measure": "AvgPos", "margin": 0.5, "segment": "kind"}
    lost, kept = decide(rule, baseline=BASE, candidate=LOSING, queries=kinds).rulings
    assert (lost.status, kept.status) == ("UNDECIDED", "PASS")


@pytest.fixture
def first_share(monkeypatch: pytest.MonkeyPatch) -> str:
    """A measure of another package: 1 over the average position, left out where nothing is found; its worst is 0."""
    (of,) = (m for m in shelf.offered("measures").values() if m.name == "AvgPos")
    measure: Measure = replace(
        of, name="FirstShare", compute=lambda t, v: 1 / of.compute(t, v), better="higher", low=0.0, high=1.0,
        expected=None, worth=None, depends=None,
    )  # fmt: skip
    monkeypatch.setitem(shelf._loaded["measures"], "FirstShare", measure)
    return "FirstShare"


def test_the_worst_value_stands_for_what_is_missing_where_there_is_one(first_share: str) -> None:
    """37 queries gain a little; 3 fall to 0."""
    rule = {"rule": "no_regression", "measure": first_share, "margin": 0.0, "basis": "point"}
    verdict = decide(rule, baseline=BASE, candidate=LOSING)
    (ruling,) = verdict.rulings
    before = [1 / np.mean([1, 2, 4 + at % 5]) for at in range(3)]
    assert ruling.status == "FAIL"
    assert ruling.observed == pytest.approx(-sum(before) / 40)
    assert any("3 queries where one run has no value count as the worst value, 0, for it" in n for n in ruling.notes)
    assert verdict.comparison is not None
    contrast = verdict.comparison.contrast(first_share)
    assert contrast.difference.value == pytest.approx(-sum(before) / 40)
    assert len(contrast.query_ids) == 40


def test_a_geometric_mean_takes_the_logarithm_of_what_stands_for_a_missing_value() -> None:
    """GMAP's floor, 0.00001, is its worst value."""
    case = case_of([0.5], baseline=[0.5], lost={"q8": 0.5}, gained={"q9": 0.25})
    sample = over_all_queries(replace(case.changes("GMAP"), values=np.log([0.5]), before=np.log([0.5])))
    assert sample is not None
    assert sample.before is not None
    assert sample.query_ids == ("q1", "q8", "q9")
    assert sample.values == pytest.approx(np.log([0.5, 1e-5, 0.25]))
    assert sample.before == pytest.approx(np.log([0.5, 0.5, 1e-5]))


def test_a_rule_says_that_a_worst_value_stands_for_others() -> None:
    case = case_of([0.5, 0.6], baseline=[0.5, 0.6], lost={"q9": 0.7})
    ruling = rule_on(case, "no_regression", measure="nDCG@10", margin=0.1, basis="point")
    assert (ruling.status, ruling.observed) == ("FAIL", pytest.approx(-0.7 / 3))
    assert ruling.queries == ("q9",)


def test_a_comparison_names_the_pair_and_the_segment_that_cannot_be_compared() -> None:
    """Only `losing` lacks values, and only in one segment; the others are compared over what all three have."""
    kinds = {q: {"kind": "lost" if q <= "q03" else "kept"} for q in QUERIES}
    found = compare(
        QRELS, BASE, [REVERSED, LOSING], "AvgPos", names=["base", "reversed", "losing"], queries=kinds, by=["kind"],
        beyond=False, non_inferiority=0.5,
    )  # fmt: skip
    whole = found.contrast("AvgPos", "losing")
    assert isinstance(whole.difference, NotEstimable)
    assert "losing has no AvgPos for 3 queries where base has one (q01, q02, q03)" in whole.difference.reason
    assert (whole.direction, whole.effect, whole.equivalence, whole.detectable) == ("not shown", None, None, None)
    assert (whole.wins, whole.ties, whole.losses) == (0, 37, 3)
    assert isinstance(found.contrast("AvgPos", "reversed").difference, Estimate)
    assert isinstance(found.contrast("AvgPos", "losing", "kind=lost").difference, NotEstimable)
    assert found.contrast("AvgPos", "losing", "kind=kept").difference.value == 0.0
