"""A least judged rate: enough of what the candidate shows first must have been judged.

Values rest on judgments. Where few of the first documents are judged, a system that finds new good documents looks
worse than it is, and no statistic over queries sees that. A fact about this run and these qrels: it passes or fails
and is never undecided.

decides by: Judged@k, the mean share of the first k documents that is judged

    [[rule]]
    rule = "judged_rate"
    k = 10
    at_least = 0.9

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of([1.0, 0.9])
>>> rule_on(case, "judged_rate", k=10, at_least=0.9).reason
'Judged@10 is 0.9500, which meets 0.9000.'
"""

from __future__ import annotations

from rankproof.kernel.sections import number
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param, Whole
from rankproof.kernel.verdict import Ruling
from rankproof.proving.mean_rule import decided
from rankproof.proving.rule_params import SEGMENT, segment_suffix
from rankproof.proving.rules.contract import Case, Rule, RuleValues

NAME = "judged_rate"


def title(values: RuleValues) -> str:
    """The rate in a few words."""
    return f"Judged@{values['k']} at least {values['at_least']:g}{segment_suffix(values)}"


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the mean rate."""
    rate, least = case.judged_rate(values["k"], values["segment"]), float(values["at_least"])
    measure = f"Judged@{values['k']}"
    fields = {"measure": measure, "segment": values["segment"], "threshold": least}
    if rate is None:
        reason = "No query is judged, so there is no rate."
        return Ruling(NAME, title(values), "UNDECIDED", reason, decides="Judged queries would decide it.", **fields)
    status = decided(rate, rate, least, "higher")
    reason = f"{measure} is {number(rate)}, which {'meets' if status == 'PASS' else 'misses'} {number(least)}."
    return Ruling(NAME, title(values), status, reason, observed=rate, **fields)


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            Param("k", Whole(1), 10, "how many of the first documents are looked at"),
            Param(
                "at_least", Number(0, 1, open_low=True), REQUIRED, "the share that must be judged, above 0 and up to 1"
            ),
            SEGMENT,
        ),
        title=title,
        decide=decide,
    ),
)
