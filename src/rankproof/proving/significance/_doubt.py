"""What no method can answer: too few differences, or differences without any spread."""

from __future__ import annotations

import numpy as np

from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.significance.contract import Differences

# Two differences closer than this share of the largest one are one number that was rounded twice.
SAME = 1e-12


def doubt(differences: Differences, method: str) -> NotEstimable | None:
    """Why there is neither interval nor p-value for these differences; None when there can be."""
    n = len(differences)
    if n < 2:
        told = "no query" if n == 0 else "one query only"
        value = float(differences[0]) if n else None
        return NotEstimable(f"{told}: two or more are needed to see how much queries vary", method, n, value)
    largest = float(np.abs(differences).max())
    if largest == 0:
        return NotEstimable("no query differs: there is nothing to test", method, n, 0.0)
    if float(np.ptp(differences)) <= SAME * largest:
        value = float(differences.mean())
        reason = f"every query differs by the same {value:.6g}: without spread nothing says what chance can do"
        return NotEstimable(reason, method, n, value)
    return None


def doubts(rows: Differences, method: str) -> list[NotEstimable | None]:
    """`doubt` for each row; only those without spread are looked at one by one."""
    if rows.shape[1] < 2:
        return [doubt(row, method) for row in rows]
    found: list[NotEstimable | None] = [None] * len(rows)
    without_spread = np.ptp(rows, axis=1) <= SAME * np.abs(rows).max(axis=1)
    for at in np.flatnonzero(without_spread).tolist():
        found[at] = doubt(rows[at], method)
    return found
