"""Ratios and adjusted means, looked at after every 1% of traffic: alarms, intervals, and the power that was planned."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.online_parts.looking import UNITS, Seen, allowed, watched
from benchmarks.online_parts.sequential import FIXED, SEQUENCE, methods, past, stopped
from benchmarks.online_parts.units import WORLDS, World

from rankproof.online.trial.power import smallest_effect

pytestmark = pytest.mark.slow

TRIALS = 250
NAMED = {world.name: world for world in WORLDS}


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_units_have_the_effect_that_they_are_said_to_have(world: World) -> None:
    """A million units in each variant: five standard errors of the difference are what chance may do."""
    rng = np.random.default_rng(0)
    effect = 0.1 * world.per_lift
    means, error = [], 0.0
    for true in (0.0, effect):
        units = world.units(rng, (1_000_000,), true)
        below = 1.0 if units.denominator is None else float(units.denominator.mean())
        mean = float(units.numerator.mean()) / below
        means.append(mean)
        each = units.numerator / below - (0 if units.denominator is None else mean * units.denominator / below)
        error += float(each.var()) / 1_000_000
    assert means[1] - means[0] == pytest.approx(effect, abs=5 * math.sqrt(error))


@pytest.mark.parametrize("name", ["ratio", "adjusted"])
def test_false_alarms_without_any_effect(name: str) -> None:
    world = NAMED[name]
    ways = [(method, "two-sided") for method in methods(world, 0)]
    found = watched(world, ways, TRIALS, np.random.default_rng(1))
    alarms = {method: stopped(seen).share for (method, _), seen in found.items()}
    assert alarms.pop(FIXED) > 0.15
    assert all(share <= allowed(TRIALS) for share in alarms.values()), alarms


@pytest.mark.parametrize("name", ["ratio", "adjusted"])
def test_an_effect_that_was_planned_for_is_found(name: str) -> None:
    """The effect that the sequence is said to find with 80% by its last look: looks before it only add."""
    world = NAMED[name]
    effect = smallest_effect(past(world, 0), world.metric, UNITS, SEQUENCE)
    assert effect is not None
    ways = [(method, "two-sided") for method in methods(world, 0)]
    found = {
        method: seen for (method, _), seen in watched(world, ways, TRIALS, np.random.default_rng(2), effect).items()
    }
    sequence = found[SEQUENCE]
    error = math.sqrt(0.8 * 0.2 / TRIALS)
    assert sequence.at_end / TRIALS == pytest.approx(0.8, abs=3 * error)
    assert stopped(sequence).share >= 0.8 - error
    assert found[FIXED].covered / TRIALS < 0.8
    assert all(seen.covered / TRIALS >= 0.95 for method, seen in found.items() if method != FIXED)


def test_what_is_seen_of_a_trial() -> None:
    """Two trials, one of which stopped at look 7."""
    assert stopped(Seen([7, None], at_end=0, covered=1)).share == 0.5
