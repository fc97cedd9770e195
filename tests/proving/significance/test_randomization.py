"""Sign flips: exact p-values and typical values by hand, and the shared product against flipping one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance import randomization
from rankproof.proving.significance._typical import of_rank
from rankproof.proving.significance.contract import SignificanceRequest
from rankproof.proving.significance.randomization import Flips, batches, spans


def ask(d: list[float] | np.ndarray, seed: int = 0, **asked: object) -> Estimate:
    found = randomization.infer(
        np.array(d, dtype=np.float64), SignificanceRequest(**asked), np.random.default_rng(seed)
    )
    assert isinstance(found, Estimate)
    return found


def plain_p(d: list[float], null: float, alternative: str) -> float:
    """Every flip by itself."""
    centered = [x - null for x in d]
    observed = math.fsum(centered)
    sums = [
        math.fsum(s * x for s, x in zip(signs, centered, strict=True))
        for signs in itertools.product([1, -1], repeat=len(d))
    ]
    greater = sum(x >= observed for x in sums) / len(sums)
    less = sum(x <= observed for x in sums) / len(sums)
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]


eighths = st.lists(st.integers(-16, 16).map(lambda i: i / 8), min_size=2, max_size=7).filter(lambda d: min(d) < max(d))


@given(d=eighths, null=st.integers(-20, 20).map(lambda i: i / 8), how=st.sampled_from(["two-sided", "greater", "less"]))
@settings(max_examples=examples(100), deadline=None)
def test_the_exact_test_flips_every_sign(d: list[float], null: float, how: str) -> None:
    found = ask(d, null=null, alternative=how, level=0.8)
    assert found.p_value == plain_p(d, null, how)
    assert found.resamples is None
    # The interval is what the same test, made again at each mean, does not reject: at its ends too, not beyond.
    for end, outward in ((found.low, -1), (found.high, 1)):
        if math.isfinite(end):
            assert plain_p(d, end + outward * 1e-6, how) <= 0.2 + 1e-12


@given(d=eighths, null=st.integers(-20, 20).map(lambda i: i / 8))
@settings(max_examples=examples(100), deadline=None)
def test_the_interval_holds_the_means_that_are_not_rejected(d: list[float], null: float) -> None:
    found = ask(d, level=0.8)
    inside = found.low - 1e-12 <= null <= found.high + 1e-12
    assert inside == (plain_p(d, null, "two-sided") > 1 - 0.8)


def test_five_queries_cannot_bound_a_mean_at_95_percent() -> None:
    """2 of 32 flips is 0.0625: no p-value is below 0.05, so no mean is ever rejected."""
    found = ask([1, 2, 3, 4, 5])
    assert (found.p_value, found.low, found.high) == (2 / 32, -math.inf, math.inf)
    assert found.notes == ("no bound at 95%: all 32 resamples are too few for it",)


def test_ties_are_ties_in_spite_of_rounding() -> None:
    """0.1 + 0.2 and 0.3 against each other: the sum is 0, and so is that of the flip of all three."""
    found = ask([0.1, 0.2, -0.3])
    # Of 8 flips the sums are 0, -0.2, -0.4, 0.6, -0.6, 0.4, 0.2, 0: five at least 0, five at most 0.
    assert found.p_value == 1.0
    assert ask([0.1, 0.2, -0.3], alternative="greater").p_value == 5 / 8
    assert ask([0.1, 0.2, -0.3], alternative="less").p_value == 5 / 8


def test_random_flips_count_the_observed_one() -> None:
    """Thirty differences, all up: no random flip reaches their sum."""
    found = ask(np.arange(1.0, 31.0), resamples=999)
    assert (found.p_value, found.resamples) == (2 / 1000, 999)
    assert 0 < found.low < 15.5 < found.high


def test_random_flips_are_near_to_all_of_them() -> None:
    """Fifteen queries: all 32,768 flips, and 20,000 random ones, within five standard errors of the p-value."""
    d = np.random.default_rng(3).normal(0.4, 1, 15)
    every, some = ask(d, resamples=2**15), ask(d, resamples=20_000)
    assert (every.resamples, some.resamples) == (None, 20_000)
    assert some.p_value == pytest.approx(every.p_value, abs=5 * 2 * math.sqrt(every.p_value / 2 / 20_000))
    assert (some.low, some.high) == pytest.approx((every.low, every.high), abs=0.05)


@pytest.mark.parametrize("n", [3, 20, 90])
def test_flips_have_the_mean_of_their_queries(n: int) -> None:
    flips = Flips(n, 3_000, np.random.default_rng(1))
    columns = np.random.default_rng(2).normal(size=(n, 2))
    # The means of ones are ones; those of the first query alone say in which flips it is.
    ones = flips.means(np.ones((n, 1)))
    assert ones == pytest.approx(1.0)
    assert len(flips) == ones.shape[1] == (2**n - 1 if n == 3 else 3_000)
    both = flips.means(columns)
    assert flips.means(columns[:, 1:])[0] == pytest.approx(both[1])
    half = (flips.means(np.eye(n))[0] > 0).mean()
    assert half == pytest.approx(0.5 if n > 3 else 4 / 7, abs=5 * 0.5 / math.sqrt(3_000))


def test_differences_of_pairs_need_one_column_for_each_system_but_the_first() -> None:
    values = np.random.default_rng(0).random((40, 6, 2)).round(3)
    pairs = list(itertools.combinations(range(6), 2))
    d = np.column_stack([values[:, b, k] - values[:, a, k] for k in range(2) for a, b in pairs])
    made_of = spans(d)
    computed = [i for i, (_, second) in enumerate(made_of) if second is None]
    assert computed == [0, 1, 2, 3, 4, 15, 16, 17, 18, 19]
    for i, (first, second) in enumerate(made_of):
        if second is not None:
            assert d[:, first] - d[:, second] == pytest.approx(d[:, i], abs=1e-15)
    assert [second for _, second in spans(np.random.default_rng(1).random((40, 9)))] == [None] * 9


def test_batches_hold_what_their_columns_need() -> None:
    made_of = [(0, None), (1, None), (1, 0), (3, None), (3, 0)]
    assert list(batches(made_of, 2)) == [([0, 1, 2], [0, 1]), ([3, 4], [3, 0])]
    assert list(batches(made_of, 1)) == [([0], [0]), ([1], [1]), ([2], [1, 0]), ([3], [3]), ([4], [3, 0])]


@pytest.mark.parametrize("rank", [1, 2, 100, 250, 5_000, 9_999, 10_000])
@pytest.mark.parametrize("order", ["random", "rising", "falling", "periodic", "few"])
def test_the_value_of_a_rank_is_that_of_the_sorted_list(order: str, rank: int) -> None:
    """The sample that says where to look may be a bad one, when the order has a period; the answer may not."""
    values = np.random.default_rng(0).normal(size=10_000)
    values = {
        "random": values,
        "rising": np.sort(values),
        "falling": -np.sort(values),
        "periodic": np.where(np.arange(10_000) % 4 == 0, -9.0, values),
        "few": np.sign(values),
    }[order]
    assert of_rank(values, rank) == np.sort(values)[rank - 1]
