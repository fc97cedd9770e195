"""A least gain: the candidate must be better than the baseline by that much.

Passes when the one-sided lower bound of the mean change meets the gain asked for, fails when the upper bound misses
it, and is undecided between. For measures that are better low a gain is a fall. `basis = "point"` compares the plain
means and says so.

decides by: one-sided bounds of the mean change over queries
fails by: chance in at most 5 of 100 cases where the gain is truly there (at confidence 0.95)

    [[rule]]
    rule = "least_gain"
    measure = "MAP@100"
    at_least = 0.03

Where few queries changed, or all by the same, the bounds are Gaffke's: `rankproof explain t_or_gaffke`.

By Student's t, changes 0.1, 0.1, 0.1 and -0.1 have the mean 0.05, the standard deviation 0.1 and the one-sided 95%
upper bound 0.05 + 2.3534 x 0.05 = 0.1677:

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of([0.6, 0.6, 0.6, 0.4], baseline=[0.5, 0.5, 0.5, 0.5], significance="t")
>>> rule_on(case, "least_gain", measure="MAP@100", at_least=0.03).status
'UNDECIDED'
>>> rule_on(case, "least_gain", measure="MAP@100", at_least=0.17).status
'FAIL'
"""

from __future__ import annotations

from rankproof.kernel.sections import number
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param
from rankproof.kernel.verdict import Ruling
from rankproof.proving.rule_params import (
    BASIS,
    CONFIDENCE,
    MEASURE,
    SEGMENT,
    refuse_idle_change,
    refuse_sideless,
    segment_suffix,
)
from rankproof.proving.rules._change import on_change
from rankproof.proving.rules.contract import Case, Rule, RuleValues

NAME = "least_gain"


def refuse(values: RuleValues) -> None:
    """A measure with a better side, and a gain within reach."""
    refuse_sideless(values)
    refuse_idle_change(values, "at_least", "least")


def title(values: RuleValues) -> str:
    """The gain in a few words."""
    return f"{values['measure']} gains at least {values['at_least']:g}{segment_suffix(values)}"


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the bounds of the mean change."""

    def could(gain: float, queries: int) -> str:
        if gain <= 0:  # a required gain is above 0
            return ""
        return f"Set beforehand, a least gain of {number(gain)} would have passed with these {queries} queries."

    return on_change(case, NAME, title(values), values, float(values["at_least"]), could)


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            MEASURE,
            Param("at_least", Number(0), REQUIRED, "how much better the candidate must be"),
            BASIS,
            CONFIDENCE,
            SEGMENT,
        ),
        title=title,
        decide=decide,
        needs_baseline=True,
        refuse=refuse,
    ),
)
