"""From typical values to an answer: a mean is rejected where too few of them lie beyond it.

A method that counts resamples has, for each resample, one value of the mean at which that resample goes from one side
of the observed statistic to the other (Hartigan 1969 calls these typical values). The one-sided p-value of any mean is
the share of typical values on the wrong side of it, and the interval's ends are two of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance._tails import decisive, p_value
from rankproof.proving.significance.contract import SAME, Differences, SignificanceRequest


@dataclass(frozen=True, slots=True)
class ResampleCount:
    """How resamples are counted.

    total       what a count is divided by
    base        how many resamples count on both sides whatever the mean is; the observed one is among them
    resamples   how many were drawn at random; None where all there are were gone through
    """

    total: int
    base: int
    resamples: int | None


def answer(
    differences: Differences,
    typical: NDArray[np.float64],
    counted: ResampleCount,
    question: SignificanceRequest,
    method: str,
) -> Estimate:
    """p-value and interval from the same typical values, by the same tail rule."""
    null, alternative = question.null, question.alternative
    # Sums of the same numbers in another order are ties, not near misses.
    near = SAME * max(float(np.abs(differences).max()), abs(null))
    greater = counted.base + int(np.count_nonzero(typical <= null + near))
    less = counted.base + int(np.count_nonzero(typical >= null - near))
    rank = decisive(counted.total, question.level, 2 if alternative == "two-sided" else 1) + 1 - counted.base
    low = -math.inf if alternative == "less" else _end(typical, rank, null, near)
    high = math.inf if alternative == "greater" else -_end(-typical, rank, -null, near)
    notes: tuple[str, ...] = ()
    if rank < 1:
        what = f"all {counted.total:,}" if counted.resamples is None else f"the {counted.resamples:,} random"
        notes = (f"no bound at {100 * question.level:.6g}%: {what} resamples are too few for it",)
    return Estimate(
        float(differences.mean()),
        low,
        high,
        p_value(greater, less, counted.total, alternative),
        question.level,
        method,
        len(differences),
        alternative=alternative,
        null=null,
        resamples=counted.resamples,
        notes=notes,
    )


def _end(typical: NDArray[np.float64], rank: int, null: float, near: float) -> float:
    """The typical value of that rank from below, rank 1 being the least; no bound where there is no such rank."""
    if rank < 1:
        return -math.inf
    end = of_rank(typical, rank)
    return null if abs(end - null) <= near else end


def of_rank(values: NDArray[np.float64], rank: int) -> float:
    """The value of that rank from below, looked for only where a sample of the values says it must be."""
    step = max(1, len(values) // 2048)
    sample = values[::step]
    expected = rank / step
    at = math.ceil(expected + 5 * math.sqrt(expected) + 5)
    if step > 1 and at < len(sample) // 2:
        low_ones = values[values <= np.partition(sample, at)[at]]
        if len(low_ones) >= rank:
            values = low_ones
    return float(np.partition(values, rank - 1)[rank - 1])
