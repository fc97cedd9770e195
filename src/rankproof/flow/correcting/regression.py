"""The sum of a quantity over a frame, from a sample of it and predictions for all of it.

Each pair i has a value z_i (its influence times its human gain), known for the sample, and auxiliaries x_i known for
all pairs: its influence, and its influence times the model's gain. The estimate is

    sum over the frame of B x_i  +  sum over the sample of (z_i - B x_i) / p_i

with p_i the probability that pair i was chosen: the difference estimator, right for any B because the second sum
corrects whatever the model gets wrong. B is tuned to make the estimated variance least. Its last part is the weight
of the model: the "power tuning" of prediction-powered inference (PPI++), and the optimal regression estimator of
survey sampling. Where the model is useless the weight goes to 0 and people's grades alone are left.

The variance is Hajek's for a draw of fixed size without replacement, which has the finite-population correction in it
(each residual counts with 1 - p_i), with residuals as if each pair had been left out of the tuning. Without that,
intervals for DCG@10 from 300 of 1,387 pairs cover 93.5% instead of 94.4%. Degrees of freedom are those of the sampled
pairs that have any influence.

source: Angelopoulos, Duchi and Zrnic, PPI++: Efficient prediction-powered inference, 2023; Hajek, Asymptotic theory of
    rejective sampling with varying probabilities, Annals of Mathematical Statistics 35, 1964; Sarndal, Swensson and
    Wretman, Model Assisted Survey Sampling, 1992, chapter 6
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# Fewer degrees of freedom say nothing about a spread.
LEAST_FREEDOM = 5


@dataclass(frozen=True, slots=True)
class Total:
    """An estimated sum: its standard error, its degrees of freedom, and the weight of the last auxiliary."""

    value: float
    error: float
    freedom: int
    weight: float

    def reach(self, level: float) -> float:
        """How far the interval goes to each side."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + level) / 2)) * self.error


def total(z: Numbers, x: Numbers, totals: Numbers, p: Numbers) -> Total | None:
    """The sum of z over the frame; `z`, `x` and `p` are of the sample, `totals` are those of x over the frame.

    None where too few sampled pairs have influence (the first auxiliary) to say how much they vary.
    """
    n, columns = len(z), x.shape[1] + 1
    free = 1 - p
    if not free.any():  # every pair was chosen for sure: nothing is left to chance
        return Total(math.fsum(z.tolist()), 0.0, n, 0.0)
    freedom = int((x[:, 0] != 0).sum()) - columns
    if freedom < LEAST_FREEDOM:
        return None
    values, design = expanded(z, x, p)
    inverse = np.linalg.pinv((design * free[:, None]).T @ design, hermitian=True)
    b = inverse @ ((design * free[:, None]).T @ values)
    residuals = values - design @ b
    leverage = free * np.einsum("ip,pq,iq->i", design, inverse, design)
    # A pair that alone decides a coefficient leaves no residual, and no room to tell what it would be without it.
    room = 1 - leverage
    alone = np.divide(residuals, room, out=np.zeros(n), where=room > 1e-6)
    value = float(b @ np.concatenate([[n], totals]) + residuals.sum())
    variance = (n - 1) / n * float((free * alone**2).sum())
    return Total(value, math.sqrt(variance), freedom, float(b[-1]))


def expanded(z: Numbers, x: Numbers, p: Numbers) -> tuple[Numbers, Numbers]:
    """Values and auxiliaries over their probabilities, with a column of ones: a draw of fixed size has n of them."""
    return z / p, np.column_stack([np.ones(len(z)), x / p[:, None]])
