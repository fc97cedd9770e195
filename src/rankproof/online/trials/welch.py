"""Welch's t-test: the effect over its standard error at one time that was fixed before the trial.

It assumes that units are independent and that the mean of each variant is near to normal, which some hundred units
bring about unless a few of them are huge. Variants may differ in size and in variance. One look only: who looks every
day and stops at the first p-value of 5% or less finds an effect where there is none in far more than 5% of trials.

about: the effect at a fixed horizon
source: Welch, The generalization of Student's problem when several different population variances are involved,
Biometrika 34, 1947

Control 1, 2, 3, 4 and treatment 3, 4, 5, 8: means 2.5 and 5, variances 5/3 and 14/3, standard error 1.2583,
t = 1.9868 with 4.9 degrees of freedom:

>>> from rankproof.testing.statistics import trial_inferred
>>> trial_inferred("welch", [1, 2, 3, 4], [3, 4, 5, 8])
'2.5 [-0.754, 5.75] p = 0.1048'
>>> trial_inferred("welch", [1, 1, 1], [2, 2])
'not estimable: no unit differs: without spread nothing says what chance can do'
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from rankproof.kernel.estimate import Estimate
from rankproof.online.trials.contract import Effect, EffectRequest, Inference

NAME = "welch"


def infer(effect: Effect, request: EffectRequest, values: Mapping[str, float]) -> Estimate:
    """Student's distribution with the degrees of freedom of Welch (1947) and Satterthwaite (1946)."""
    from scipy.special import stdtr, stdtrit  # here: loading scipy is for those who test

    assert effect.value is not None
    error = math.sqrt(effect.variance)
    # Shares of the variance, so that tiny variances do not vanish when squared.
    df = 1 / math.fsum((part.variance / effect.variance) ** 2 / (part.n - 1) for part in effect.parts)
    tail = (1 - request.level) / (2 if request.alternative == "two-sided" else 1)
    reach = float(-stdtrit(df, tail)) * error
    t = (effect.value - request.null) / error
    low, high = effect.value - reach, effect.value + reach
    if request.alternative == "greater":
        p, high = float(stdtr(df, -t)), math.inf
    elif request.alternative == "less":
        p, low = float(stdtr(df, t)), -math.inf
    else:
        p = 2 * float(stdtr(df, -abs(t)))
    return Estimate(
        effect.value, low, high, p, request.level, NAME, effect.n, alternative=request.alternative, null=request.null
    )


OFFERS = (Inference(name=NAME, page=__doc__, infer=infer),)
