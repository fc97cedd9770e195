"""Effects: treatment against control in one metric, absolute or relative, adjusted by a covariate and by strata.

Every metric is a ratio of two means, of which the lower is 1 for means and proportions. With R the ratio in a variant,
D the mean of its denominators, a unit counts with z = (numerator - R x denominator) / D; the variance of R is that of
the mean of z (delta method: Deng, Knoblich and Lu, Applying the delta method in metric analytics, KDD 2018).

CUPED subtracts theta x (covariate - its mean over all units) from z, with theta = cov(z, covariate) / var(covariate)
over both variants together (Deng, Xu, Kohavi and Walker, Improving the sensitivity of online controlled experiments by
utilizing pre-experiment data, WSDM 2013): of the variance, 1 - rho squared is left.

Strata are weighed by their share of all units in both variants (post-stratification, the same paper), or as the caller
says.

A small variant with heavy tails estimates its own variance too small whenever it happens to lack the few units that
make the mean: then it looks worse than it is and surer than it can be. With `variance="larger"` an effect has the
larger of two variances: that of each variant by itself (Welch), and that of all units as if variants varied alike
(Student). At equal sizes they are the same number. Within strata each stratum has the larger of its two. A share of the
control is then compared without dividing by it (Fieller). What either does to coverage and power is measured in
docs/online-statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from rankproof.errors import UsageError
from rankproof.online.trial.moments import COVARIATE, DENOMINATOR, NUMERATOR, Moments, merged
from rankproof.online.trial.records import Metric, Scale
from rankproof.online.trials.contract import Effect, RelativeParts, VariancePart

# Standard errors that a control must be away from 0 before a share of it means something.
AWAY = 3.0
# And those below which a reader is told: whoever is looked at only where the control came out large is a selection.
NEAR = 6.0
# Times its own variance above which a reader is told that an effect has that of all units alike.
TOLD = 1.5
Variance = Literal["own", "larger"]
NO_UNITS = "a variant has no units, or a stratum has units in one variant only"
# The moments of one variant by stratum.
Strata = Mapping[str, Moments]


def effect_of(
    control: Moments, treatment: Moments, metric: Metric, scale: Scale = "absolute", variance: Variance = "own"
) -> Effect:
    """The effect of the treatment on a metric."""
    return stratified_effect({"": control}, {"": treatment}, metric, scale, variance=variance)


def stratified_effect(
    control: Strata,
    treatment: Strata,
    metric: Metric,
    scale: Scale = "absolute",
    weights_of: Mapping[str, float] | None = None,
    variance: Variance = "own",
) -> Effect:
    """The same, with units compared within strata that were known before the trial.

    weights_of   of each stratum, in any unit; by default its share of all units
    variance     "own": that of each variant by itself; "larger": that of all units alike where it is larger
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
    own, pooled = _own(weights, of_control, of_treatment), _alike(weights, of_control, of_treatment)
    sums = [math.fsum(part.variance for arm in parts for part in arm) for parts in (own, pooled)]
    parts = _larger(own, pooled) if variance == "larger" else own
    effect = between(low, parts[0], high, parts[1], n, metric, scale)
    if effect.value is None:
        return effect
    notes = [_unlike(metric, variance == "larger")] if sums[1] > TOLD * sums[0] else []
    if variance == "larger" and scale == "relative":
        effect = replace(effect, relative=_shares(low, *parts))
        error = math.sqrt(math.fsum(part.variance for part in parts[0]))
        if abs(low) < NEAR * error:
            notes.append(
                f"{metric.name}: the control is only {abs(low) / error:.1f} standard errors away from 0; shares of it "
                "are unsure, and more so where one looks only once it is large enough"
            )
    return replace(effect, notes=tuple(notes))


# The parts of the control and those of the treatment, a stratum each.
Arms = tuple[list[VariancePart], list[VariancePart]]


def _own(weights: Sequence[float], of_control: Sequence[VariancePart], of_treatment: Sequence[VariancePart]) -> Arms:
    """What each stratum adds to the variance of both means, from the variances of units in it."""
    control, treatment = (
        [VariancePart(w * w * spread.variance / spread.n, spread.n) for w, spread in zip(weights, arm, strict=True)]
        for arm in (of_control, of_treatment)
    )
    return control, treatment


def _alike(weights: Sequence[float], of_control: Sequence[VariancePart], of_treatment: Sequence[VariancePart]) -> Arms:
    """The same as if the units of a stratum varied alike in both variants."""
    pooled = []
    for a, b in zip(of_control, of_treatment, strict=True):
        freedom = max(1, a.n + b.n - 2)
        spread = (a.variance * (a.n - 1) + b.variance * (b.n - 1)) / freedom
        pooled.append((VariancePart(spread, a.n), VariancePart(spread, b.n)))
    return _own(weights, [a for a, _ in pooled], [b for _, b in pooled])


def _larger(own: Arms, pooled: Arms) -> Arms:
    """Of each stratum the parts whose sum is larger."""
    chosen = [
        max(both, key=lambda pair: pair[0].variance + pair[1].variance)
        for both in zip(zip(*own, strict=True), zip(*pooled, strict=True), strict=True)
    ]
    return [control for control, _ in chosen], [treatment for _, treatment in chosen]


def _unlike(metric: Metric, larger: bool) -> str:
    what = f"{metric.name}: units of one variant vary far less than all units do"
    if larger:
        return f"{what}, as by chance where few units hold much; its bounds have the variance of all units"
    return f"{what}: where few units hold much, its interval is too narrow"


def _shares(control: float, of_control: Sequence[VariancePart], of_treatment: Sequence[VariancePart]) -> RelativeParts:
    square = control * control
    arms = [tuple(VariancePart(p.variance / square, p.n) for p in arm) for arm in (of_control, of_treatment)]
    return RelativeParts(arms[0], arms[1], 1 if control > 0 else -1)


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
    """The metric of one variant, adjusted, and the variance among its units in each stratum."""
    below = _mean(parts, weights, DENOMINATOR)
    ratio = _mean(parts, weights, NUMERATOR) / below
    value = ratio - theta * (_mean(parts, weights, COVARIATE) - everyone.means[COVARIATE])
    return value, [VariancePart(_spread(part, ratio, below, theta) if part.n > 1 else 0.0, part.n) for part in parts]


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
