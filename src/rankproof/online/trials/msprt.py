"""Mixture sequential probability ratio test: always valid, most powerful for effects of the size that is expected.

The likelihood of each possible effect, relative to none, is averaged over a normal distribution of effects with mean 0
and standard deviation `effect`. Under the null the average exceeds 1 / alpha at any time with a probability of alpha at
most, so one may look as often as one likes. A one-sided question mixes over the effects of that side only.

It assumes independent units and is exact for many of them: the first look should have some hundred units in each
variant. `effect` must be fixed before the trial, in the units of the estimate. The p-value is always valid; the least
p-value of all looks so far is valid as well.

about: the effect at all times
source: Johari, Koomen, Pekelis and Walsh, Always valid inference: continuous monitoring of A/B tests, Operations
Research 70(3), 2022; the same authors, Peeking at A/B tests, KDD 2017

Control 1, 2, 3, 4 and treatment 3, 4, 5, 8 with variance V = 1.5833 of the effect 2.5; `effect` 2, whose square is 4.
The ratio is sqrt(V / (V + 4)) x exp(4 x 2.5 x 2.5 / (2 V (V + 4))) = 0.5325 x 4.112 = 2.19, and p its inverse:

>>> from rankproof.testing.statistics import trial_inferred
>>> trial_inferred("msprt(effect=2)", [1, 2, 3, 4], [3, 4, 5, 8])
'2.5 [-1.5, 6.5] p = 0.4566'
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param
from rankproof.online.trials._bounded import bounded
from rankproof.online.trials.contract import Effect, EffectRequest, Inference
from rankproof.proving.sequential import mixture_sprt

NAME = "msprt"


def infer(effect: Effect, request: EffectRequest, values: Mapping[str, float]) -> Estimate:
    """The mixture ratio of the papers, for effects of the expected size."""
    two_sided = request.alternative == "two-sided"
    look = mixture_sprt(effect.variance, 1 - request.level, values["effect"], two_sided=two_sided)
    return bounded(effect, request, NAME, look.radius, look.p_value)


EFFECT = Param("effect", Number(0, open_low=True), REQUIRED, "the size of true effects that is expected")

OFFERS = (Inference(name=NAME, page=__doc__, infer=infer, params=(EFFECT,), always_valid=True),)
