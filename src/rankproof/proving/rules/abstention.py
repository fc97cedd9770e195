"""Silence below a threshold: queries without an answer are answered seldom enough, or those with one often enough.

A query is answered where its score, that of its first document, is the threshold or more. `at_most` limits the
false-answer rate: of the queries that have no relevant document, the share that is answered. `at_least` asks for an
answer rate: of the queries that have one, the share that is answered; a system that is always silent has no false
answers. The threshold stands in the policy, so it was chosen before: on other queries than those that prove it here
(`rankproof.prove_abstention` picks one on dev queries).

On tables of scores `score_column` has the score, a unit without one being never answered, and `answerable_column` is 1
where there is an answer and 0 where there is none.

decides by: exact one-sided bounds of a rate by Clopper and Pearson (Biometrika 26(4), 1934)
fails by: chance in at most 5 of 100 cases where the rate truly keeps to the limit (at confidence 0.95)

    [[rule]]
    rule = "abstention"
    threshold = 0.42
    at_most = 0.05

None of 60 queries without an answer is answered: the upper bound is 1 - 0.05^(1/60) = 0.0487. One of 60 leaves 0.0767:

>>> from rankproof.testing.ruling import case_of, rule_on
>>> silent = case_of([0.1] * 60, answerable=[False] * 60)
>>> rule_on(silent, "abstention", threshold=0.42, at_most=0.05).reason
'0 of 60 queries without an answer are answered at 0.42; the one-sided 95% upper bound 0.0487 meets 0.0500.'
>>> spoke = case_of([0.9] + [0.1] * 59, answerable=[False] * 60)
>>> rule_on(spoke, "abstention", threshold=0.42, at_most=0.05).status
'UNDECIDED'
"""

from __future__ import annotations

import math
from dataclasses import replace

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import number, percent
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param, Text, Whole
from rankproof.kernel.verdict import Payer, Ruling
from rankproof.proving.abstention import abstention_curve, rate_bounds
from rankproof.proving.mean_rule import MOST_PAYERS, decided, paying
from rankproof.proving.rule_params import CONFIDENCE, SEGMENT, level_of, segment_suffix
from rankproof.proving.rules.contract import Case, Rule, RuleValues

NAME = "abstention"


def refuse(values: RuleValues) -> None:
    """One limit, and both columns or none."""
    if (values["at_most"] is None) == (values["at_least"] is None):
        raise UsageError("say either at_most, of false answers, or at_least, of answers; a rule for each")
    if bool(values["score_column"]) != bool(values["answerable_column"]):
        raise UsageError("score_column and answerable_column belong together: both are columns of a table of scores")


def title(values: RuleValues) -> str:
    """The limit in a few words."""
    what, limit = ("false answers at most", values["at_most"])
    if values["at_least"] is not None:
        what, limit = "answer rate at least", values["at_least"]
    return f"{what} {limit:g} at {values['threshold']:g}{segment_suffix(values)}"


def decide(case: Case, values: RuleValues) -> Ruling:
    """By the exact bounds of the rate."""
    from scipy.stats import binom

    in_vain = values["at_least"] is None
    limit = float(values["at_most"] if in_vain else values["at_least"])
    level, at = level_of(case, values), float(values["threshold"])
    columns = (values["score_column"], values["answerable_column"])
    scores, answerable = case.answer_scores(*columns, values["relevant"], values["segment"])
    ruling = Ruling(
        NAME, title(values), "UNDECIDED", "", threshold=limit, confidence=level, segment=values["segment"],
        better="lower" if in_vain else "higher",
    )  # fmt: skip
    kind = "without an answer" if in_vain else "with an answer"
    asked = [query for query, has_answer in answerable.items() if has_answer != in_vain]
    if not asked:
        return replace(ruling, reason=f"No query is {kind}.", decides=f"Queries {kind} would decide it.")
    if case.sampling(asked) is not None:
        reason = (
            "The exact bounds of a rate are for a simple random sample, and the policy says how queries were drawn."
        )
        return replace(ruling, reason=reason, decides="A sample without weights, strata and clusters would decide it.")
    rates = abstention_curve(scores, answerable, name=case.candidate).at(at)
    hits = rates.answered_in_vain if in_vain else rates.answered
    n, error = len(asked), 1 - level
    low, high = rate_bounds(hits, n, error)
    status = decided(low, high, limit, "lower" if in_vain else "higher")
    p_fail = float(binom.sf(hits - 1, n, limit) if in_vain else binom.cdf(hits, n, limit))
    answer = Estimate(
        hits / n, low, high, p_fail, level, "clopper_pearson", n, "greater" if in_vain else "less", limit
    )  # fmt: skip
    seen, sure = f"{hits} of {n} queries {kind} are answered at {at:g}", f"one-sided {percent(level)}"
    ruling = replace(ruling, status=status, observed=hits / n, answer=answer, p_fail=p_fail)
    wrong = [query for query in asked if _answered(scores.get(query), at) == in_vain]
    paid = () if status == "PASS" else tuple(Payer(q, case.text(q), scores.get(q)) for q in wrong[:MOST_PAYERS])
    if status == "UNDECIDED":
        reason = f"{seen}; the {sure} bounds {number(low)} and {number(high)} lie on both sides of {number(limit)}."
        return paying(replace(ruling, reason=reason, decides=_decides(kind, n, limit, error, in_vain)), paid)
    upper = in_vain == (status == "PASS")
    bound, verb = number(high if upper else low), "meets" if status == "PASS" else "misses"
    reason = f"{seen}; the {sure} {'upper' if upper else 'lower'} bound {bound} {verb} {number(limit)}."
    return paying(replace(ruling, reason=reason), paid)


def _answered(score: float | None, threshold: float) -> bool:
    return score is not None and score >= threshold


def _decides(kind: str, n: int, limit: float, error: float, in_vain: bool) -> str:
    """What would decide it: more queries, and how many are the fewest that can pass at all."""
    fewest = math.ceil(math.log(error) / math.log(1 - limit if in_vain else limit))
    if n < fewest:
        perfect = "none of them answered" if in_vain else "all of them answered"
        return f"{fewest} queries {kind}, {perfect}, are the fewest that can pass; there are {n}."
    return f"More queries {kind} would decide it, or another threshold, chosen on other queries."


_RATE = Number(0, 1, open_low=True, open_high=True)

OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            Param("threshold", Number(), REQUIRED, "the score from which on a query is answered"),
            Param("at_most", _RATE, None, "the false-answer rate that is allowed, above 0 and below 1"),
            Param("at_least", _RATE, None, "the answer rate that is required, above 0 and below 1"),
            Param("relevant", Whole(1), 1, "the least grade of a document that is an answer"),
            Param("score_column", Text(), "", "of a table of scores: the column of the score"),
            Param(
                "answerable_column", Text(), "", "of a table of scores: the column that is 1 where there is an answer"
            ),
            CONFIDENCE,
            SEGMENT,
        ),
        title=title,
        decide=decide,
        refuse=refuse,
    ),
)
