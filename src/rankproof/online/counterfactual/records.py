"""Records of counterfactual evaluation: logged decisions and choices with propensities, and estimates from them.

All that estimators of the new system's value need, whatever was decided: a list or another action, a document for a
rank, or a rank for a document. Rows are decisions; several may stand on one page.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.sections import counted
from rankproof.online.impressions import Impressions, Numbers

Setting = Literal["action", "list", "placement", "examination"]


@dataclass(frozen=True, slots=True)
class MeanReward:
    """A mean reward of a page, with its standard error and interval."""

    value: float
    error: float
    low: float
    high: float

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {"value": self.value, "error": self.error, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of what the new system would show the log has shown.

    effective       pages (or sessions) of equal weight that would say as much as these
    largest_share   of the sum of all weights, what one decision has
    largest         the largest weight
    mean_weight     should be 1; None where examination makes the weights, which have no such mean
    mean_p          p-value of the hypothesis that it is 1 on average; None where there is no such test
    unsupported     of all that the new system would show, the share that no page of the query ever showed
    absent          of all that the new system would show on a page, the share that was not on that very page, in the
                    mean; None where that does not matter
    """

    effective: float
    largest_share: float
    largest: float
    mean_weight: float | None
    mean_p: float | None
    unsupported: float
    absent: float | None

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "effective": self.effective,
            "largest_share": self.largest_share,
            "largest_weight": self.largest,
            "mean_weight": self.mean_weight,
            "mean_weight_p": self.mean_p,
            "unsupported": self.unsupported,
            "absent": self.absent,
        }


@dataclass(frozen=True, slots=True)
class Dependence:
    """How clicks of one page depend on each other.

    share     how much more the number of clicks varies than for independent clicks, as a share; below 0: less
    p_value   of the hypothesis that they are independent
    """

    share: float
    p_value: float

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {"share": self.share, "p_value": self.p_value}


@dataclass(frozen=True, slots=True)
class ClippedWeights:
    """The effect of a limit on weights.

    weights   how many were above it
    bias      the greatest bias this can cause: the mean weight cut off a page times the greatest reward
    """

    limit: float
    weights: int
    bias: float

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {"limit": self.limit, "weights": self.weights, "largest_bias": self.bias}


@dataclass(frozen=True, slots=True)
class EstimatorResult:
    """The result of one estimator: the new system's mean reward of a page, and its difference from the logged system's.

    estimator   its name with its parameters
    """

    estimator: str
    new: MeanReward | NotEstimable
    difference: Answer
    clipped: ClippedWeights | None = None

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "estimator": self.estimator,
            "new": self.new.to_dict() if isinstance(self.new, MeanReward) else _missing(self.new),
            "difference": _difference(self.difference),
            "clipped": None if self.clipped is None else self.clipped.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """Estimates of one new system from one log.

    setting      what was decided on a page: an action, its list, a document for each rank, a rank for each document
    reward       what the value of a page is: "clicks", "reward"
    unit         what is independent of the others: "session" where the log has them, else "page"
    left_out     pages that were left out, by the reason
    logged       what was earned; of the same pages
    dependence   of clicks of one page, where estimates take them as independent; None elsewhere
    warnings     why the estimates may be further off than their intervals say
    notes        what else to know
    """

    log: str
    policy: str
    setting: Setting
    reward: str
    pages: int
    queries: int
    unit: str
    units: int
    level: float
    left_out: Mapping[str, int]
    logged: MeanReward | NotEstimable
    estimates: tuple[EstimatorResult, ...]
    overlap: Overlap
    dependence: Dependence | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "log": self.log,
            "policy": self.policy,
            "setting": self.setting,
            "reward": self.reward,
            "pages": self.pages,
            "queries": self.queries,
            "unit": self.unit,
            "units": self.units,
            "level": self.level,
            "left_out": [{"why": why, "pages": pages} for why, pages in self.left_out.items()],
            "logged": self.logged.to_dict() if isinstance(self.logged, MeanReward) else _missing(self.logged),
            "estimates": [one.to_dict() for one in self.estimates],
            "overlap": self.overlap.to_dict(),
            "dependence": None if self.dependence is None else self.dependence.to_dict(),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }


def _missing(answer: NotEstimable) -> dict[str, object]:
    return {"value": answer.value, "not_estimable": answer.reason}


def _difference(answer: Answer) -> dict[str, object]:
    if not isinstance(answer, Estimate):
        return _missing(answer)
    return {"value": answer.value, "low": answer.low, "high": answer.high, "p_value": answer.p_value}


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TargetDisplay:
    """What the new system would show: `amounts[i]` of cell `cells[i]` on every page of query `queries[i]`.

    An amount is a probability, or the examination of the rank that the document would get.
    """

    queries: Numbers
    cells: Numbers
    amounts: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PredictedRewards:
    """What a reward model predicts, learned from other pages.

    rewards    of each decision that was logged
    of_pages   of all that the new system would show on each page
    """

    rewards: Floats
    of_pages: Floats


