"""Asymptotic confidence sequence: an interval that holds at all times together, however often one looks.

Of all trials, the stated share has intervals that contain the true effect at every look, from the first to the last. So
one may look daily and stop when one likes. The price is width: at `units` a 95% interval is 1.55 times as wide as
Welch's, and relatively wider before and after. `units` must be fixed before the trial: the size at which a decision
is expected.

It assumes independent units and is exact for many of them: the first look should have some hundred units in each
variant. The p-value is always valid; the least p-value of all looks so far is valid as well.

about: the effect at all times
source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic confidence
sequences, Annals of Statistics 52(6), 2024 (arXiv:2103.06476)

Control 1, 2, 3, 4 and treatment 3, 4, 5, 8, with `units` 8, where 8 times the square of rho is 7.936: the variance of
the effect is 1.5833, and the reach the root of 1.5833 x 2 x (8.936 / 7.936) x ln(sqrt(8.936) / 0.05) = 14.59:

>>> from rankproof.testing.statistics import trial_inferred
>>> trial_inferred("sequence(units=8)", [1, 2, 3, 4], [3, 4, 5, 8])
'2.5 [-1.32, 6.32] p = 0.518'
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.specs.kinds import Param, Whole
from rankproof.online.trials._bounded import bounded
from rankproof.online.trials.contract import Effect, EffectRequest, Inference
from rankproof.proving.sequential import confidence_sequence

NAME = "sequence"


def infer(effect: Effect, request: EffectRequest, values: Mapping[str, float]) -> Estimate:
    """The confidence sequence of the paper, with as many units as the effect has."""
    two_sided = request.alternative == "two-sided"
    look = confidence_sequence(effect.n, effect.variance, 1 - request.level, int(values["units"]), two_sided=two_sided)
    return bounded(effect, request, NAME, look.radius, look.p_value)


UNITS = Param("units", Whole(2), 5000, "units of both variants together at which the interval is tightest")

OFFERS = (Inference(name=NAME, page=__doc__, infer=infer, params=(UNITS,), always_valid=True),)
