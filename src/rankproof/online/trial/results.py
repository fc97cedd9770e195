"""Results of A/B tests: TrialReading, everything at one look, and TrialPlan, the units and days a test needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankproof.kernel.data_table import DataColumn, DataTable
from rankproof.kernel.documents import plain
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.sections import verdict_word
from rankproof.kernel.verdict import Ruling, Status
from rankproof.online.trial.data_checks import TrialData
from rankproof.online.trial.records import Role, Scale, VariantEffect
from rankproof.proving.records import Adjusted
from rankproof.proving.sample_ratio import SampleRatio
from rankproof.proving.verdict import Verdict, ruling_dict


@dataclass(frozen=True, slots=True)
class MetricEffect:
    """One variant in one metric, over all units or a segment of them.

    control, treatment   the metric in both, before any adjustment; None where there is no effect
    variance_kept        the share of the variance that the covariate leaves; None without one
    """

    estimated: VariantEffect
    role: Role
    segment: str = ""
    control: float | None = None
    treatment: float | None = None
    variance_kept: float | None = None


@dataclass(frozen=True, slots=True)
class DayEffect:
    """The effect on one day alone, with an interval at a fixed horizon."""

    metric: str
    variant: str
    date: str
    effect: Answer


@dataclass(frozen=True, slots=True)
class Trend:
    """How much the effect changes from day to day: a line through the effects of the days, by their precision."""

    metric: str
    variant: str
    days: int
    slope: Answer


@dataclass(frozen=True, slots=True)
class Projection:
    """When an undecided ruling could be decided, if the observed effect is the true one and units keep coming.

    units    of both variants, with those that came, at which it is decided with `power`; None: no number does
    days     more at the present rate
    """

    metric: str
    variant: str
    power: float
    units: int | None
    more: int | None
    days: int | None


@dataclass(frozen=True, slots=True)
class VariantStatus:
    """What one variant comes to."""

    variant: str
    status: Status
    rulings: tuple[Ruling, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrialReading:
    """One look. Effects are empty where they are withheld, for the reason in `withheld`; segments decide nothing.

    per_day   units that came on an average day; 0 where days are not known
    family    how many segment effects are corrected together
    data      whether the days can be trusted
    """

    name: str
    unit: str
    control: str
    method: str
    confidence: float
    correction: str
    enter: str
    planned: int | None
    dates: tuple[str, ...]
    units: Mapping[str, int]
    per_day: float
    dropped: Mapping[str, int]
    sample_ratio: SampleRatio
    periods: tuple[Mapping[str, float], ...]
    variants: tuple[VariantStatus, ...]
    withheld: str = ""
    data: TrialData | None = None
    effects: tuple[MetricEffect, ...] = ()
    segments: tuple[MetricEffect, ...] = ()
    family: int = 0
    by_day: tuple[DayEffect, ...] = ()
    trends: tuple[Trend, ...] = ()
    projections: tuple[Projection, ...] = ()

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row per effect, those of segments last; what does not exist is NaN."""
        return effect_table((*self.effects, *self.segments)).to_pandas()

    def __repr__(self) -> str:
        told = ", ".join(f"{each.variant} {each.status}" for each in self.variants)
        return f"<TrialReading of {self.name}: {sum(self.units.values()):,} {self.unit}s; {told}>"

    def to_dict(self) -> dict[str, object]:
        """For JSON; what is missing is None."""
        return {
            "name": self.name,
            "unit": self.unit,
            "control": self.control,
            "method": self.method,
            "confidence": self.confidence,
            "correction": self.correction,
            "enter": self.enter,
            "planned": self.planned,
            "dates": list(self.dates),
            "units": dict(self.units),
            "per_day": self.per_day,
            "dropped": dict(self.dropped),
            "sample_ratio": plain(self.sample_ratio),
            "periods": [dict(shares) for shares in self.periods],
            "variants": [
                {"variant": v.variant, "status": v.status, "rulings": [ruling_dict(r) for r in v.rulings]}
                for v in self.variants
            ],
            "withheld": self.withheld or None,
            "data": None if self.data is None else plain(self.data),
            "effects": [_effect(effect) for effect in self.effects],
            "segments": [_effect(effect) for effect in self.segments],
            "family": self.family,
            "by_day": [
                {"metric": d.metric, "variant": d.variant, "date": d.date, "effect": answer_dict(d.effect)}
                for d in self.by_day
            ],
            "trends": [
                {"metric": t.metric, "variant": t.variant, "days": t.days, "slope": answer_dict(t.slope)}
                for t in self.trends
            ],
            "projections": [plain(projection) for projection in self.projections],
        }


