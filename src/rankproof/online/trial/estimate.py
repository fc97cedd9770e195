"""Estimate: the effects of one or several variants on a metric, with intervals that hold together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Answer, NotEstimable
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.effects import Strata, Variance, effect_of, stratified_effect
from rankproof.online.trial.moments import DENOMINATOR, NUMERATOR, Moments, Tally
from rankproof.online.trial.quantiles import quantile_effect
from rankproof.online.trial.records import Metric, Scale, VariantEffect
from rankproof.online.trials.contract import Effect, EffectRequest
from rankproof.proving.corrections.contract import Tests
from rankproof.proving.records import Adjusted, Equivalence

# The units of one variant, or the same by stratum; for a quantile, how many units have each value.
Arm = Moments | Strata | Tally
ROUNDING = 1e-9


def estimate(
    control: Arm,
    treatment: Arm,
    metric: Metric,
    method: str = "welch",
    *,
    scale: Scale = "absolute",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    null: float = 0.0,
    variance: Variance = "own",
) -> Answer:
    """The effect of a treatment on a metric, by an item of the trials shelf such as "sequence(units=20000)".

    variance   "own": that of each variant by itself, and relative effects by the delta method, as textbooks have it;
               "larger": that of all units alike where it is larger, which holds for small variants with heavy tails
               too. Trials read from days always use it
    """
    request = EffectRequest(refuse_level(level), alternative, null)
    call = read_configured("trials", method)
    answer: Answer = call.item.answer(_effect(control, treatment, metric, scale, variance), request, call.values)
    return answer


def estimate_variants(
    control: Arm,
    treatments: Mapping[str, Arm],
    metric: Metric,
    method: str = "welch",
    *,
    scale: Scale = "absolute",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    correction: str = "holm",
) -> tuple[VariantEffect, ...]:
    """Every treatment against the control; with more than one, p-values and intervals adjusted for the family."""
    effects = [_effect(control, treatment, metric, scale) for treatment in treatments.values()]
    answers, adjusted = infer_family(effects, method, level=level, alternative=alternative, correction=correction)
    return tuple(
        VariantEffect(metric, name, scale, answer, also)
        for name, answer, also in zip(treatments, answers, adjusted, strict=True)
    )


def infer_family(
    effects: Sequence[Effect],
    method: str,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    correction: str = "holm",
) -> tuple[list[Answer], list[Adjusted | None]]:
    """Effects that are looked at together: each answer, and what the correction makes of it; None for one alone."""
    chosen = shelf.find("corrections", correction)
    if chosen.needs_all_pairs:
        raise UsageError(
            f"{correction} permutes the queries of all pairs; an A/B test compares with its control. Use holm."
        )
    call = read_configured("trials", method)

    def at_level(one_level: float) -> list[Answer]:
        return [call.item.answer(effect, EffectRequest(one_level, alternative), call.values) for effect in effects]

    answers = at_level(refuse_level(level))
    if chosen.name == "none" or len(answers) < 2:
        return answers, [None] * len(answers)
    # Nothing is drawn at random here; the generator is what the shelf's contract asks for.
    return answers, chosen.adjust(Tests(answers, at_level, (), level, 0), np.random.default_rng(0))


def non_inferiority(
    control: Arm,
    treatment: Arm,
    metric: Metric,
    margin: float,
    method: str = "welch",
    *,
    scale: Scale = "absolute",
    level: float = 0.95,
) -> Equivalence | NotEstimable:
    """Whether the treatment is not worse than the control by the margin: a one-sided test at 1 - level."""
    if not margin > 0:
        raise UsageError(f"A margin of non-inferiority must be greater than 0; got {margin:g}.")
    null, alternative = _worse(metric, margin)
    answer = estimate(
        control, treatment, metric, method, scale=scale, level=level, alternative=alternative, null=null
    )  # fmt: skip
    if isinstance(answer, NotEstimable):
        return answer
    p = answer.p_value
    return Equivalence("non-inferiority", margin, p <= 1 - level, p, answer.low, answer.high)


def refuse_level(level: float) -> float:
    """The level; an error for what is none."""
    if not 0 < level < 1:
        raise UsageError(f"A confidence level must lie between 0 and 1, such as 0.95; got {level:g}.")
    return level


def _worse(metric: Metric, margin: float) -> tuple[float, Alternative]:
    return (-margin, "greater") if metric.better == "higher" else (margin, "less")


def _effect(control: Arm, treatment: Arm, metric: Metric, scale: Scale, variance: Variance = "own") -> Effect:
    if metric.kind == "quantile" or isinstance(control, Tally) or isinstance(treatment, Tally):
        if metric.kind != "quantile" or not (isinstance(control, Tally) and isinstance(treatment, Tally)):
            raise UsageError("A quantile takes a Tally of each variant, and no other metric does.")
        return quantile_effect(control, treatment, metric, scale)
    for arm in (control, treatment):
        for units in (arm,) if isinstance(arm, Moments) else arm.values():
            refuse_other_kind(units, metric)
    if isinstance(control, Moments) and isinstance(treatment, Moments):
        return effect_of(control, treatment, metric, scale, variance)
    if isinstance(control, Moments) or isinstance(treatment, Moments):
        raise UsageError("Give both variants by stratum, or neither.")
    return stratified_effect(control, treatment, metric, scale, variance=variance)


def refuse_other_kind(units: Moments, metric: Metric) -> None:
    """An error where the units are not what the metric says they are."""
    if not units.n:
        return
    below, above = units.means[DENOMINATOR], units.means[NUMERATOR]
    if metric.kind != "ratio" and (below != 1 or units.products[DENOMINATOR] != 0):
        raise InputError(
            f"{metric.name} is a {metric.kind}, and its units have denominators other than 1. Call it a ratio, or "
            "leave the denominators out."
        )
    # Units of 0 and 1 with mean p have n p (1 - p) as the sum of their squared deviations, and no others have.
    spread = units.n * above * (1 - above)
    if metric.kind == "proportion" and abs(units.products[NUMERATOR] - spread) > ROUNDING * units.n:
        raise InputError(f"{metric.name} is a proportion, and its units are not all 0 or 1. Call it a mean.")
