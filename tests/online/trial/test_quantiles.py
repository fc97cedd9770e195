"""Quantiles: by hand, exact merging, and the standard error that simulation gives."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.online.trial.estimate import estimate
from rankproof.online.trial.moments import Tally, moments_of, tally_of
from rankproof.online.trial.quantiles import quantile_effect
from rankproof.online.trial.records import Metric

MEDIAN = Metric("latency", "quantile", "lower", at=0.5)
P90 = Metric("latency", "quantile", "lower", at=0.9)


def test_by_hand() -> None:
    # 100 units 1..100: the median is 50; 1.96 x sqrt(100 / 4) = 9.8: ranks 40 and 60, 20 apart over 2 x 1.96.
    control, treatment = tally_of(range(1, 101)), tally_of(range(11, 111))
    effect = quantile_effect(control, treatment, MEDIAN)
    assert (effect.value, effect.n) == (10.0, 200)
    assert [part.variance for part in effect.parts] == pytest.approx([(20 / 3.919927969) ** 2] * 2, rel=1e-9)
    relative = quantile_effect(control, treatment, MEDIAN, "relative")
    assert relative.value == pytest.approx(0.2, rel=1e-12)


def test_days_add_up_exactly() -> None:
    values = np.random.default_rng(0).integers(0, 500, 1_000).tolist()
    days = [tally_of(values[start : start + 100]) for start in range(0, 1_000, 100)]
    assert sum(days, Tally()) == tally_of(values)
    assert Tally.from_dict(json.loads(json.dumps(days[0].to_dict()))) == days[0]
    assert tally_of(values).ranked((1, 500, 1_000)) == [sorted(values)[i] for i in (0, 499, 999)]


def test_the_standard_error_is_what_repetition_gives() -> None:
    """600 samples of 2,000 lognormal values: the spread of their 90% quantiles has a standard error of 3%."""
    rng = np.random.default_rng(1)
    values, told = [], []
    for _ in range(300):
        effect = quantile_effect(*(tally_of(rng.lognormal(4, 1, 2_000)) for _ in range(2)), P90)
        values.append(effect.value)
        told.append(effect.variance)
    assert np.sqrt(np.mean(told)) == pytest.approx(np.std(values, ddof=1), rel=0.12)


def test_every_method_answers_and_the_rest_is_told() -> None:
    rng = np.random.default_rng(2)
    control, treatment = (tally_of(np.round(rng.lognormal(4, 1, 2_000), 1)) for _ in range(2))
    for method in ("welch", "sequence", "msprt(effect=10)"):
        assert isinstance(estimate(control, treatment, P90, method), Estimate)
    few = estimate(tally_of([1, 2, 3]), treatment, P90)
    assert isinstance(few, NotEstimable)
    assert "too few units" in few.reason
    same = estimate(tally_of([5] * 500), treatment, P90)
    assert isinstance(same, NotEstimable)
    assert "share the value" in same.reason
    with raises(UsageError, "quantile", "Tally"):
        estimate(moments_of([1, 2]), moments_of([1, 2]), P90)
    with raises(UsageError, "quantile", "Tally"):
        estimate(control, treatment, Metric("latency"))


def test_wrong_tallies_and_metrics_are_refused() -> None:
    for wrong, named in (
        ({}, ["values", "counts", "Tally.to_dict"]),
        ({"values": [1], "counts": []}, ["values", "counts", "Tally.to_dict"]),
        ({"values": [1], "counts": [0]}, ["tally", "0", "1"]),
        ({"values": ["a"], "counts": [1]}, ["tally", "1", "'a'"]),
    ):
        with raises(InputError, *named):
            Tally.from_dict(wrong)
    with raises(InputError, "value", "finite"):
        tally_of([1, float("inf")])
    for fields, named in (
        ({"kind": "quantile"}, ["'latency'", "quantile", "at", "0.95"]),
        ({"kind": "quantile", "at": 1.5}, ["'latency'", "quantile", "at", "0.95"]),
        ({"at": 0.5}, ["'latency'", "mean", "quantile", "at"]),
        ({"kind": "quantile", "at": "x"}, ["at", "metric", "'x'"]),
    ):
        with raises(UsageError, *named):
            Metric.from_dict({"name": "latency", **fields})
    with raises(UsageError, "'latency'", "quantile", "covariate"):
        Metric("latency", "quantile", covariate="before", at=0.5)
    assert Metric.from_dict(P90.to_dict()) == P90
