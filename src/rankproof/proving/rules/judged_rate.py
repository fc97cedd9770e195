"""A least judged rate: enough of what the runs show first must have been judged.

Values rest on judgments. Where few of the first documents are judged, a system that finds new good documents looks
worse than it is, and no statistic over queries sees that. Where there is a baseline it must reach the rate too: a
baseline that nobody judged is easy to beat. A fact about these runs and these qrels: it passes or fails, and is
undecided only where documents with equal scores could be in another order and that would decide it.

decides by: Judged@k, the mean share of the first k documents that is judged; of two runs the lower one

    [[rule]]
    rule = "judged_rate"
    k = 10
    at_least = 0.9

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of([1.0, 0.9])
>>> rule_on(case, "judged_rate", k=10, at_least=0.9).reason
'Judged@10 is 0.9500, which meets 0.9000.'
>>> case = case_of([1.0, 0.9], baseline=[0.5, 0.3])
>>> rule_on(case, "judged_rate", k=10, at_least=0.9).reason
'Judged@10 is 0.9500 for new and 0.4000 for old, which misses 0.9000.'
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
    """Decides by the lower of the mean rates."""
    rates, least = case.judged_rates(values["k"], values["segment"]), float(values["at_least"])
    measure = f"Judged@{values['k']}"
    fields = {"measure": measure, "segment": values["segment"], "threshold": least}
    if not rates:
        reason = "No query is judged, so there is no rate."
        return Ruling(NAME, title(values), "UNDECIDED", reason, decides="Judged queries would decide it.", **fields)
    rate = min(rates.values())
    status = decided(rate, rate, least, "higher")
    each = number(rate) if len(rates) == 1 else " and ".join(f"{number(r)} for {name}" for name, r in rates.items())
    reason = f"{measure} is {each}, which {'meets' if status == 'PASS' else 'misses'} {number(least)}."
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
        needs_rankings=lambda values: "it asks how many of the first documents were judged",
    ),
)
