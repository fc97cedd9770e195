"""Contesting: whether one measure is shown to tell a metric better than another, over the same changes.

Correlations of two measures with one metric are not independent, since the measures see the same changes and, mostly,
the same judgments. The interval of their difference is put together from their own intervals and from how the two
coefficients go together, which does not ask the difference to be near to normal. The p-value is the level at which the
interval touches 0. All pairs of measures of a metric are one family, which Holm's correction keeps honest.

source: Zou, Toward using confidence intervals to compare correlations, Psychological Methods 12(4), 2007
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from rankproof import shelf
from rankproof.corrections._contract import Correction, Tests
from rankproof.flow.relating.correlating import COEFFICIENTS, Values, ends
from rankproof.records.estimate import Answer, Estimate, NotEstimable
from rankproof.records.relation import Contest, Ranked

METHOD = "Zou's interval"
LEAST = 5
_STEPS = 60


def ranked(
    metric: str,
    measures: Sequence[str],
    values: Mapping[str, Mapping[str, float]],
    online: Mapping[str, float],
    by: str,
    level: float,
) -> Ranked:
    """The measures by how well they tell one metric. `values` and `online` are by change, more is better."""
    found = {name: _coefficient(values[name], online, by) for name in measures}
    known = {name: value for name, value in found.items() if value is not None}
    if not known:
        return Ranked(metric, None, (), ())
    best = max(known, key=known.__getitem__)
    # The better one first, so that a difference is read without a sign to turn.
    order = sorted(known, key=lambda name: -known[name])
    pairs = list(combinations(order, 2))

    def at(asked: float) -> list[Answer]:
        return [difference(*_common(values[first], values[second], online), by, asked) for first, second in pairs]

    plain = at(level)
    holm: Correction = shelf.find("corrections", "holm")
    # Nothing is drawn at random here; the generator is what the shelf's contract asks for.
    adjusted = holm.adjust(Tests(plain, at, (), level, 0), np.random.default_rng(0)) if len(pairs) > 1 else None
    contests = tuple(
        Contest(*pair, answer.n, answer, adjusted[i] if adjusted else None)
        for i, (pair, answer) in enumerate(zip(pairs, plain, strict=True))
    )
    beaten = tuple(contest.second for contest in contests if contest.winner == best == contest.first)
    return Ranked(metric, best, beaten, contests)


def difference(first: Values, second: Values, online: Values, by: str, level: float) -> Answer:
    """How much more the first measure's coefficient is than the second's."""
    n = len(online)
    if n < LEAST:
        return NotEstimable(f"{n} changes have both measures: too few", METHOD, n)
    kind = COEFFICIENTS[by]
    one, two, between = kind(first, online), kind(second, online), kind(first, second)
    if one is None or two is None or between is None:
        return NotEstimable("one side does not vary", METHOD, n)
    value = one - two
    if abs(between) > 1 - 1e-9:
        return NotEstimable("the two measures say the same of every change", METHOD, n, value)
    found = _interval(one, two, between, n, by, level)
    if found is None:
        return NotEstimable("all changes agree with a measure, and no interval has a width", METHOD, n, value)
    return Estimate(value, *found, _p_value(one, two, between, n, by), level, METHOD, n)


def _interval(one: float, two: float, between: float, n: int, by: str, level: float) -> tuple[float, float] | None:
    of_one, of_two = ends(by, one, n, level), ends(by, two, n, level)
    if of_one is None or of_two is None:
        return None
    # How the two coefficients go together: their own correlation, as both share the metric.
    together = ((between - one * two / 2) * (1 - one * one - two * two - between * between) + between**3) / (
        (1 - one * one) * (1 - two * two)
    )
    together = max(-1.0, min(1.0, together))

    def reach(left: float, right: float) -> float:
        return math.sqrt(max(0.0, left * left + right * right - 2 * together * left * right))

    value = one - two
    return value - reach(one - of_one[0], of_two[1] - two), value + reach(of_one[1] - one, two - of_two[0])


def _p_value(one: float, two: float, between: float, n: int, by: str) -> float:
    """1 minus the greatest level whose interval leaves 0 out, by halving."""
    inside, outside = 0.0, 1.0  # of p: an interval at 1 - 0 holds everything
    for _ in range(_STEPS):
        p = (inside + outside) / 2
        found = _interval(one, two, between, n, by, 1 - p)
        if found is not None and found[0] <= 0 <= found[1]:
            inside = p
        else:
            outside = p
    return outside


def _coefficient(values: Mapping[str, float], online: Mapping[str, float], by: str) -> float | None:
    names = [name for name in online if name in values]
    if len(names) < 2:
        return None
    return COEFFICIENTS[by](np.array([values[n] for n in names]), np.array([online[n] for n in names]))


def _common(
    first: Mapping[str, float], second: Mapping[str, float], online: Mapping[str, float]
) -> tuple[Values, Values, Values]:
    names = [name for name in online if name in first and name in second]
    a, b, c = (np.array([values[name] for name in names], dtype=np.float64) for values in (first, second, online))
    return a, b, c
