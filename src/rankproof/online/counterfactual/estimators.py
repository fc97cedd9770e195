"""Estimators applied to logged decisions, with intervals over sessions or pages, and the reward model.

The error of an estimate is the mean of what pages pulled it by, summed by unit first; the interval is Student's. Where
the examination curve was learned from the same log, its own error is in it: each page also pulls the curve, and the
estimate moves with the curve by its derivative.

The model of a cell (a query and what was decided) is its mean reward per look, with `PRIOR` made-up looks that have the
mean of all cells. Units are assigned to folds at random; predictions for a page come from the other folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.specs.calls import Configured, read_configured
from rankproof.online.counterfactual.records import (
    ClippedWeights,
    Decisions,
    EstimatorResult,
    Floats,
    Influence,
    MeanReward,
    PredictedRewards,
)
from rankproof.online.impressions import Numbers

FOLDS = 5
PRIOR = 5.0


def with_predicted_rewards(decisions: Decisions, seed: int = 0) -> Decisions:
    """The decisions with predictions of a reward model that is cross-fitted over folds of units."""
    units, of = decisions.numbered_units
    folds = min(FOLDS, units)
    dealt = (np.random.default_rng(seed).permutation(units) % folds)[of]
    fold = dealt[decisions.pages]
    cells, target = len(decisions.group_of), decisions.target
    rewards, of_pages = np.zeros(len(decisions.pages)), np.zeros(len(decisions))
    for one in range(folds):
        # With a single unit there is no other fold: the model then knows nothing.
        other = fold != one
        earned = np.bincount(decisions.cells[other], decisions.rewards[other], cells)
        looks = np.bincount(decisions.cells[other], decisions.looked[other], cells)
        mean = earned.sum() / looks.sum() if looks.sum() > 0 else 0.0
        liked = (earned + PRIOR * mean) / (looks + PRIOR)
        rewards[~other] = decisions.looked[~other] * liked[decisions.cells[~other]]
        worth = np.bincount(target.queries, target.amounts * liked[target.cells], len(decisions.pages_of_queries))
        of_pages[dealt == one] = worth[decisions.queries[dealt == one]]
    return replace(decisions, believed=PredictedRewards(rewards, of_pages))


NO_SUPPORT = "the log never shows what the new system would show, so that nothing says what it would earn"
ONE_UNIT = "two sessions or pages or more are needed to see how much they vary"
NO_SPREAD = "no session or page differs: without spread nothing says what chance can do"
# Logarithms of examination are moved by this to see how the estimate moves.
STEP = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class LearnedCurve:
    """An examination curve that was learned from the log, so that its error is part of every estimate's.

    looked       by rank
    influences   pages of the whole log x ranks: what each page pulls the logarithm by
    units        of each page of the whole log
    rows         of each page that counts: its row in the whole log
    decide       the decisions with another curve
    """

    looked: Floats
    influences: Floats
    units: Numbers
    rows: Numbers
    decide: Callable[[Floats], Decisions]


def read_estimators(texts: Sequence[str]) -> tuple[Configured, ...]:
    """Estimators by name or call, such as `snips(clip=100)`, none twice."""
    calls = tuple(read_configured("estimators", text) for text in texts)
    named = [call.text for call in calls]
    for text in named:
        if named.count(text) > 1:
            raise UsageError(f"The estimator {text} is named twice. Name it once.")
    return calls


def estimates(
    decisions: Decisions, calls: Sequence[Configured], level: float, seed: int = 0, learned: LearnedCurve | None = None
) -> tuple[MeanReward | NotEstimable, tuple[EstimatorResult, ...]]:
    """The logged mean reward, and the result of each estimator."""
    if not 0 < level < 1:
        raise UsageError(f"A confidence level must lie between 0 and 1; got {level}.")
    mean = float(decisions.logged.mean())
    logged = Influence(mean, decisions.logged - mean)
    supported = bool((decisions.weights > 0).any())
    slopes = {} if learned is None or not supported else _slopes(calls, learned, seed)
    results = []
    for call in calls:
        given = _given(decisions, call, seed)
        if not supported:
            nothing = NotEstimable(NO_SUPPORT, call.text, decisions.numbered_units[0])
            results.append(EstimatorResult(call.text, nothing, nothing))
            continue
        influence: Influence = call.item.estimate(given, call.values)
        apart = influence.of_pages - logged.of_pages
        if learned is None:
            pulls = [_unit_pulls(decisions, of_pages) for of_pages in (influence.of_pages, apart)]
        else:
            by_curve = _curve_pulls(slopes[call.text], learned)
            pulls = [_all_pulls(decisions, learned, of_pages) + by_curve for of_pages in (influence.of_pages, apart)]
        value = _valued(influence.value, pulls[0], level, call.text)
        results.append(
            EstimatorResult(
                call.text, value, _difference(influence.value - mean, pulls[1], level, call.text), _clipped(given, call)
            )
        )
    return _valued(mean, _unit_pulls(decisions, logged.of_pages), level, "mean"), tuple(results)


def _given(decisions: Decisions, call: Configured, seed: int) -> Decisions:
    """With predicted rewards where the estimator needs them and the decisions have none."""
    return with_predicted_rewards(decisions, seed) if call.item.believes and decisions.believed is None else decisions


def _unit_pulls(decisions: Decisions, of_pages: Floats) -> Floats:
    """What each unit pulls the mean over pages by."""
    units, of = decisions.numbered_units
    return np.asarray(np.bincount(of, of_pages, units) / len(decisions))


def _all_pulls(decisions: Decisions, learned: LearnedCurve, of_pages: Floats) -> Floats:
    """The same for every unit of the whole log: those without a page that counts pull nothing."""
    names, of = np.unique(learned.units, return_inverse=True)
    return np.asarray(np.bincount(of[learned.rows], of_pages, len(names)) / len(decisions))


def _slopes(calls: Sequence[Configured], learned: LearnedCurve, seed: int) -> dict[str, Floats]:
    """How each estimate moves with the logarithm of each rank's examination; that of rank 1 is 0 for sure."""
    slopes = {call.text: np.zeros(len(learned.looked)) for call in calls}
    for rank in range(1, len(learned.looked)):
        for step in (STEP, -STEP):
            looked = learned.looked.copy()
            looked[rank] *= math.exp(step)
            moved = learned.decide(looked)
            for call in calls:
                value = call.item.estimate(_given(moved, call, seed), call.values).value
                slopes[call.text][rank] += value / (2 * step)
    return slopes


