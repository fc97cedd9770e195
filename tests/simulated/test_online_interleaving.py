"""Interleaving against A/B trials: what is computed of users is what they do, and sizes give the power they promise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from benchmarks.online_parts.interleaving import Study, median, short
from benchmarks.online_parts.needed import Expected, equal_weights, interleaved, trial
from benchmarks.online_parts.replay import Crowd, interleavings, trials
from benchmarks.online_parts.users import DEPTH, Users, fitted
from tests.shared_data import SHARED, needs_shared_data

from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clicks.read import read_pages
from rankproof.online.impressions import Impressions
from rankproof.online.trial.moments import from_counts
from rankproof.online.trial.power import units_needed
from rankproof.online.trial.records import Metric

LOOK = np.linspace(0.9, 0.2, DEPTH)
ONES, NONE = np.ones(DEPTH), np.zeros(DEPTH)
KINDS = (
    Users("position-based", LOOK, ONES, ()),
    Users("cascade", ONES, NONE, ()),
    Users("dependent", ONES, np.linspace(0.3, 0.8, DEPTH), ()),
)
ATTRACTION = np.array([0.5, 0.1, 0.4, 0.3, 0.2, 0.7, 0.05, 0.6, 0.15, 0.35])


def patterns() -> Impressions:
    """The same page once for each way to click on it."""
    clicks = np.array(list(itertools.product([False, True], repeat=DEPTH)))
    many = len(clicks)
    docs = np.broadcast_to(np.arange(DEPTH), (many, DEPTH))
    ids = tuple(f"d{i}" for i in range(DEPTH))
    return Impressions.of(("q",), ids, np.zeros(many, dtype=np.int64), docs, np.full(many, DEPTH), clicks)


@pytest.mark.parametrize("users", KINDS, ids=lambda users: users.name)
def test_expectations_are_those_of_the_click_model(users: Users) -> None:
    """All 1,024 ways to click on a page, each with the probability that the click model gives it."""
    pages = patterns()
    given = users.model(ATTRACTION).conditional(pages)
    chances = np.where(pages.clicks, given, 1 - given).prod(axis=1)
    assert chances.sum() == pytest.approx(1)
    worth = np.array([1.0, -1, -1, 1, -1, 1, 1, -1, 1, -1])
    sums = pages.clicks @ worth
    one = ATTRACTION[None]
    mean, square = users.totals(one, worth[None])
    assert mean[0] == pytest.approx(chances @ sums)
    assert square[0] == pytest.approx(chances @ (sums * sums))
    above, below = users.signs(one, worth[None])
    assert above[0] == pytest.approx(chances @ (sums > 0))
    assert below[0] == pytest.approx(chances @ (sums < 0))
    for rank in range(DEPTH):
        first = pages.clicks.any(axis=1) & (pages.clicks.argmax(axis=1) == rank)
        assert users.first(one)[0, rank] == pytest.approx(chances @ first)


def test_a_mixture_is_the_mean_of_its_kinds() -> None:
    mixed = Users("mixed", LOOK, ONES, (), ((0.75, 0.5), (0.25, 1.2)))
    parts = [Users("position-based", LOOK * factor, ONES, ()) for factor in (0.5, 1.2)]
    one, worth = ATTRACTION[None], np.arange(DEPTH)[None] - 4.0
    for asked in (lambda users: users.totals(one, worth)[1], lambda users: users.first(one)[0]):
        assert asked(mixed) == pytest.approx(0.75 * asked(parts[0]) + 0.25 * asked(parts[1]))


def test_sessions_needed_are_those_that_a_trial_is_planned_with() -> None:
    """Success of 30% and 32%, the same on both queries: rankproof plans by the t distribution, which is hardly more."""
    before, after = (Expected(np.full(2, share), np.full(2, share)) for share in (0.3, 0.32))
    found = trial(before, after, equal_weights(2))
    assert found.effect[0] == pytest.approx(0.02)
    planned = units_needed(from_counts(300, 1_000), Metric("success", "proportion"), 0.02)
    assert planned == pytest.approx(found.sessions[0], rel=2e-3)
    # Margins of 1 with 0.3 and -1 with 0.2: mean 0.1, variance 0.5 - 0.01, and (1.960 + 0.842)^2 = 7.849.
    margin = interleaved(Expected(np.full(2, 0.1), np.full(2, 0.5)), equal_weights(2))
    assert margin.sessions[0] == pytest.approx(7.849 * 0.49 / 0.01, rel=1e-4)


def test_pairs_without_a_ratio_are_left_out_of_the_median() -> None:
    rows = [np.array([2.0, 1.0, 1.0]), np.array([np.nan, 9.0, np.nan]), np.array([4.0, 5.0, 3.0])]
    assert median(rows) == "3.0 [2.1, 4.9] (2 pairs)"  # resamples have medians 5 and 2
    assert [short(value) for value in (0.123, 1.26, 1_234.5)] == ["0.12", "1.3", "1,234"]


@pytest.mark.full
@needs_shared_data
def test_experiments_of_the_computed_size_have_the_power_they_were_computed_for() -> None:
    """Drawn queries, lists and clicks, decided by rankproof: 150 experiments of each kind."""
    study, many = Study(lists=100, resamples=2), 150
    assert [round(pair.difference, 3) for pair in study.searches.pairs] == [
        0.034,
        0.034,
        0.039,
        0.047,
        0.081,
        0.081,
        0.086,
    ]
    users = study.users[2]
    one = min(study.compared(users, "own"), key=lambda one: one.interleaved["team_draft"].sessions[0])
    crowd = Crowd(study.searches, users, study.attraction(users, "own"), np.random.default_rng(0))
    allowed = 3 * math.sqrt(0.16 / many)
    drawn = interleavings(crowd, one.pair, "team_draft", one.interleaved["team_draft"], many)
    assert drawn.share == pytest.approx(0.8, abs=allowed)
    assert trials(crowd, one.pair, "clicks", one.trials["clicks"], many).share == pytest.approx(0.8, abs=allowed)


@pytest.mark.slow
@needs_shared_data
def test_mixed_users_click_as_the_log_says() -> None:
    """Few sessions that click nearly everything; the others a little less than one kind of users would."""
    pages = read_pages(SHARED / "clicks" / "yandex_sample.txt")
    mixed = fitted(pages)[3]
    (most, less), (few, more) = mixed.eagerness
    assert most + few == pytest.approx(1)
    assert few < 0.1
    assert less < 1 < more
    learned = read_configured("clickmodels", "position_based")
    attraction = learned.item.fit(pages, learned.values).attractiveness[pages.shown]
    mean, square = mixed.totals(attraction, np.ones_like(attraction))
    clicks = pages.clicks.sum(axis=1)
    assert float(mean.mean()) == pytest.approx(clicks.mean())
    assert float(square.mean()) == pytest.approx((clicks * clicks).mean())
    assert 1 - float(mixed.first(attraction).sum(axis=1).mean()) == pytest.approx((clicks == 0).mean())
