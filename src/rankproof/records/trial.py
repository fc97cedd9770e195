"""What a trial showed of one variant, and whether its traffic was split as planned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rankproof.records.comparison import Adjusted, Direction
from rankproof.records.estimate import Answer, Estimate
from rankproof.records.metric import Metric

Scale = Literal["absolute", "relative"]


def shown(effect: float, scale: Scale) -> str:
    """An effect as text, with its sign: a relative one in percent.

    >>> shown(0.0123, "relative"), shown(-2.5, "absolute"), shown(0.0, "absolute")
    ('+1.23%', '-2.5', '0')
    """
    if not math.isfinite(effect):
        return "infinity" if effect > 0 else "minus infinity"
    text = f"{100 * effect:+.2f}%" if scale == "relative" else f"{effect:+.4g}"
    return text.lstrip("+-") if text.strip("+-0.%") == "" else text


@dataclass(frozen=True, slots=True)
class VariantEffect:
    """One variant against the control in one metric.

    effect     treatment minus control, whatever is better; a share of the control where `scale` is "relative"
    adjusted   the same among all variants tested together; None where there is no estimate or no correction
    """

    metric: Metric
    variant: str
    scale: Scale
    effect: Answer
    adjusted: Adjusted | None = None

    @property
    def direction(self) -> Direction:
        """What is shown at the level of the trial."""
        if not isinstance(self.effect, Estimate):
            return "not shown"
        p = self.effect.p_value if self.adjusted is None else self.adjusted.p_value
        if p > 1 - self.effect.level:
            return "not shown"
        return "better" if (self.effect.value > self.effect.null) == (self.metric.better == "higher") else "worse"


@dataclass(frozen=True, slots=True)
class SampleRatio:
    """Whether units came to the variants in the planned shares.

    expected     units by variant, by the planned shares of all that came
    statistic    of Pearson's chi-square test
    holds        whether p_value is above alpha; where it is not, no number of the trial can be trusted
    detectable   by variant, the least share of its units that can be lost and is noticed with `power`; None: none is
    """

    observed: Mapping[str, int]
    expected: Mapping[str, float]
    statistic: float
    p_value: float
    alpha: float
    holds: bool
    power: float
    detectable: Mapping[str, float | None]