@dataclass(frozen=True, eq=False)
class Decisions:
    """Logged decisions in columns; queries, pages, units and cells have numbers from 0.

    queries    of each page
    units      of each page: what is independent of the others (session, user, or the page itself)
    logged     of each page: the reward as it was logged
    pages      of each decision: its page
    cells      of each decision: what was decided, so that the same decision for the same query is one cell
    rewards    of each decision: what came of it
    weights    of each decision: how much more the new system would choose it than the logged one did; where a rank was
               chosen, how much more it would be looked at
    looked     of each decision: the probability that the user saw it, where that is corrected for; otherwise 1
    norms      of each decision: what it counts where its group is normalized; None where that is its weight
    group_of   of each cell: the group in which it is normalized
    target     what the new system would show
    balanced   whether the mean weight is 1 if the propensities are right
    believed   what a reward model predicts; None where none was fitted
    """

    queries: Numbers
    units: Numbers
    logged: Floats
    pages: Numbers
    cells: Numbers
    rewards: Floats
    weights: Floats
    looked: Floats
    norms: Floats | None
    group_of: Numbers
    target: TargetDisplay
    balanced: bool
    believed: PredictedRewards | None = None

    def __post_init__(self) -> None:
        if not len(self.queries) or not len(self.pages):
            raise ValueError("an estimate needs a page and a decision")
        of_pages = {"units": self.units, "logged": self.logged}
        of_rows = {
            "cells": self.cells,
            "rewards": self.rewards,
            "weights": self.weights,
            "looked": self.looked,
            "norms": self.norms,
        }
        for size, columns in ((len(self.queries), of_pages), (len(self.pages), of_rows)):
            for name, column in columns.items():
                if column is not None and column.shape != (size,):
                    raise ValueError(f"{name}: shape {column.shape}, expected ({size},)")
        if not np.isfinite(self.weights).all():
            raise ValueError("weights must be finite numbers")
        if (self.weights < 0).any():
            raise ValueError("weights must be 0 or more")
        if (self.looked <= 0).any():
            raise ValueError("looked must be above 0: whatever was shown can have been looked at")

    def __len__(self) -> int:
        """Pages."""
        return len(self.queries)

    def by_page(self, values: Floats) -> Floats:
        """Sums over the decisions of each page."""
        return np.bincount(self.pages, values, len(self)).astype(np.float64)

    @cached_property
    def numbered_units(self) -> tuple[int, Numbers]:
        """How many units there are, and the place of each page's among them."""
        names, of = np.unique(self.units, return_inverse=True)
        return len(names), of.astype(np.int64)

    @cached_property
    def pages_of_queries(self) -> Numbers:
        """How many pages each query has."""
        most = max(int(self.queries.max()), int(self.target.queries.max(initial=0)))
        return np.bincount(self.queries, minlength=most + 1)

    @cached_property
    def shown(self) -> Numbers:
        """How often each cell was decided for."""
        return np.bincount(self.cells, minlength=len(self.group_of))

    def clipped(self, clip: float) -> Decisions:
        """With no weight above `clip`."""
        return replace(self, weights=np.minimum(self.weights, clip))


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """An estimate and its influence function by page: the error of the estimate is the mean of `of_pages`."""

    value: float
    of_pages: Floats


@dataclass(frozen=True, eq=False)
class Choices:
    """Pages of one action each.

    query_ids, names   the ids; `queries` and `actions` have places in them
    propensities       how likely the logged system was to choose the action it chose, above 0 and at most 1
    rewards            what came of it: 1 for a click, revenue, ...
    units              who saw the page, as a number; None where the log does not say
    """

    query_ids: tuple[str, ...]
    names: tuple[Hashable, ...]
    queries: Numbers
    actions: Numbers
    propensities: Floats
    rewards: Floats
    units: Numbers | None = None

    def __post_init__(self) -> None:
        size = (len(self.queries),)
        if not len(self.queries):
            raise ValueError("choices need a page")
        for name in ("actions", "propensities", "rewards", "units"):
            column = getattr(self, name)
            if column is not None and column.shape != size:
                raise ValueError(f"{name}: shape {column.shape} for {counted(size[0], 'page')}")
        if not ((self.propensities > 0) & (self.propensities <= 1)).all():
            raise ValueError("a propensity must be above 0 and at most 1")
        if not np.isfinite(self.rewards).all():
            raise ValueError("a reward must be a finite number")

    def __len__(self) -> int:
        """Pages."""
        return len(self.queries)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedPages:
    """Pages with clicks, and the propensity of each place, pages x ranks: of the document there, or of the whole list.

    None where the log has no propensities. Below the end of a page they mean nothing.
    """

    pages: Impressions
    propensities: Floats | None = None

    def __post_init__(self) -> None:
        if self.propensities is None:
            return
        if self.propensities.shape != self.pages.shown.shape:
            raise ValueError(f"propensities have shape {self.propensities.shape}, documents {self.pages.shown.shape}")
        there = self.propensities[self.pages.there]
        if not ((there > 0) & (there <= 1)).all():
            raise ValueError("a propensity must be above 0 and at most 1")
