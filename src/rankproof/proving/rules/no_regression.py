"""No regression beyond a margin: the candidate must not be worse than the baseline by more than that.

Passes when the one-sided lower bound of the mean change is above minus the margin: the candidate is shown not to be
worse by more (non-inferiority). Fails when the upper bound is below it: it is shown to be worse by more. Undecided
between. With `margin = 0` nothing less than "not worse at all" must be shown. For measures that are better low all of
it is mirrored. `basis = "point"` compares the plain means and says so.

decides by: one-sided bounds of the mean change over queries
fails by: chance in at most 5 of 100 cases where the candidate is truly within the margin (at confidence 0.95)

    [[rule]]
    rule = "no_regression"
    measure = "nDCG@10"
    margin = 0.01
    confidence = 0.95

Where few queries changed, or all by the same, the bounds are Gaffke's: `rankproof explain t_or_gaffke`. Rankings that
are identical on every query are a fact, "nothing changed on these queries", and pass; `unchanged = "undecided"` in the
[policy] table leaves them open. Equal values from rankings that changed are no such fact.

By Student's t, changes 0.1, 0.1, 0.1 and -0.1 have the mean 0.05, the standard deviation 0.1 and the one-sided 95%
lower bound 0.05 - 2.3534 x 0.05 = -0.0677:

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of([0.6, 0.6, 0.6, 0.4], baseline=[0.5, 0.5, 0.5, 0.5], significance="t")
>>> rule_on(case, "no_regression", measure="nDCG@10", margin=0.07).status
'PASS'
>>> rule_on(case, "no_regression", measure="nDCG@10", margin=0.01).status
'UNDECIDED'
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

NAME = "no_regression"


def refuse(values: RuleValues) -> None:
    """A measure with a better side, and a margin that some results miss."""
    refuse_sideless(values)
    refuse_idle_change(values, "margin")


def title(values: RuleValues) -> str:
    """The margin in a few words."""
    return f"{values['measure']} loses at most {values['margin']:g}{segment_suffix(values)}"


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the bounds of the mean change."""

    def could(gain: float, queries: int) -> str:
        if gain >= 0:  # any margin would have passed
            return ""
        return f"Set beforehand, a margin of {number(-gain)} would have passed with these {queries} queries."

    return on_change(case, NAME, title(values), values, -float(values["margin"]), could)


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            MEASURE,
            Param("margin", Number(0), REQUIRED, "how much worse the candidate may be"),
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
