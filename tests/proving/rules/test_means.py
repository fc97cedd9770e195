"""Rules on a mean or a change, by numbers that a person can follow: bounds, sides, thresholds, what would decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.kernel.estimate import Estimate
from rankproof.proving.mean_rule import decided, rounded_safely
from rankproof.proving.rules.least_value import label
from rankproof.testing.ruling import SmallCase, case_of, rule_on

# Mean 0.5, standard deviation 0.2582, standard error 0.1291; Student's t with 3 degrees of freedom, 95%: 2.3534.
FOUR = [0.2, 0.4, 0.6, 0.8]
REACH = 2.353363434801823 * math.sqrt(0.2 / 3) / 2  # 0.3038


def student(values: Sequence[float] | np.ndarray, **more: Any) -> SmallCase:
    """A case whose bounds are Student's, which a person can follow by hand."""
    return case_of(values, **{"significance": "t", **more})


def test_the_bounds_are_students_one_sided_ones() -> None:
    ruling = rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.4)
    assert isinstance(ruling.answer, Estimate)
    assert ruling.observed == pytest.approx(0.5)
    assert ruling.answer.low == pytest.approx(0.5 - REACH)
    assert ruling.answer.high == pytest.approx(0.5 + REACH)
    assert ruling.confidence == 0.95
    assert ruling.basis == "interval"


@pytest.mark.parametrize(
    ("at_least", "status"), [(0.19, "PASS"), (0.2, "UNDECIDED"), (0.8, "UNDECIDED"), (0.81, "FAIL")]
)
def test_a_least_value_by_its_bounds(at_least: float, status: str) -> None:
    """The bounds are 0.1962 and 0.8038."""
    assert rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=at_least).status == status


def test_a_bound_on_the_threshold_meets_it() -> None:
    """Not worse than asked is what was asked: neither the lower nor the upper bound misses its own value."""
    low, high = 0.5 - REACH, 0.5 + REACH
    assert rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=low).status == "PASS"
    assert rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=low + 1e-9).status == "UNDECIDED"
    assert rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=high).status == "UNDECIDED"
    assert rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=high + 1e-9).status == "FAIL"


def test_a_bound_that_looks_like_the_threshold_is_written_out() -> None:
    reason = rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.5 + REACH + 1e-6).reason
    assert reason.endswith("upper bound 0.80381791 misses 0.80381891.")


def test_lower_is_better_mirrors_everything() -> None:
    """Positions 2, 3, 4, 5: mean 3.5, standard error 0.6455, bounds 1.9809 and 5.0191."""
    case = student([2.0, 3.0, 4.0, 5.0])
    asked = {"rule": "least_value", "measure": "AvgPos"}
    assert rule_on(case, **asked, at_most=5.02).status == "PASS"
    assert rule_on(case, **asked, at_most=4.0).status == "UNDECIDED"
    failed = rule_on(case, **asked, at_most=1.98)
    assert failed.status == "FAIL"
    assert "lower bound 1.9809 misses 1.9800" in failed.reason
    assert [payer.query_id for payer in failed.payers] == ["q4", "q3", "q2", "q1"]  # the farthest down is the worst


def test_a_loss_in_a_measure_that_is_better_low_is_a_rise() -> None:
    """Changes +1, +1, +1, +1.1: worse by about 1 in every query."""
    case = student([2.0, 3.0, 4.0, 5.1], baseline=[1.0, 2.0, 3.0, 4.0])
    assert rule_on(case, "no_regression", measure="AvgPos", margin=0.5).status == "FAIL"
    assert rule_on(case, "no_regression", measure="AvgPos", margin=1.5).status == "PASS"
    assert rule_on(case, "least_gain", measure="AvgPos", at_least=0.5).status == "FAIL"
    turned = student([1.0, 2.0, 3.0, 4.0], baseline=[2.0, 3.0, 4.0, 5.1])
    gained = rule_on(turned, "least_gain", measure="AvgPos", at_least=0.5)
    assert gained.status == "PASS"
    assert gained.observed == pytest.approx(-1.025)  # candidate minus baseline, whatever is better
    assert gained.threshold == -0.5


