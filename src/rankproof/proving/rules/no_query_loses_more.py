"""No query loses more than that: a limit on the harm to any single query, whatever the mean does.

A fact about these queries: nothing rests on chance, so it passes or fails, and is undecided only where ties or unjudged
documents could turn it. A query for which the baseline has a value and the candidate has none has lost more than any
number.

decides by: the greatest loss of a single query

    [[rule]]
    rule = "no_query_loses_more"
    measure = "nDCG@10"
    than = 0.3

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of([0.9, 0.2], baseline=[0.5, 0.6])
>>> rule_on(case, "no_query_loses_more", measure="nDCG@10", than=0.3).reason
"1 of 2 queries loses more than 0.3000 nDCG@10; 'q2' loses most, 0.4000."
>>> rule_on(case, "no_query_loses_more", measure="nDCG@10", than=0.4).status
'PASS'
"""

from __future__ import annotations

from dataclasses import replace

from rankproof.kernel.sections import number
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param
from rankproof.kernel.verdict import Ruling
from rankproof.proving.mean_rule import ROUNDING, paying, worst
from rankproof.proving.rule_params import MEASURE, SEGMENT, refuse_idle_change, refuse_sideless, segment_suffix
from rankproof.proving.rules._change import gains
from rankproof.proving.rules.contract import Case, Rule, RuleValues

NAME = "no_query_loses_more"


def refuse(values: RuleValues) -> None:
    """A measure with a better side, and a limit that a query can go over."""
    refuse_sideless(values)
    refuse_idle_change(values, "than")


def title(values: RuleValues) -> str:
    """The limit in a few words."""
    return f"no query loses more than {values['than']:g} {values['measure']}{segment_suffix(values)}"


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the greatest loss."""
    text, than = values["measure"], float(values["than"])
    sample = case.changes(text, values["segment"])
    losses = -gains(sample)
    over = int((losses > than + ROUNDING).sum()) + len(sample.lost)
    total = len(losses) + len(sample.lost) + len(sample.gained)
    greatest = float(losses.max()) if len(losses) else 0.0
    ruling = Ruling(
        NAME, title(values), "FAIL" if over else "PASS", "", measure=text, segment=values["segment"],
        threshold=than, observed=max(greatest, 0.0), better="lower",
    )  # fmt: skip
    if not over:
        seen = f"the greatest loss is {number(greatest)}" if greatest > 0 else "none loses anything"
        return replace(ruling, reason=f"No query of {total} loses more than {number(than)} {text}; {seen}.")
    assert sample.before is not None
    payers = worst(case, sample.query_ids, sample.values, sample.before, sample.better, sample.lost)
    how = "its value" if payers[0].value is None else number(greatest)
    verb = "query loses" if total == 1 else "queries loses" if over == 1 else "queries lose"
    reason = f"{over} of {total} {verb} more than {number(than)} {text}; {payers[0].query_id!r} loses most, {how}."
    return paying(replace(ruling, reason=reason), payers[:over])


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(MEASURE, Param("than", Number(0), REQUIRED, "the greatest loss that any query may have"), SEGMENT),
        title=title,
        decide=decide,
        needs_baseline=True,
        refuse=refuse,
    ),
)
