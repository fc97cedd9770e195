"""Counterfactual: what a new system would have earned on logged pages, how sure that is, how far the log reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rankproof.records.estimate import Answer, Estimate, NotEstimable

Setting = Literal["action", "list", "placement", "examination"]


@dataclass(frozen=True, slots=True)
class Valued:
    """A mean reward of a page, with its standard error and interval."""

    value: float
    error: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
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

    def to_dict(self) -> dict[str, Any]:
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

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"share": self.share, "p_value": self.p_value}


@dataclass(frozen=True, slots=True)
class Clipped:
    """What a limit on weights has done.

    weights   how many were above it
    bias      how far off the estimate may be for that: the mean weight cut off a page times the greatest reward
    """

    limit: float
    weights: int
    bias: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"limit": self.limit, "weights": self.weights, "largest_bias": self.bias}


@dataclass(frozen=True, slots=True)
class Estimated:
    """What one estimator says: the new system's mean reward of a page, and how much more that is than the logged one's.

    estimator   with its choices, as it was asked for
    """

    estimator: str
    new: Valued | NotEstimable
    difference: Answer
    clipped: Clipped | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "estimator": self.estimator,
            "new": self.new.to_dict() if isinstance(self.new, Valued) else _missing(self.new),
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
    logged: Valued | NotEstimable
    estimates: tuple[Estimated, ...]
    overlap: Overlap
    dependence: Dependence | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
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
            "logged": self.logged.to_dict() if isinstance(self.logged, Valued) else _missing(self.logged),
            "estimates": [one.to_dict() for one in self.estimates],
            "overlap": self.overlap.to_dict(),
            "dependence": None if self.dependence is None else self.dependence.to_dict(),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }


def _missing(answer: NotEstimable) -> dict[str, Any]:
    return {"value": answer.value, "not_estimable": answer.reason}


def _difference(answer: Answer) -> dict[str, Any]:
    if not isinstance(answer, Estimate):
        return _missing(answer)
    return {"value": answer.value, "low": answer.low, "high": answer.high, "p_value": answer.p_value}