def test_no_regression_is_non_inferiority() -> None:
    """Changes 0.1, 0.1, 0.1, -0.1: mean 0.05, standard error 0.05, bounds -0.0677 and 0.1677."""
    case = student([0.6, 0.6, 0.6, 0.4], baseline=[0.5] * 4)
    assert rule_on(case, "no_regression", measure="nDCG@10", margin=0.068).status == "PASS"
    assert rule_on(case, "no_regression", measure="nDCG@10", margin=0.067).status == "UNDECIDED"
    turned = student([0.4, 0.4, 0.4, 0.6], baseline=[0.5] * 4)
    assert rule_on(turned, "no_regression", measure="nDCG@10", margin=0.0).status == "UNDECIDED"
    worse = student([0.4, 0.4, 0.41, 0.4], baseline=[0.5] * 4)
    failed = rule_on(worse, "no_regression", measure="nDCG@10", margin=0.05)
    assert failed.status == "FAIL"
    assert failed.queries[:1] == ("q1",)
    assert failed.payers[0].difference == pytest.approx(-0.1)


def test_a_rule_has_its_own_confidence() -> None:
    """At 90% the reach is 1.6377 x 0.1291 = 0.2114: a target of 0.25 passes there and not at 95%."""
    assert rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.25).status == "UNDECIDED"
    ruling = rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.25, confidence=0.9)
    assert (ruling.status, ruling.confidence) == ("PASS", 0.9)
    assert "one-sided 90% lower bound 0.2886" in ruling.reason


def test_plain_means_are_compared_on_request_and_said_to_be() -> None:
    ruling = rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.5, basis="point")
    assert (ruling.status, ruling.basis, ruling.p_fail) == ("PASS", "point", None)
    assert 'basis = "point"' in ruling.reason
    assert rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.51, basis="point").status == "FAIL"


def test_identical_rankings_are_a_fact_about_these_queries() -> None:
    case = case_of(FOUR, baseline=FOUR, identical=True)
    same = rule_on(case, "no_regression", measure="nDCG@10", margin=0.0)
    assert (same.status, same.basis, same.p_fail) == ("PASS", "fact", None)
    assert "Nothing changed on these 4 queries" in same.reason
    assert rule_on(case, "least_gain", measure="nDCG@10", at_least=0.01).status == "FAIL"
    strict = rule_on(replace(case, unchanged="undecided"), "no_regression", measure="nDCG@10", margin=0.0)
    assert (strict.status, strict.basis) == ("UNDECIDED", "fact")


@pytest.mark.parametrize(("queries", "status"), [(4, "UNDECIDED"), (148, "UNDECIDED"), (149, "PASS")])
def test_equal_values_from_changed_rankings_are_no_fact(queries: int, status: str) -> None:
    """What 0.98^n leaves: below 149 queries a loss of 1 in one query of fifty cannot be ruled out."""
    case = case_of([0.5] * queries, baseline=[0.5] * queries)
    ruling = rule_on(case, "no_regression", measure="nDCG@10", margin=0.02)
    assert ruling.status == status
    if status != "PASS":
        assert f"about 149 queries like these ({149 - queries} more; 0 of 149 changed)" in ruling.decides


def test_the_same_gain_on_two_queries_is_no_fact() -> None:
    case = case_of([1.0, 1.0], baseline=[0.5, 0.5])
    ruling = rule_on(case, "least_gain", measure="RR", at_least=0.4)
    assert ruling.status == "UNDECIDED"
    assert ruling.basis == "interval"


def test_values_without_spread_have_the_bounds_of_what_so_few_queries_can_miss() -> None:
    """n hits in n: the exact binomial lower bound is 0.05^(1/n): 0.5493 for 5, 0.8074 for 14, 0.7942 for 13."""
    five = rule_on(case_of([1.0] * 5), "least_value", measure="Success@10", at_least=0.8)
    assert five.status == "UNDECIDED"
    assert "bounds 0.5493 and 1.0000 lie on both sides of 0.8000" in five.reason
    assert "about 14 queries like these (9 more) would make it pass" in five.decides
    assert rule_on(case_of([1.0] * 13), "least_value", measure="Success@10", at_least=0.8).status == "UNDECIDED"
    assert rule_on(case_of([1.0] * 14), "least_value", measure="Success@10", at_least=0.8).status == "PASS"


def test_values_without_spread_that_miss_have_a_p_value() -> None:
    """All 0 where 0.8 of them should be 1: 0.2^5 = 0.00032."""
    none = rule_on(case_of([0.0] * 5), "least_value", measure="Success@10", at_least=0.8)
    assert none.status == "FAIL"
    assert none.p_fail == pytest.approx(0.2**5)
    two = rule_on(case_of([0.0] * 2), "least_value", measure="Success@10", at_least=0.5)  # 0.5^2 = 0.25
    assert (two.status, two.p_fail) == ("UNDECIDED", pytest.approx(0.25))
    assert "about 5 queries like these (3 more) would make it fail" in two.decides  # 0.5^5 = 0.031


