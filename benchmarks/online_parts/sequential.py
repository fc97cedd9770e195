"""Looking after every 1% of traffic, and stopping at the first significance: what that costs and what it brings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from benchmarks.online_parts.looking import LOOKS, UNITS, Seen, Way, allowed, watched
from benchmarks.online_parts.tables import met, percent, rated, row, table
from benchmarks.online_parts.units import WORLDS, World
from benchmarks.simulation.worlds import Rate

from rankproof.online.trial.moments import Moments
from rankproof.online.trial.power import smallest_effect

FIXED = "welch"
SEQUENCE = f"sequence(units={UNITS})"
TRIALS, EFFECT_TRIALS, EARLY_TRIALS = 4_000, 2_000, 400
EARLY_LOOKS = 1_000


def study(trials: float, seed: int) -> None:
    """Prints the tables; `trials` is the share of the long form's trials."""
    many, fewer = round(TRIALS * trials), round(EFFECT_TRIALS * trials)
    head = "metric | method | question | alarm at some look | at the last look alone | wanted"
    table("False alarms without any effect, 100 looks", head, alarms(many, seed))
    head = "metric | true effect | method | holds it at all 100 looks | wanted"
    table("Intervals at all times together", head, coverage(fewer, seed))
    head = "metric | true effect | method | found | at the last look alone | traffic used, median | mean"
    table("Power and traffic with a true effect, stopped at the first significance", head, power(fewer, seed))

    head = "metric | method | alarm at some look | alarm before 100 units in each variant | wanted"
    table("False alarms from the first ten units on, 1,000 looks", head, early(round(EARLY_TRIALS * trials), seed))


def methods(world: World, seed: int) -> tuple[str, str, str]:
    """The fixed test and the two that are always valid: one planned for all the traffic, one for large effects.

    Large is twice the least effect that the fixed test finds with 80%; planned for that least effect itself, `msprt`
    and `sequence` would be the same test to two digits.
    """
    least = smallest_effect(past(world, seed), world.metric, UNITS)
    assert least is not None
    return FIXED, SEQUENCE, f"msprt(effect={2 * least:.4g})"


@lru_cache
def past(world: World, seed: int) -> Moments:
    """What is known before the trial."""
    return world.past(np.random.default_rng([seed, 0, WORLDS.index(world)]))


def alarms(trials: int, seed: int) -> Iterator[str]:
    """How often there is an alarm though the variants are the same."""
    for world in WORLDS:
        ways: list[Way] = [(method, "two-sided") for method in methods(world, seed)]
        ways += [(method, "greater") for method in methods(world, seed)]
        seen = watched(world, ways, trials, np.random.default_rng([seed, 1, WORLDS.index(world)]))
        for way, found in seen.items():
            rate = stopped(found)
            if way[0] == FIXED:
                wanted = met("above 15%", rate.share > 0.15)
            else:
                wanted = met(f"at most {percent(allowed(trials), 2)}", rate.share <= allowed(trials))
            yield row(world.name, f"`{way[0]}`", way[1], rated(rate), percent(found.at_end / trials), wanted)


def early(trials: int, seed: int) -> Iterator[str]:
    """The same with a first look at ten units in each variant, where what is proved for many units says little."""
    for world in WORLDS:
        ways: list[Way] = [(method, "two-sided") for method in methods(world, seed)]
        rng = np.random.default_rng([seed, 9, WORLDS.index(world)])
        for (method, _), found in watched(world, ways, trials, rng, looks=EARLY_LOOKS).items():
            rate = stopped(found)
            soon = Rate(sum(look is not None and look * UNITS < 200 * EARLY_LOOKS for look in found.stopped), trials)
            wanted = met(f"at most {percent(allowed(trials), 2)}", rate.share <= allowed(trials))
            yield row(world.name, f"`{method}`", rated(rate), rated(soon), "" if method == FIXED else wanted)


@lru_cache
def with_effect(world: World, trials: int, seed: int) -> dict[float, dict[Way, Seen]]:
    """By true effect: the least that the fixed test finds with 80%, and the least that the sequence does."""
    ways: list[Way] = [(method, "two-sided") for method in methods(world, seed)]
    known = past(world, seed)
    found = {}
    for at, method in enumerate((FIXED, SEQUENCE)):
        effect = smallest_effect(known, world.metric, UNITS, method)
        assert effect is not None
        found[effect] = watched(world, ways, trials, np.random.default_rng([seed, 2, at, WORLDS.index(world)]), effect)
    return found


def coverage(trials: int, seed: int) -> Iterator[str]:
    """How often the intervals of all looks hold the true effect together."""
    for world in WORLDS:
        for effect, seen in with_effect(world, trials, seed).items():
            for (method, _), found in seen.items():
                rate = Rate(found.covered, trials)
                wanted = "" if method == FIXED else met("at least 95%", rate.share >= 0.95)
                yield row(world.name, f"{effect:.4f}", f"`{method}`", rated(rate), wanted)


def power(trials: int, seed: int) -> Iterator[str]:
    """How often a true effect is found by the end, and after how much of the traffic."""
    for world in WORLDS:
        for effect, seen in with_effect(world, trials, seed).items():
            for (method, _), found in seen.items():
                used = [LOOKS if look is None else look for look in found.stopped]
                cells = [rated(stopped(found)), percent(found.at_end / trials)]
                if method == FIXED:  # its stops are no decisions: see its false alarms
                    cells = ["", rated(Rate(found.at_end, trials))]
                    used = [LOOKS]
                traffic = [percent(float(at(used)) / LOOKS, 0) for at in (np.median, np.mean)]
                yield row(world.name, f"{effect:.4f}", f"`{method}`", *cells, *traffic)


def stopped(found: Seen) -> Rate:
    """Trials that stopped at some look."""
    return Rate(sum(look is not None for look in found.stopped), len(found.stopped))
