"""How fast rankproof tests, as a ratio against scipy.stats.permutation_test in one run of this script.

    python benchmarks/compare.py              about half a minute
    python benchmarks/compare.py --check      the same; exit status 1 where the target is missed

The job is all pairs of 20 systems in 10 measures on 200 queries: 1,900 paired sign-flip tests with 100,000 random flips
each. rankproof makes all of them, intervals included. scipy, which gives p-values only, makes 20 of them in its fastest
form, and its median is scaled to 1,900. Every figure is a median. p-values of both are held against each other, so that
both have done the same.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time

import numpy as np
from scipy import stats

from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance import randomization
from rankproof.proving.significance.contract import SignificanceRequest

SYSTEMS, MEASURES, QUERIES, FLIPS = 20, 10, 200, 100_000
TESTS = MEASURES * math.comb(SYSTEMS, 2)
TARGET = 500


def differences() -> np.ndarray:
    """Queries by tests: systems that differ a little, on queries that differ a lot, by values with three places."""
    chance = np.random.default_rng(1)
    ease = chance.beta(2, 2, (QUERIES, 1, MEASURES))
    skill = chance.normal(0, 0.02, (1, SYSTEMS, MEASURES))
    values = (ease + skill + chance.normal(0, 0.15, (QUERIES, SYSTEMS, MEASURES))).clip(0, 1).round(3)
    pairs = itertools.combinations(range(SYSTEMS), 2)
    return np.concatenate([values[:, b] - values[:, a] for a, b in pairs], axis=1)


def timed(function, *arguments) -> tuple[float, object]:
    began = time.perf_counter()
    answer = function(*arguments)
    return time.perf_counter() - began, answer


def ours(d: np.ndarray) -> list[Estimate]:
    return randomization.infer_many(d, SignificanceRequest(resamples=FLIPS), np.random.default_rng(0))


def theirs(d: np.ndarray, batch: int) -> float:
    return stats.permutation_test(
        (d,), np.mean, permutation_type="samples", vectorized=True, n_resamples=FLIPS, batch=batch,
        rng=np.random.default_rng(0),
    ).pvalue  # fmt: skip


def fastest_batch(d: np.ndarray) -> int:
    """How many flips scipy is best given at a time on this machine."""
    return min((500, 1_000, 2_000, 5_000, 20_000), key=lambda batch: timed(theirs, d, batch)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--check", action="store_true", help=f"exit 1 below {TARGET} times")
    options = parser.parse_args()
    d = differences()
    answers = ours(d)  # warm: libraries are loaded and memory has been had once
    mine = float(np.median([timed(ours, d)[0] for _ in range(options.repeats)]))
    batch = fastest_batch(d[:, 0])
    sample = range(0, TESTS, TESTS // 20)
    runs = [timed(theirs, d[:, test], batch) for test in sample][:20]
    each = float(np.median([seconds for seconds, _ in runs]))
    ratio = each * TESTS / mine
    # Both p-values have a standard error of 2 sqrt(p/2 (1 - p/2) / flips).
    gaps = [
        abs(answers[test].p_value - p) / (2 * math.sqrt(2 * max(p, 1e-3) / 2 * (1 - p / 2) / FLIPS))
        for test, (_, p) in zip(sample, runs, strict=False)
    ]
    print(f"rankproof, {TESTS:,} tests with intervals: {mine:.2f} s")
    print(f"scipy, median of {len(runs)} tests, {batch:,} flips at a time: {each:.3f} s, {each * TESTS:,.0f} s for all")
    print(f"largest difference of a p-value, in standard errors: {max(gaps):.1f}")
    met = ratio >= TARGET
    what = "times faster than scipy.stats.permutation_test"
    print(f"{'ok  ' if met else 'MISS'}  {what:<68} {ratio:>9.0f}   at least {TARGET}")
    if options.check and not met:
        sys.exit(1)


if __name__ == "__main__":
    main()
