"""Limits of planned looks against published tables, another integration and drawn trials; uneven and missed looks."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm
from tests.effort import examples

from rankproof.proving.group_sequential import SPENDING, inflation, limits, passed

FIVE = [0.2, 0.4, 0.6, 0.8, 1.0]


def spent_by(kind: str, error: float, times: list[float]) -> list[float]:
    return [SPENDING[kind](error, time) for time in times]


@pytest.mark.parametrize(
    ("kind", "error", "times", "two_sided", "published"),
    [
        # Reboussin, DeMets, Kim and Lan, Controlled Clinical Trials 21, 2000, and the program that it is about.
        ("obrien_fleming", 0.025, FIVE, True, (4.8769, 3.3569, 2.6803, 2.2898, 2.0310)),
        ("pocock", 0.025, FIVE, True, (2.4380, 2.4268, 2.4101, 2.3966, 2.3859)),
        # SeqBounds.jl 1.0, whose page and tests state these; it was compared with ldbounds of R.
        ("obrien_fleming", 0.05, [0.25, 0.5, 0.75, 1.0], False, (3.74955, 2.53993, 2.01604, 1.72014)),
        ("obrien_fleming", 0.05, FIVE, False, (None, None, None, None, 1.7396609804)),
        ("pocock", 0.025, FIVE, True, (None, None, None, None, 2.3859092191)),
    ],
)  # fmt: skip
def test_published_limits(
    kind: str, error: float, times: list[float], two_sided: bool, published: tuple[float | None, ...]
) -> None:
    found = limits(spent_by(kind, error, times), times, two_sided=two_sided)
    for mine, theirs in zip(found, published, strict=True):
        assert theirs is None or mine == pytest.approx(theirs, abs=2e-4)


@pytest.mark.parametrize(
    ("looks", "pocock", "obrien_fleming"),
    # Jennison and Turnbull, Group Sequential Methods, 2000, tables 2.1 and 2.3, alpha = 0.05.
    [
        (2, 2.178, 1.977),
        (3, 2.289, 2.004),
        (4, 2.361, 2.024),
        (5, 2.413, 2.040),
        (10, 2.555, 2.087),
        (20, 2.672, 2.126),
    ],
)
def test_published_constants_have_the_error_they_are_for(looks: int, pocock: float, obrien_fleming: float) -> None:
    information = [(look + 1) / looks for look in range(looks)]
    even = [pocock] * looks
    late = [obrien_fleming * math.sqrt(looks / (look + 1)) for look in range(looks)]
    for at in (even, late):
        assert passed(at, information, two_sided=True) == pytest.approx(0.05, abs=2e-4)


def test_published_traffic() -> None:
    """Jennison and Turnbull, tables 2.2 and 2.4: maximum traffic at 5 looks, 80% power: Pocock 1.229, O'Brien 1.028."""
    for at, most in (([2.413] * 5, 1.229), ([2.040 * math.sqrt(5 / k) for k in range(1, 6)], 1.028)):
        drift = math.sqrt(most) * float(norm.ppf(0.975) + norm.ppf(0.8))
        assert passed(at, FIVE, drift, two_sided=True) == pytest.approx(0.8, abs=1e-3)


def test_fourteen_looks_cost_little() -> None:
    for two_sided in (False, True):
        assert inflation("obrien_fleming", 14, 0.95, 0.8, two_sided) < 1.10
        assert 1.2 < inflation("pocock", 14, 0.95, 0.8, two_sided) < 1.3
    assert inflation("pocock", 1, 0.95, 0.8, False) == pytest.approx(1.0, abs=1e-6)


times = st.lists(st.floats(0.02, 1.0), min_size=1, max_size=4).map(lambda new: list(accumulate(new)))


@given(information=times, kind=st.sampled_from(sorted(SPENDING)), error=st.floats(0.002, 0.2), two_sided=st.booleans())
@settings(max_examples=examples(30), deadline=None)
def test_all_that_may_be_spent_is_spent(information: list[float], kind: str, error: float, two_sided: bool) -> None:
    """By another integration: the normal distribution of all looks together."""
    spent = spent_by(kind, error, [at / information[-1] for at in information])
    at = limits(spent, information, two_sided=two_sided)
    covariance = [[math.sqrt(min(a, b) / max(a, b)) for b in information] for a in information]
    # Looks that may spend nothing have no limit: what counts are the others.
    finite = [min(limit, 12.0) for limit in at]
    inside = multivariate_normal(np.zeros(len(at)), covariance, allow_singular=True).cdf(
        finite, lower_limit=[-limit for limit in finite] if two_sided else None, rng=np.random.default_rng(0)
    )
    assert 1 - inside == pytest.approx(error * (2 if two_sided else 1), abs=3e-4)


def test_a_look_that_saw_nothing_new_spends_what_has_come_since() -> None:
    """The same numbers at a later time: the limit falls to what one look at that time has."""
    at = limits(spent_by("pocock", 0.05, [0.25, 0.5]), [100, 100])
    assert at[1] < at[0]
    assert at[1] == pytest.approx(limits(spent_by("pocock", 0.05, [0.5]), [100])[0], abs=1e-9)
    # And one after it has the limit that it has without the look that saw nothing.
    with_it = limits(spent_by("pocock", 0.05, [0.25, 0.5, 1.0]), [100, 100, 200])
    assert with_it[2] == pytest.approx(limits(spent_by("pocock", 0.05, [0.5, 1.0]), [100, 200])[1], abs=1e-9)


def test_a_missed_look_leaves_more_for_the_others_and_an_added_one_less() -> None:
    two, three = ([0.5, 1.0], [0.5, 0.75, 1.0])
    fewer, more = (limits(spent_by("pocock", 0.05, times), times)[-1] for times in (two, three))
    assert fewer < more


def test_nothing_to_spend_is_no_limit() -> None:
    assert limits([0.0, 0.0, 0.05], [1.0, 2.0, 3.0])[:2] == (math.inf, math.inf)
    assert limits([0.0, 0.0, 0.05], [1.0, 2.0, 3.0])[2] == pytest.approx(1.6449, abs=1e-4)
    early = limits(spent_by("obrien_fleming", 0.0115, [1 / 84, 1.0]), [1.0, 84.0])
    assert early[0] == math.inf


def test_many_looks_in_an_instant_are_few() -> None:
    """160 looks, most of which add next to nothing, are integrated all the same."""
    information = np.cumsum(np.r_[np.full(80, 0.1), np.full(80, 1e-6)])
    at = limits(spent_by("pocock", 0.05, list(information / information[-1])), list(information))
    assert math.isfinite(at[-1])
    assert passed(at[:80], list(information[:80]), two_sided=False) <= 0.05


def test_drawn_trials_stop_as_often_as_they_may() -> None:
    rng = np.random.default_rng(0)
    information = np.array([3.0, 5.0, 11.0, 12.0, 20.0])
    walk = rng.normal(size=(200_000, 5)) * np.sqrt(np.diff(information, prepend=0.0))
    z = walk.cumsum(axis=1) / np.sqrt(information)
    for kind in SPENDING:
        spent = spent_by(kind, 0.05, list(information / 20))
        at = np.array(limits(spent, list(information)))
        share = (z >= at).any(axis=1).mean()
        assert share == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 200_000))
