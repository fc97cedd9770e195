"""Effects: treatment against control in one metric, absolute or relative, adjusted by a covariate and by strata.

Every metric is a ratio of two means, of which the lower is 1 for means and proportions. With R the ratio in a variant,
D the mean of its denominators, a unit counts with z = (numerator - R x denominator) / D; the variance of R is that of
the mean of z (delta method: Deng, Knoblich and Lu, Applying the delta method in metric analytics, KDD 2018).

CUPED subtracts theta x (covariate - its mean over all units) from z, with theta = cov(z, covariate) / var(covariate)
over both variants together (Deng, Xu, Kohavi and Walker, Improving the sensitivity of online controlled experiments by
utilizing pre-experiment data, WSDM 2013): of the variance, 1 - rho squared is left.

Strata are weighed by their share of all units in both variants (post-stratification, the same paper), or as the caller
says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rankproof.errors import UsageError
from rankproof.online.trial.moments import COVARIATE, DENOMINATOR, NUMERATOR, Moments, merged
from rankproof.online.trial.records import Metric, Scale
from rankproof.online.trials.contract import Effect, VariancePart

# Standard errors that a control must be away from 0 before a share of it means something.
AWAY = 3.0
NO_UNITS = "a variant has no units, or a stratum has units in one variant only"
# The moments of one variant by stratum.
Strata = Mapping[str, Moments]


def effect_of(control: Moments, treatment: Moments, metric: Metric, scale: Scale = "absolute") -> Effect:
    """The effect of the treatment on a metric."""
    return stratified_effect({"": control}, {"": treatment}, metric, scale)


def stratified_effect(
    control: Strata,
    treatment: Strata,
    metric: Metric,
    scale: Scale = "absolute",
    weights_of: Mapping[str, float] | None = None,
) -> Effect:
    """The same, with units compared within strata that were known before the trial.

    weights_of   of each stratum, in any unit; by default its share of all units
    """
    if scale not in ("absolute", "relative"):
        raise UsageError(f"A scale must be absolute or relative; got {scale!r}.")
    names = [name for name in dict.fromkeys([*control, *treatment]) if _size(control, treatment, name)]
    n = sum(_size(control, treatment, name) for name in names)
    arms = [[arm.get(name, Moments()) for name in names] for arm in (control, treatment)]
    if not n or not all(part.n for arm in arms for part in arm):
        return Effect(None, (), n, NO_UNITS)
    weights = weights_for(names, {name: _size(control, treatment, name) for name in names}, weights_of)
    everyone = merged(part for arm in arms for part in arm)
    if any(_mean(arm, weights, DENOMINATOR) <= 0 for arm in arms):
        return Effect(None, (), n, f"the denominators of {metric.name} in a variant are 0 or less on average")
    theta = _theta(everyone) if metric.covariate else 0.0
    (low, of_control), (high, of_treatment) = (_variant(arm, weights, theta, everyone) for arm in arms)
    return between(low, of_control, high, of_treatment, n, metric, scale)


def between(
    control: float,
    of_control: Sequence[VariancePart],
    treatment: float,
    of_treatment: Sequence[VariancePart],
    n: int,
    metric: Metric,
    scale: Scale,
) -> Effect:
    """The effect, from the metric in each of two independent variants and the parts of its variance."""
    if scale == "absolute":
        return Effect(treatment - control, (*of_control, *of_treatment), n)
    if abs(control) <= AWAY * math.sqrt(math.fsum(part.variance for part in of_control)):
        return Effect(None, (), n, f"{metric.name} of the control is too near to 0 for a share of it")
    # The delta method for treatment / control: d(t / c) = dt / c - t dc / c^2.
    square = control * control
    shares = [VariancePart(part.variance * (treatment / square) ** 2, part.n) for part in of_control]
    shares += [VariancePart(part.variance / square, part.n) for part in of_treatment]
    return Effect((treatment - control) / abs(control), tuple(shares), n)


def variance_kept(control: Moments, treatment: Moments) -> float | None:
    """The share of the variance that CUPED leaves: 1 - rho squared; None where numerators do not vary."""
    everyone = merged((control, treatment))
    if everyone.n < 2 or everyone.means[DENOMINATOR] <= 0:
        return None
    below = everyone.means[DENOMINATOR]
    ratio = everyone.means[NUMERATOR] / below
    plain = _spread(everyone, ratio, below, 0.0)
    return _spread(everyone, ratio, below, _theta(everyone)) / plain if plain > 0 else None


def weights_for(names: Sequence[str], sizes: Mapping[str, int], given: Mapping[str, float] | None) -> list[float]:
    """A weight for each stratum; they sum to 1."""
    chosen = [float(sizes[name]) if given is None else given[name] for name in names]
    whole = math.fsum(chosen)
    return [weight / whole for weight in chosen]


def _size(control: Strata, treatment: Strata, name: str) -> int:
    return control.get(name, Moments()).n + treatment.get(name, Moments()).n


def _mean(parts: Sequence[Moments], weights: Sequence[float], moment: int) -> float:
    return math.fsum(weight * part.means[moment] for weight, part in zip(weights, parts, strict=True))


def _variant(
    parts: Sequence[Moments], weights: Sequence[float], theta: float, everyone: Moments
) -> tuple[float, list[VariancePart]]:
    """The metric of one variant, adjusted, and what each stratum adds to its variance."""
    below = _mean(parts, weights, DENOMINATOR)
    ratio = _mean(parts, weights, NUMERATOR) / below
    value = ratio - theta * (_mean(parts, weights, COVARIATE) - everyone.means[COVARIATE])
    parts_of_variance = []
    for weight, part in zip(weights, parts, strict=True):
        spread = _spread(part, ratio, below, theta) if part.n > 1 else 0.0
        parts_of_variance.append(VariancePart(weight * weight * spread / part.n, part.n))
    return value, parts_of_variance


def _theta(everyone: Moments) -> float:
    """How much of the covariate to subtract; 0 where it does not vary."""
    if everyone.n < 2 or everyone.covariance(COVARIATE, COVARIATE) == 0:
        return 0.0
    below = everyone.means[DENOMINATOR]
    ratio = everyone.means[NUMERATOR] / below
    with_covariate = everyone.covariance(NUMERATOR, COVARIATE) - ratio * everyone.covariance(DENOMINATOR, COVARIATE)
    return with_covariate / below / everyone.covariance(COVARIATE, COVARIATE)


def _spread(part: Moments, ratio: float, below: float, theta: float) -> float:
    """The variance of z - theta x covariate among units; rounding may not bring it below 0."""
    z = (
        part.covariance(NUMERATOR, NUMERATOR)
        - 2 * ratio * part.covariance(NUMERATOR, DENOMINATOR)
        + ratio * ratio * part.covariance(DENOMINATOR, DENOMINATOR)
    ) / (below * below)
    shared = (part.covariance(NUMERATOR, COVARIATE) - ratio * part.covariance(DENOMINATOR, COVARIATE)) / below
    return max(0.0, z - 2 * theta * shared + theta * theta * part.covariance(COVARIATE, COVARIATE))
