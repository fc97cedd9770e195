"""A few logged decisions, for the pages of the estimators shelf and for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankproof.kernel.specs.calls import read_configured
from rankproof.online.counterfactual.records import Decisions, PredictedRewards, TargetDisplay


def logged_decisions(
    propensities: Sequence[float], rewards: Sequence[float], new: Sequence[float], believed: float | None = None
) -> Decisions:
    """One decision on each page of one query: logged with a propensity, by the new system with another."""
    n = len(rewards)
    weights = np.asarray(new, dtype=np.float64) / np.asarray(propensities, dtype=np.float64)
    target = np.array([0])
    return Decisions(
        queries=np.zeros(n, dtype=np.int64),
        units=np.arange(n),
        logged=np.asarray(rewards, dtype=np.float64),
        pages=np.arange(n),
        cells=np.zeros(n, dtype=np.int64),
        rewards=np.asarray(rewards, dtype=np.float64),
        weights=weights,
        looked=np.ones(n),
        norms=None,
        group_of=np.zeros(1, dtype=np.int64),
        wanted=TargetDisplay(target, target, np.ones(1)),
        balanced=True,
        believed=None if believed is None else PredictedRewards(np.full(n, believed), np.full(n, believed)),
    )


def valued(text: str, decisions: Decisions) -> float:
    """The estimate alone."""
    call = read_configured("estimators", text)
    return float(call.item.estimate(decisions, call.values).value)