def _curve_pulls(slopes: Floats, learned: LearnedCurve) -> Floats:
    """What each unit of the log pulls the estimate by, through the curve."""
    names, of = np.unique(learned.units, return_inverse=True)
    return np.bincount(of, learned.influences @ slopes, len(names)).astype(np.float64)


def _spread(pulled: Floats) -> float:
    """The standard error of what units pulled; they are independent of each other."""
    return math.sqrt(float((pulled**2).sum()) * len(pulled) / (len(pulled) - 1))


def _reach(units: int, level: float) -> float:
    from scipy.special import stdtrit  # here: loading scipy is for those who estimate

    return float(stdtrit(units - 1, (1 + level) / 2))


def _valued(value: float, pulled: Floats, level: float, method: str) -> MeanReward | NotEstimable:
    if len(pulled) < 2:
        return NotEstimable(ONE_UNIT, method, len(pulled), value)
    error = _spread(pulled)
    if error <= 0:
        return NotEstimable(NO_SPREAD, method, len(pulled), value)
    by = _reach(len(pulled), level) * error
    return MeanReward(value, error, value - by, value + by)


def _difference(value: float, pulled: Floats, level: float, method: str) -> Answer:
    from scipy.special import stdtr

    valued = _valued(value, pulled, level, method)
    if isinstance(valued, NotEstimable):
        return valued
    units = len(pulled)
    p = 2 * float(stdtr(units - 1, -abs(value) / valued.error))
    return Estimate(value, valued.low, valued.high, p, level, method, units)


def _clipped(decisions: Decisions, call: Configured) -> ClippedWeights | None:
    limit = call.values["clip"]
    if limit is None:
        return None
    over = np.maximum(decisions.weights - limit, 0.0)
    believed = decisions.believed
    most = np.abs(decisions.rewards if believed is None else decisions.rewards - believed.rewards).max()
    return ClippedWeights(float(limit), int((over > 0).sum()), float(over.sum() / len(decisions) * most))
