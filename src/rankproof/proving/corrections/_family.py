"""What corrections share: which tests of a family count, their intervals at another level, a level in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankproof.kernel.estimate import Estimate
from rankproof.proving.corrections.contract import Tests


def made(tests: Tests) -> dict[int, Estimate]:
    """The tests that could be made, by their place in the family: a test that was not made is not corrected for."""
    return {i: answer for i, answer in enumerate(tests.answers) if isinstance(answer, Estimate)}


def step_down(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: the least times m, the next times m - 1, none below one before.

    >>> [round(p, 4) for p in step_down([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for turn, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - turn) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def intervals(tests: Tests, level: float) -> list[tuple[float, float]]:
    """Each test's interval at another level; without bounds where there is none."""
    return [
        (answer.low, answer.high) if isinstance(answer, Estimate) else (-math.inf, math.inf)
        for answer in tests.at_level(level)
    ]


def percent(level: float) -> str:
    """95% or 99.99737%: three digits of what is missing to 100%, without zeros at the end."""
    missing = 100 * (1 - level)
    text = f"{100 - missing:.{max(0, 2 - math.floor(math.log10(missing)))}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"