def test_a_hit_more_never_gets_a_worse_verdict() -> None:
    """49 hits of 50 and 50 of 50 at 0.945: the exact lower bounds are 0.9086 and 0.9418."""
    for hits, bound in ((49, 0.9086), (50, 0.9418)):
        values = [1.0] * hits + [0.0] * (50 - hits)
        ruling = rule_on(case_of(values), "least_value", measure="Success@10", at_least=0.945)
        assert ruling.status == "UNDECIDED"
        assert isinstance(ruling.answer, Estimate)
        assert ruling.answer.low == pytest.approx(bound, abs=5e-5)


ORDER = {"FAIL": 0, "UNDECIDED": 1, "PASS": 2}
values_in_range = st.lists(st.integers(0, 20).map(lambda i: i / 20), min_size=2, max_size=30)


@given(values=values_in_range, at=st.integers(0, 29), more=st.integers(0, 20), target=st.floats(0.05, 0.95))
@settings(max_examples=examples(150), deadline=None)
def test_better_values_never_get_a_worse_verdict(values: list[float], at: int, more: int, target: float) -> None:
    better = list(values)
    better[at % len(values)] = min(1.0, better[at % len(values)] + more / 20)
    before, after = (rule_on(case_of(v), "least_value", measure="nDCG@10", at_least=target) for v in (values, better))
    assert ORDER[after.status] >= ORDER[before.status]


def test_a_measure_without_a_greatest_value_can_pass_and_never_fails() -> None:
    high = rule_on(case_of([9.0] * 60), "least_value", measure="DCG@10", at_least=5.0)
    assert high.status == "PASS"
    low = rule_on(case_of([0.1, 0.2] * 30), "least_value", measure="DCG@10", at_least=5.0)
    assert low.status == "UNDECIDED"
    assert any("no upper bound: the range of one difference is not known" in note for note in low.notes)


@pytest.mark.parametrize("values", [[], [0.9]])
def test_too_few_queries_decide_nothing(values: list[float]) -> None:
    ruling = rule_on(student(values), "least_value", measure="nDCG@10", at_least=0.5)
    assert ruling.status == "UNDECIDED"
    assert ruling.decides
    assert ruling.p_fail is None


def test_an_undecided_rule_says_how_many_queries_would_decide_it() -> None:
    """An effect of 0.1 / 0.2582 = 0.3873 at one-sided 95% and power 0.8 takes 43 queries (by noncentral t)."""
    ruling = rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.4)
    assert ruling.effect == pytest.approx(0.1 / math.sqrt(0.2 / 3))
    assert "about 43 queries like these (39 more) would make it pass 80% of the time" in ruling.decides
    assert "a target of at least 0.1961 would have passed with these 4 queries" in ruling.decides
    below = rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.6)
    assert "about 43 queries like these (39 more) would make it fail" in below.decides


def test_that_number_of_queries_does_decide_it() -> None:
    """The words are held to: of samples that size from what was seen, about 80% pass."""
    rng = np.random.default_rng(1)
    passed = [
        rule_on(student(rng.normal(0.5, math.sqrt(0.2 / 3), 43)), "least_value", measure="nDCG@10", at_least=0.4).status
        == "PASS"
        for _ in range(400)
    ]
    assert 0.74 < np.mean(passed) < 0.86


def test_a_mean_on_the_threshold_is_decided_by_no_number_of_queries() -> None:
    decides = rule_on(student(FOUR), "least_value", measure="nDCG@10", at_least=0.5).decides
    assert "no number of queries decides" in decides


def test_the_margin_that_could_be_decided_is_rounded_to_the_safe_side() -> None:
    """The lower bound is -0.067668: a margin of 0.0676 would not have passed, 0.0677 would."""
    case = student([0.6, 0.6, 0.6, 0.4], baseline=[0.5] * 4)
    assert "a margin of 0.0677 would have passed" in rule_on(case, "no_regression", measure="RR", margin=0.01).decides
    assert rule_on(case, "no_regression", measure="RR", margin=0.0677).status == "PASS"
    assert rule_on(case, "no_regression", measure="RR", margin=0.0676).status == "UNDECIDED"
    assert (rounded_safely(0.12345, "higher"), rounded_safely(0.12345, "lower")) == (0.1234, 0.1235)


