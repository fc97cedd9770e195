"""Holm's step-down correction: with 95% confidence no difference in the whole family is called real by chance alone.

The smallest of m p-values is multiplied by m, the next by m - 1 and so on, never falling below the one before. It holds
whatever the dependence between tests, and rejects all that Bonferroni's correction rejects, and more.

The intervals are Bonferroni's: each at 1 - (1 - level) / m, so that all of them hold together. Holm's tests are sharper
than they are: an interval may reach past zero where the adjusted p-value still shows a difference.

controls: family-wise error
source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979

3 x 0.01, then 2 x 0.03, then 1 x 0.04 which may not fall below 0.06:

>>> from rankproof.testing.statistics import adjusted, family
>>> adjusted("holm", family([0.01, 0.04, 0.03]))
[0.03, 0.06, 0.06]
"""

from __future__ import annotations

import numpy as np

from rankproof.proving.corrections._family import intervals, made, percent, step_down
from rankproof.proving.corrections.contract import Correction, Tests
from rankproof.proving.records import Adjusted


def adjust(tests: Tests, rng: np.random.Generator) -> list[Adjusted | None]:
    """Holm's p-values, with Bonferroni's intervals."""
    estimates = made(tests)
    if not estimates:
        return [None] * len(tests.answers)
    each = 1 - (1 - tests.level) / len(estimates)
    ends = intervals(tests, each)
    kind = f"simultaneous {percent(tests.level)} (Bonferroni, {percent(each)} each)"
    adjusted: list[Adjusted | None] = [None] * len(tests.answers)
    for i, p in zip(estimates, step_down([answer.p_value for answer in estimates.values()]), strict=True):
        adjusted[i] = Adjusted(p, *ends[i], kind)
    return adjusted


OFFERS = (Correction(name="holm", page=__doc__, adjust=adjust, controls="family-wise error"),)
