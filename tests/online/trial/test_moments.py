"""Moments: by hand, stable, merging by addition, and back from JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.online.trial.moments import PRODUCTS, Moments, from_counts, from_sums, merged, moments_of
from rankproof.online.trial.records import Metric


def units(n: int, seed: int, offset: float = 0.0) -> np.ndarray:
    """Numerator, denominator and covariate of n units, dependent on each other."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    d = rng.poisson(3.0, size=n) + 1.0
    return np.array([offset + x + d + rng.normal(size=n), d, x])


def close(a: Moments, b: Moments, within: float = 1e-12) -> bool:
    """The same units, and means and products the same but for rounding, beside the spread of the units."""
    size = max(map(abs, b.products), default=0.0) + 1e-300
    return (
        a.n == b.n
        and np.allclose(a.means, b.means, rtol=within, atol=within)
        and all(abs(p - q) <= within * size for p, q in zip(a.products, b.products, strict=True))
    )


def test_by_hand() -> None:
    # Means 2, 3, 1; deviations (-1, 1), (-1, 1), (1, -1).
    assert moments_of([1, 3], [2, 4], [2, 0]) == Moments(2, (2, 3, 1), (2, 2, 2, 2, -2, -2))
    assert moments_of([]) == Moments()
    assert moments_of([1, 3]).covariance(0, 0) == 2
    # 3 of 4: 3 x (1/4)^2 + (3/4)^2 = 0.75
    assert from_counts(3, 4) == moments_of([1, 1, 1, 0])
    assert from_sums(2, [4, 6, 2], [10, 20, 4, 14, 2, 4]) == moments_of([1, 3], [2, 4], [2, 0])


@given(cuts=st.lists(st.integers(0, 400), max_size=8), seed=st.integers(0, 99), offset=st.sampled_from([0.0, 1e6]))
@settings(max_examples=examples(60), deadline=None)
def test_files_of_days_add_up_to_the_whole(cuts: list[int], seed: int, offset: float) -> None:
    table = units(400, seed, offset)
    days = [moments_of(*part) for part in np.split(table, sorted(cuts), axis=1)]
    # The unit itself is rounded to 1e-16 of the offset: what a million costs there cannot be had back.
    assert close(merged(days), moments_of(*table), 1e-12 if not offset else 1e-10)
    assert merged(days) == merged(days[::-1])
    total = Moments()
    for day in days:
        total = total + day
    assert close(total, merged(days), 1e-12 if not offset else 1e-10)


def test_large_numbers_keep_their_variance() -> None:
    """Raw sums of squares of 1e9 + (0, 1, 2) are near 3e18, where floats are 512 apart: the variance 1 is lost."""
    values = [1e9, 1e9 + 1, 1e9 + 2]
    assert moments_of(values).covariance(0, 0) == 1.0
    assert merged([moments_of([value]) for value in values]).covariance(0, 0) == pytest.approx(1.0, rel=1e-12)


def test_there_and_back_through_json() -> None:
    found = moments_of(*units(50, 3))
    assert Moments.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert len(found.to_dict()["products"]) == len(PRODUCTS)
    metric = Metric("clicks per search", "ratio", "higher", "clicks before")
    assert Metric.from_dict(json.loads(json.dumps(metric.to_dict()))) == metric


def test_what_is_no_moments_is_refused() -> None:
    good = moments_of([1, 3]).to_dict()
    for wrong in ({}, good | {"n": -1}, good | {"n": True}, good | {"means": {}}, good | {"products": []}):
        with pytest.raises(InputError):
            Moments.from_dict(wrong)
    with raises(InputError, "numerator", "finite"):
        moments_of([1, float("nan")])
    with raises(InputError, "denominator", (2,), (1,)):
        moments_of([1, 2], [1])
    with raises(InputError, "Successes", 3, 2):
        from_counts(3, 2)
    with raises(InputError, "numerator", "squares", 7, 8, 2):
        from_sums(2, [4, 2, 0], [7, 2, 0, 4, 0, 0])
    with raises(ValueError, "covariance", "units"):
        moments_of([1]).covariance(0, 0)


def test_what_is_no_metric_is_refused() -> None:
    for wrong in ({}, {"name": ""}, {"name": "a", "kind": "odds"}, {"name": "a", "better": "up"}, {"name": 3}):
        with pytest.raises(UsageError):
            Metric.from_dict(wrong)
    with raises(UsageError, "'colour'", "name", "kind", "better", "covariate", "at"):
        Metric.from_dict({"name": "a", "colour": "red"})
