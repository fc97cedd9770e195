"""Sample ratio mismatch: found as often as it is said to be, and seldom where there is none.

Units are assigned by the planned shares; then each unit of one variant is lost with the probability of which
`sample_ratio` says that it is noticed in 90% of trials.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from benchmarks.online_parts.looking import allowed
from benchmarks.online_parts.tables import met, percent, rated, row, table
from benchmarks.simulation.worlds import Rate

from rankproof.proving.sample_ratio import ALPHA, POWER, sample_ratio

TRIALS = 20_000
TOTALS = (10_000, 100_000, 1_000_000)
SPLITS = {
    "50 : 50": {"control": 50.0, "treatment": 50.0},
    "90 : 10": {"control": 90.0, "treatment": 10.0},
    "99 : 1": {"control": 99.0, "treatment": 1.0},
    "40 : 30 : 30": {"control": 40.0, "treatment": 30.0, "other": 30.0},
}


def stated(total: int, shares: Mapping[str, float], variant: str) -> float | None:
    """The loss in a variant that is found with the power, where so many units came as planned."""
    whole = sum(shares.values())
    counts = {name: round(total * share / whole) for name, share in shares.items()}
    return sample_ratio(counts, shares).detectable[variant]


def found(
    total: int, shares: Mapping[str, float], loss: Mapping[str, float], trials: int, rng: np.random.Generator
) -> Rate:
    """How often the check fails among trials of which `total` units are left on average."""
    names = list(shares)
    planned = np.array([shares[name] for name in names]) / sum(shares.values())
    stays = np.array([1 - loss.get(name, 0.0) for name in names])
    assigned = rng.multinomial(round(total / float(planned @ stays)), planned, trials)
    came = rng.binomial(assigned, stays)
    alarms = sum(not sample_ratio(dict(zip(names, counts, strict=True)), shares).holds for counts in came.tolist())
    return Rate(alarms, trials)


def rows(trials: int, seed: int) -> Iterator[str]:
    """One line for each split, number of units and variant that loses some."""
    for at, (name, shares) in enumerate(SPLITS.items()):
        for total in TOTALS:
            rng = np.random.default_rng([seed, 5, at, total])
            silent = found(total, shares, {}, trials, rng)
            calm = met(f"at most {percent(allowed(trials, ALPHA), 3)}", silent.share <= allowed(trials, ALPHA))
            for variant in ("control", "treatment"):
                loss = stated(total, shares, variant)
                if loss is None:
                    continue
                seen = found(total, shares, {variant: loss}, trials, rng)
                power = met("90% ± 1.5", abs(seen.share - POWER) <= 0.015)
                yield row(name, f"{total:,}", variant, percent(loss, 2), rated(seen), power, rated(silent, 3), calm)


def study(trials: float, seed: int) -> None:
    """Prints the table; `trials` is the share of the long form's trials."""
    head = "planned | units | loses units | share lost | found | wanted | found without a loss | wanted"
    table("Sample ratio mismatch", head, rows(round(TRIALS * trials), seed))
