"""Benjamini-Hochberg correction: of the differences called real, at most 5% are expected to be chance.

The i-th smallest of m p-values is multiplied by m / i, never rising above the one after. It promises less than Holm and
finds more: for looking over many tests, not for one decision. It holds for tests that are independent or positively
dependent.

The intervals are at 1 - R (1 - level) / m, where R tests are shown: of the intervals of those that are shown, at most
5% are expected to miss (false coverage rate). An interval leaves zero out exactly when its test is shown. For the tests
that are not shown nothing is promised over the family.

controls: false discovery rate
source: Benjamini and Hochberg, Controlling the false discovery rate, JRSS B 57(1), 1995; the intervals: Benjamini and
Yekutieli, False discovery rate-adjusted multiple confidence intervals for selected parameters, JASA 100, 2005

3 x 0.01, 3/2 x 0.03 which may not be above the next, 3/3 x 0.04:

>>> from rankproof.testing.statistics import adjusted, family
>>> adjusted("bh", family([0.01, 0.04, 0.03]))
[0.03, 0.04, 0.04]
"""

from __future__ import annotations

import numpy as np

from rankproof.proving.corrections._family import intervals, made, percent
from rankproof.proving.corrections.contract import Correction, Tests
from rankproof.proving.records import Adjusted


def adjust(tests: Tests, rng: np.random.Generator) -> list[Adjusted | None]:
    """Benjamini and Hochberg's p-values, with false-coverage-rate intervals."""
    estimates = made(tests)
    if not estimates:
        return [None] * len(tests.answers)
    p_values: dict[int, float] = {}
    lowest, place = 1.0, len(estimates)
    for i in sorted(estimates, key=lambda i: estimates[i].p_value, reverse=True):
        lowest = min(lowest, len(estimates) / place * estimates[i].p_value)
        p_values[i] = lowest
        place -= 1
    rate = 1 - tests.level
    shown = {i for i, p in p_values.items() if p <= rate}
    each = 1 - max(1, len(shown)) * rate / len(estimates)
    ends = intervals(tests, each)
    promised = f"false coverage {percent(rate)} among the {len(shown)} shown ({percent(each)} each)"
    alone = f"{percent(each)} by itself: {f'not among the {len(shown)}' if shown else 'none is'} shown"
    adjusted: list[Adjusted | None] = [None] * len(tests.answers)
    for i, p in p_values.items():
        adjusted[i] = Adjusted(p, *ends[i], promised if i in shown else alone)
    return adjusted


OFFERS = (Correction(name="bh", page=__doc__, adjust=adjust, controls="false discovery rate"),)
