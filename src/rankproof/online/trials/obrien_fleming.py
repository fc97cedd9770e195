"""O'Brien and Fleming's planned looks: a look after each day, and nearly the traffic of a fixed test.

For days that are planned: of all trials, the stated share has intervals that contain the true effect at every planned
look, and one may stop at any of them. Early looks spend next to nothing of the allowed error, so that the last one is
nearly as narrow as Welch's: 14 looks take about 6% more traffic than a fixed test of the same power. An effect must be
huge to end a trial early; `pocock` ends it sooner, for more traffic.

The error is spent by the function of Lan and DeMets, by days, or by units where `units` is planned; the look after the
last planned day spends all that is left. Days without units or without a file are looks that were missed, which harms
nothing. After the last look there is none: what it said stands.

It assumes independent units and is exact for many of them. The p-value is the repeated one, valid at every look.

about: the effect at planned looks
source: O'Brien and Fleming, A multiple testing procedure for clinical trials, Biometrics 35, 1979; Lan and DeMets,
Discrete sequential boundaries for clinical trials, Biometrika 70, 1983; Jennison and Turnbull, Group Sequential Methods
with Applications to Clinical Trials, 2000

Control 1, 2, 3, 4 and treatment 3, 4, 5, 8: standard error 1.2583. At its only look it is a fixed test, by the normal
distribution: 2.5 ± 1.96 x 1.2583; at the first of four equal ones, the limit is 4.333 standard errors:

>>> from rankproof.testing.statistics import trial_inferred
>>> trial_inferred("obrien_fleming(days=1)", [1, 2, 3, 4], [3, 4, 5, 8])
'2.5 [0.0338, 4.97] p = 0.04694'
>>> from rankproof.online.trials._planned import limit_at
>>> round(limit_at("obrien_fleming", 0.05, ((0.25, 1.0),), True), 3)
4.333
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.kernel.estimate import Answer
from rankproof.online.trials._planned import DAYS, UNITS, answer
from rankproof.online.trials.contract import Effect, EffectRequest, Inference

NAME = "obrien_fleming"


def infer(effect: Effect, request: EffectRequest, values: Mapping[str, float]) -> Answer:
    """The repeated confidence interval of Jennison and Turnbull."""
    return answer(NAME, effect, request, values)


OFFERS = (Inference(name=NAME, page=__doc__, infer=infer, params=(DAYS, UNITS), planned_looks=True),)
