"""Planning and the check of traffic: against textbook numbers and scipy."""

from __future__ import annotations

import doctest
import math
from types import ModuleType

import pytest
from scipy import stats
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.online.trial import moments
from rankproof.online.trial import moments as tally
from rankproof.online.trial import power as planning
from rankproof.online.trial.moments import Moments, from_counts, moments_of
from rankproof.online.trial.power import days_needed, smallest_effect, units_needed
from rankproof.online.trial.records import Metric
from rankproof.proving.sample_ratio import mismatch_power, sample_ratio

PLAIN = Metric("clicks")
SUCCESS = Metric("success", "proportion")
# Mean 10, variance 1.
UNIT = Moments(1_001, (10.0, 1.0, 0.0), (1_000.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def test_the_textbook_numbers() -> None:
    # Cohen: half a standard deviation, 5%, power 0.8: 64 in each group.
    assert units_needed(UNIT, PLAIN, 0.5) == 128
    # (1.959964 + 0.841621)^2 x 4 x 1 / 0.01^2 = 313,955.2 of many units, where t is normal.
    assert units_needed(UNIT, PLAIN, 0.01) == pytest.approx(313_957, abs=3)
    # The same for 0.1% of a mean of 10, but for the variance of the control in the share, which adds nothing here.
    assert units_needed(UNIT, PLAIN, 0.001, scale="relative") == pytest.approx(313_957, abs=3)
    # A tenth in the treatment: 1 / 0.9 + 1 / 0.1 = 11.11 in the place of 4.
    assert units_needed(UNIT, PLAIN, 0.01, share=0.1) == pytest.approx(313_955.2 * 11.1111 / 4, rel=1e-4)
    assert units_needed(UNIT, PLAIN, 0.0) is None
    # From 10% to 11.5%: 7.848879 x 2 x (0.1 x 0.9 + 0.115 x 0.885) / 0.015^2 = 13,379.7.
    past = from_counts(1_000, 10_000)
    needed = units_needed(past, SUCCESS, 0.015)
    assert needed == pytest.approx(13_379.7, abs=4)
    assert smallest_effect(past, SUCCESS, needed) == pytest.approx(0.015, rel=1e-4)
    relative = units_needed(past, SUCCESS, 0.15, scale="relative")
    assert relative is not None
    assert relative > needed  # the control's own variance counts 1.15 squared times in the share


def test_both_questions_answer_each_other() -> None:
    for method in ("welch", "sequence(units=50000)", "msprt(effect=0.02)"):
        for one_sided in (False, True):
            needed = units_needed(UNIT, PLAIN, 0.02, method, one_sided=one_sided)
            assert needed is not None
            at, before = (smallest_effect(UNIT, PLAIN, n, method, one_sided=one_sided) for n in (needed, needed - 2))
            assert at is not None
            assert before is not None
            assert at <= 0.02 < before


def test_a_covariate_saves_units_and_looking_costs_them() -> None:
    # Correlation 0.8: 36% of the units.
    past = Moments(1_001, (10.0, 1.0, 5.0), (1_000.0, 0.0, 1_000.0, 0.0, 800.0, 0.0))
    plain, adjusted = (units_needed(past, Metric("a", covariate=c), 0.01) for c in ("", "before"))
    assert plain is not None
    assert adjusted is not None
    assert adjusted / plain == pytest.approx(0.36, rel=1e-3)
    always = units_needed(UNIT, PLAIN, 0.01, "sequence(units=500000)")
    assert always is not None
    assert 1.5 < always / plain < 2.5


@pytest.mark.parametrize("module", [moments, planning, tally], ids=lambda module: module.__name__)
def test_examples_of_functions_run(module: ModuleType) -> None:
    told = doctest.testmod(module)
    assert told.attempted > 0
    assert told.failed == 0


def test_days_are_whole_weeks() -> None:
    assert [days_needed(n, 1_000) for n in (1, 7_000, 7_001)] == [7, 7, 14]
    assert days_needed(7_001, 1_000, whole_weeks=False) == 8
    with raises(UsageError, "per day", "got 0"):
        days_needed(5, 0)


def test_what_cannot_be_planned_is_told() -> None:
    for wrong, values in (
        ({"share": 1.0}, ["share", "got 1"]),
        ({"power": 0.3}, ["power", "0.3"]),
        ({"level": 1.0}, ["confidence", "got 1"]),
    ):
        with raises(UsageError, *values):
            units_needed(UNIT, PLAIN, 0.1, **wrong)
    with raises(UsageError, "quantile", "mean", "proportion"):
        units_needed(UNIT, Metric("latency", "quantile", "lower", at=0.9), 0.1)
    with raises(UsageError, "past", "two"):
        units_needed(moments_of([1]), PLAIN, 0.1)
    assert smallest_effect(UNIT, PLAIN, 3) is None
    assert units_needed(moments_of([2, 2, 2]), PLAIN, 0.01) is None


def test_the_ratio_check_is_scipys() -> None:
    counts, shares = {"a": 5_110, "b": 4_890, "c": 10_300}, {"a": 25, "b": 25, "c": 50}
    found = sample_ratio(counts, shares)
    theirs = stats.chisquare(list(counts.values()), [5_075, 5_075, 10_150])
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert found.holds
    assert not sample_ratio({"a": 10_000, "b": 10_600}, {"a": 1, "b": 1}).holds


def test_the_stated_power_of_two_variants_is_that_of_the_shares_that_come() -> None:
    shares = {"a": 0.9, "b": 0.1}
    for name, loss in sample_ratio({"a": 9_000, "b": 1_000}, shares, power=0.8).detectable.items():
        assert loss is not None
        true = {other: share * (1 - loss * (other == name)) for other, share in shares.items()}
        assert mismatch_power(10_000, shares, true) == pytest.approx(0.8, abs=1e-9)
        # Units of b are binomial; the check fails where they are further from 1,000 than the critical value allows.
        reach = math.sqrt(stats.chi2.isf(0.001, 1) * 10_000 * 0.9 * 0.1)
        came = stats.binom(10_000, true["b"] / math.fsum(true.values()))
        assert came.cdf(1_000 - reach) + came.sf(1_000 + reach) == pytest.approx(0.8, abs=0.01)
    assert mismatch_power(10_000, shares, shares) == 0.001
    assert sample_ratio({"a": 0, "b": 0}, shares).detectable == {"a": None, "b": None}


def test_the_stated_power_of_three_variants_is_that_of_the_noncentral_distribution() -> None:
    shares = {"a": 0.5, "b": 0.3, "c": 0.2}
    for name, loss in sample_ratio({"a": 5_000, "b": 3_000, "c": 2_000}, shares, power=0.8).detectable.items():
        assert loss is not None
        true = {other: share * (1 - loss * (other == name)) for other, share in shares.items()}
        assert mismatch_power(10_000, shares, true) == pytest.approx(0.8, abs=1e-9)
        whole = math.fsum(true.values())
        noncentral = 10_000 * sum((true[o] / whole - shares[o]) ** 2 / shares[o] for o in shares)
        assert stats.ncx2.sf(stats.chi2.isf(0.001, 2), 2, noncentral) == pytest.approx(0.8, abs=1e-9)


def test_counts_and_shares_must_be_of_the_same_variants() -> None:
    for counts, shares, values in (
        ({"a": 1}, {"a": 1}, ["variants", "shares", "a"]),
        ({"a": 1, "b": 2}, {"a": 1, "c": 1}, ["shares", "a, b", "a, c"]),
        ({"a": 1, "b": 2}, {"a": 1, "b": 0}, ["shares", "0"]),
    ):
        with raises(UsageError, *values):
            sample_ratio(counts, shares)