def test_a_gain_that_cannot_be_asked_for_is_not_proposed() -> None:
    """The lower bound of the gain is below 0: no least gain would have passed."""
    case = student([0.6, 0.6, 0.6, 0.4], baseline=[0.5] * 4)
    for least in (0.03, 0.0):
        assert "would have passed" not in rule_on(case, "least_gain", measure="RR", at_least=least).decides


def test_a_geometric_mean_is_judged_by_logarithms_and_shown_as_itself() -> None:
    """Values 0.25 and 1: the geometric mean is 0.5."""
    ruling = rule_on(student([0.25, 1.0]), "least_value", measure="GMAP", at_least=0.4)
    assert ruling.observed == pytest.approx(0.5)
    assert ruling.threshold == pytest.approx(0.4)
    assert ruling.status == "UNDECIDED"
    assert ruling.reason.startswith("GMAP is 0.5000; ")


def test_a_sum_is_compared_as_it_is() -> None:
    ruling = rule_on(student([3.0, 4.0]), "least_value", measure="NumRelRet", at_least=7, basis="point")
    assert (ruling.status, ruling.observed) == ("PASS", 7.0)


@pytest.mark.parametrize("method", ["t", "randomization", "studentized", "bca"])
def test_every_method_of_means_gives_bounds(method: str) -> None:
    values = np.random.default_rng(3).beta(4, 2, 30)
    ruling = rule_on(student(values, significance=method), "least_value", measure="nDCG@10", at_least=0.3)
    assert ruling.status == "PASS"
    assert isinstance(ruling.answer, Estimate)
    assert 0.5 < ruling.answer.low < values.mean() < ruling.answer.high < 0.8


def test_decided_by_hand() -> None:
    assert decided(-math.inf, math.inf, 0.0, "higher") == "UNDECIDED"
    assert decided(1.0, 1.0, 1.0, "higher") == decided(1.0, 1.0, 1.0, "lower") == "PASS"


def test_labels_are_the_best_band_or_a_warning() -> None:
    bands = {"strong": 0.40, "good": 0.35}
    assert [label(v, 0.35, "higher", bands, 0.9) for v in (0.45, 0.40, 0.36, 0.32, 0.30)] == [
        "strong", "strong", "good", "warn", "",
    ]  # fmt: skip
    assert label(0.315, 0.35, "higher", {}, 0.9) == "warn"  # exactly 90% of the target
    assert label(2.0, 3.0, "lower", {"good": 3.0, "strong": 2.5}, None) == "strong"


def test_a_label_decides_nothing() -> None:
    ruling = rule_on(
        student(FOUR), "least_value", measure="nDCG@10", at_least=0.35, bands={"good": 0.35, "strong": 0.4}, warn_at=0.9
    )
    assert (ruling.band, ruling.status) == ("strong", "UNDECIDED")


def test_few_queries_may_leave_a_method_without_a_bound() -> None:
    """Three queries: no sign flip is rarer than 1 in 8, so no one-sided bound at 95% exists."""
    case = student([0.6, 0.7, 0.8], baseline=[0.5] * 3, significance="randomization")
    ruling = rule_on(case, "no_regression", measure="nDCG@10", margin=0.1)
    assert ruling.status == "UNDECIDED"
    assert "bounds -1.0000 and +1.0000 lie on both sides" in ruling.reason
    assert "would have passed" not in ruling.decides
    alone = rule_on(case, "least_value", measure="nDCG@10", at_least=0.5)
    assert "bounds 0.0000 and 1.0000 lie on both sides" in alone.reason
    assert "would have passed" not in alone.decides


def test_no_bound_is_told_beyond_the_range_of_the_measure() -> None:
    """Values 1, 1, 1, 0: mean 0.75, standard error 0.25, upper bound 0.75 + 2.3534 x 0.25 = 1.34."""
    ruling = rule_on(student([1.0, 1.0, 1.0, 0.0]), "least_value", measure="Success@10", at_least=0.8)
    assert isinstance(ruling.answer, Estimate)
    assert ruling.answer.high == 1.0
    assert ruling.answer.low == pytest.approx(0.75 - 2.353363434801823 / 4)
    assert ruling.status == "UNDECIDED"