def effect_table(effects: Sequence[MetricEffect]) -> DataTable:
    """A row per effect: `low`, `high` and `p_value` of the effect alone, `result` in words."""
    answers = [effect.estimated.effect for effect in effects]
    tested = [answer if isinstance(answer, Estimate) else None for answer in answers]
    results = [
        verdict_word(effect.estimated.direction) if answer is not None else "not estimable"
        for effect, answer in zip(effects, tested, strict=True)
    ]
    return DataTable(
        (
            DataColumn("metric", [effect.estimated.metric.name for effect in effects], "text"),
            DataColumn("variant", [effect.estimated.variant for effect in effects], "text"),
            DataColumn("role", [effect.role for effect in effects], "text"),
            DataColumn("segment", [effect.segment or None for effect in effects], "text"),
            DataColumn("control", [effect.control for effect in effects]),
            DataColumn("treatment", [effect.treatment for effect in effects]),
            DataColumn("scale", [effect.estimated.scale for effect in effects], "text"),
            DataColumn("effect", [answer.value for answer in answers]),
            DataColumn("low", [None if answer is None else answer.low for answer in tested]),
            DataColumn("high", [None if answer is None else answer.high for answer in tested]),
            DataColumn("p_value", [None if answer is None else answer.p_value for answer in tested]),
            DataColumn("result", results, "text"),
        )
    )


def _effect(effect: MetricEffect) -> dict[str, object]:
    variant_effect = effect.estimated
    return {
        "metric": variant_effect.metric.to_dict(),
        "variant": variant_effect.variant,
        "role": effect.role,
        "segment": effect.segment or None,
        "scale": variant_effect.scale,
        "control": effect.control,
        "treatment": effect.treatment,
        "effect": answer_dict(variant_effect.effect),
        "adjusted": _adjusted(variant_effect.adjusted),
        "direction": variant_effect.direction,
        "variance_kept": effect.variance_kept,
    }


def answer_dict(answer: Answer) -> dict[str, object]:
    """An estimate with its interval, or why there is none: then everything but the reason may be None.

    An end that no number is, as of a share of a control that may be 0, is None too.
    """
    if isinstance(answer, NotEstimable):
        return {"value": answer.value, "low": None, "high": None, "p_value": None, "n": answer.n,
                "method": answer.method, "reason": answer.reason}  # fmt: skip
    assert isinstance(answer, Estimate)
    return {"value": answer.value, "low": _end(answer.low), "high": _end(answer.high), "p_value": answer.p_value,
            "n": answer.n, "method": answer.method, "reason": None}  # fmt: skip


def _end(at: float) -> float | None:
    return at if math.isfinite(at) else None


def _adjusted(adjusted: Adjusted | None) -> dict[str, object] | None:
    if adjusted is None:
        return None
    return {**plain(adjusted.to_dict()), "low": _end(adjusted.low), "high": _end(adjusted.high)}


def trial_of(verdict: Verdict) -> TrialReading | None:
    """The reading of the A/B test behind a verdict; None for the verdict of a gate."""
    reading = verdict.trial
    assert reading is None or isinstance(reading, TrialReading)
    return reading


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """What one method of the trials shelf takes, with its choices made for the size it needs.

    units      of both variants together that detect the effect with the power; None where no number does
    days       until so many have come, in whole weeks; None where the rate is not known
    smallest   the least effect that the given units detect with the power; None where no units were given
    looks      that are planned; None where one may look at any time
    """

    method: str
    always_valid: bool
    units: int | None
    days: int | None
    smallest: float | None
    looks: int | None = None


@dataclass(frozen=True, slots=True)
class MetricPlan:
    """One metric. `effect` is the true effect to detect; of a guardrail its margin, with no true effect.

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
    units      that were given; None where the plan is for an effect
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

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        document: dict[str, object] = plain(self)
        return document
