"""TrialPlan: how many units and days a trial takes, by each method side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rankproof.records.lasting import plain
from rankproof.records.trial import Scale


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """What one method of the trials shelf takes, with its choices made for the size it needs.

    units      of both variants together that show the effect with the power; None: no number does
    days       until so many have come, in whole weeks; None where the rate is not known
    smallest   the least effect that the units asked about show with the power; None where none were asked about
    """

    method: str
    always_valid: bool
    units: int | None
    days: int | None
    smallest: float | None


@dataclass(frozen=True, slots=True)
class MetricPlan:
    """One metric. `effect` is the true effect that is to be shown; of a guardrail its margin, with no true effect.

    mean, sd        of past units, by which it is planned; sd is after the covariate's adjustment
    variance_kept   the share of the variance that the covariate leaves; None without one
    """

    metric: str
    asks: Literal["an effect", "a margin"]
    effect: float | None
    scale: Scale
    mean: float
    sd: float
    past_units: int | None
    variance_kept: float | None
    methods: tuple[MethodPlan, ...]


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """All metrics of a plan.

    share      of the treatment among the units of both variants
    level      of the bound or interval
    units      asked about; None where none were
    per_day    units of both variants; None where it is not known
    """

    unit: str
    share: float
    level: float
    one_sided: bool
    power: float
    units: int | None
    per_day: float | None
    metrics: tuple[MetricPlan, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found: dict[str, Any] = plain(self)
        return found
