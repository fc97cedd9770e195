"""A significance method on a few differences, for the pages of the methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance.contract import SignificanceRequest


def inferred(method: str, differences: Sequence[float], seed: int = 0, **request: Any) -> str:
    """The mean, its interval and p-value in a line; the reason where there are none."""
    item = shelf.find("significance", method)
    answer = item.infer(
        np.array(differences, dtype=np.float64), SignificanceRequest(**request), np.random.default_rng(seed)
    )
    if isinstance(answer, Estimate):
        return f"{answer.value:.3g} [{answer.low:.3g}, {answer.high:.3g}] p = {answer.p_value:.4g}"
    return f"not estimable: {answer.reason}"
