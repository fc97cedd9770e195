"""A measure over its ideal, such as nDCG: its ideals and its sum estimated together, and a jackknife of both."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.correcting.ideals import Seen
from rankproof.flow.correcting.regression import LEAST_FREEDOM, Numbers, Total

# Numbers that are held at once, about: more are worked through in parts.
ROOM = 4_000_000


def ratio_total(seen: Seen, ideals: Numbers, weights: Numbers, gains: Numbers, x: Numbers) -> Total | None:
    """The mean of a weighted sum over its ideal: the estimator of `regression.total`, once for each set of ideals.

    ideals    by query: first those of the whole sample, then those without each sampled pair in turn
    weights   of all pairs, before the division by the ideal; `x` are the auxiliaries of all pairs, likewise
    gains     of the sampled pairs
    """
    n = len(seen.rows)
    free = 1 - seen.p
    freedom = int((weights[seen.rows] != 0).sum()) - x.shape[1] - 1
    if freedom < LEAST_FREEDOM:
        return None
    part = max(1, ROOM // len(weights))
    found = []
    for start in range(0, n + 1, part):
        left_out = np.arange(start, min(start + part, n + 1)) - 1
        found.append(_estimates(seen, ideals[start : start + part], left_out, weights, gains, x))
    estimates = np.concatenate([values for values, _ in found])
    without = estimates[1:]
    # The jackknife with each pair's finite-population correction.
    variance = (n - 1) / n * float((free * (without - without.mean()) ** 2).sum())
    return Total(float(estimates[0]), math.sqrt(variance), freedom, float(found[0][1][0]))


def _estimates(
    seen: Seen, ideals: Numbers, left_out: NDArray[np.int64], weights: Numbers, gains: Numbers, x: Numbers
) -> tuple[Numbers, Numbers]:
    """The estimate without each of these places of the sample (-1: with all), and the weight of the model.

    Pair i of the sample has the expanded auxiliaries 1 and c_i x_i and the value c_i u_i, where c_i is 1 over its
    query's ideal and over its probability; c differs from row to row, x and u do not, so that all sums are products of
    matrices.
    """
    n, size = len(seen.rows), x.shape[1]
    over = 1 / ideals[:, seen.query]
    c = over[:, seen.rows] / seen.p
    out = np.flatnonzero(left_out >= 0)
    c[out, left_out[out]] = 0.0
    sizes = np.full(len(left_out), n) - (left_out >= 0)
    free = 1 - seen.p if (seen.p < 1).any() else np.ones(n)
    inner, u = x[seen.rows], weights[seen.rows] * gains
    gram = np.empty((len(left_out), size + 1, size + 1))
    gram[:, 0, 0] = free.sum()
    gram[out, 0, 0] -= free[left_out[out]]
    gram[:, 0, 1:] = gram[:, 1:, 0] = c @ (free[:, None] * inner)
    squares = c**2
    products = (inner[:, :, None] * inner[:, None, :]).reshape(n, -1)
    gram[:, 1:, 1:] = (squares @ (free[:, None] * products)).reshape(-1, size, size)
    right = np.concatenate([(c @ (free * u))[:, None], squares @ (free[:, None] * inner * u[:, None])], axis=1)
    b = np.einsum("kpq,kq->kp", np.linalg.pinv(gram, hermitian=True), right)
    residuals = c @ u - sizes * b[:, 0] - np.einsum("kp,kp->k", b[:, 1:], c @ inner)
    totals = over @ x
    found = b[:, 0] * n + np.einsum("kp,kp->k", b[:, 1:], totals) + residuals * n / np.maximum(sizes, 1)
    return found, b[:, -1]
