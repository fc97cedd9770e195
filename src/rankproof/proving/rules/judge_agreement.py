"""A judge must agree with people: its grades count only if kappa, or another statistic, is high enough.

Where a policy's qrels are a model's, what the other rules say is worth no more than the model's word. This rule holds
that word against people's grades of an anchor set, on the pairs that both graded. `model` names the judge's grades; the
policy's qrels when not said. Passes when the one-sided lower bound meets what is asked, fails when the upper bound
misses it, and is undecided between: an anchor of few queries says little. Bounds come from leaving out one query at a
time, because pairs of one query are not independent. `basis = "point"` compares the plain statistic and says so.

decides by: one-sided bounds of the statistic over queries
fails by: chance in at most 5 of 100 cases where the agreement is truly high enough (at confidence 0.95)
source: Cohen, A coefficient of agreement for nominal scales, 1960

    [policy]
    qrels = "gpt.trec"

    [[rule]]
    rule = "judge_agreement"
    human = "anchor.trec"
    at_least = 0.4

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of(agreed=(0.52, 0.44, 0.60, 0.001))
>>> rule_on(case, "judge_agreement", human="anchor.trec", at_least=0.4).reason
'kappa of the judge with people is 0.5200; its one-sided 95% lower bound 0.4400 meets 0.4000.'
>>> rule_on(case, "judge_agreement", human="anchor.trec", at_least=0.5).status
'UNDECIDED'
"""

from __future__ import annotations

from dataclasses import replace

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import number, percent
from rankproof.kernel.specs.kinds import REQUIRED, Choice, Number, Param, Path, Whole
from rankproof.kernel.verdict import Ruling
from rankproof.proving.mean_rule import decided
from rankproof.proving.rule_params import BASIS, CONFIDENCE, level_of, refuse_lone_model_grade, relevant_grades
from rankproof.proving.rules.contract import Case, Rule, RuleValues

NAME = "judge_agreement"
STATISTICS = (
    "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "alpha_interval", "same_grade",
)  # fmt: skip


def title(values: RuleValues) -> str:
    """The requirement in a few words."""
    return f"{values['statistic']} with people at least {values['at_least']:g}"


def refuse(values: RuleValues) -> None:
    """Refuses an agreement that every judge has or none is shown to have, and one grade without the other."""
    least = -1.0 if values["statistic"] != "same_grade" else 0.0
    if values["at_least"] <= least or (values["at_least"] == 1 and values["basis"] == "interval"):
        raise UsageError(
            f"at_least = {values['at_least']:g}, but {values['statistic']} lies between {least:g} and 1, and no "
            "confidence bound reaches its ends. Say a value inside that range"
        )
    refuse_lone_model_grade(values)


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the bounds of the statistic, or by the plain statistic."""
    least, level, name = float(values["at_least"]), level_of(case, values), values["statistic"]
    answer = case.agreement(values["human"], values["model"], name, least, relevant_grades(values), level)
    ruling = Ruling(
        NAME, title(values), "UNDECIDED", "", threshold=least, observed=answer.value, confidence=level, answer=answer,
        basis=values["basis"], unit=name,
    )  # fmt: skip
    what = f"{name} of the judge with people"
    if values["basis"] == "point":
        if answer.value is None:
            return _without(ruling, what, answer.reason if not isinstance(answer, Estimate) else "")
        status = decided(answer.value, answer.value, least, "higher")
        end = 'the plain statistic is compared (basis = "point"), so chance is not ruled out'
        verb = "meets" if status == "PASS" else "misses"
        reason = f"{what} is {number(answer.value)}, which {verb} {number(least)}; {end}."
        return replace(ruling, status=status, reason=reason)
    if not isinstance(answer, Estimate):
        return _without(ruling, what, answer.reason)
    status = decided(answer.low, answer.high, least, "higher")
    sure = f"one-sided {percent(level)}"
    seen = f"{what} is {number(answer.value)}"
    if status == "UNDECIDED":
        reason = f"{seen}; its {sure} bounds {number(answer.low)} and {number(answer.high)} lie on both sides of "
        reason += f"{number(least)}."
        decides = f"Human grades of more queries would decide it; the anchor has {answer.n:,}."
        return replace(ruling, reason=reason, decides=decides, p_fail=answer.p_value)
    side, verb, bound = ("lower", "meets", answer.low) if status == "PASS" else ("upper", "misses", answer.high)
    reason = f"{seen}; its {sure} {side} bound {number(bound)} {verb} {number(least)}."
    return replace(ruling, status=status, reason=reason, p_fail=answer.p_value)


def _without(ruling: Ruling, what: str, why: str) -> Ruling:
    decides = "Human grades of more queries would decide it."
    return replace(ruling, reason=f"{what} has no interval: {why}.", decides=decides)


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            Param("human", Path(), REQUIRED, "people's grades of an anchor set, as qrels"),
            Param("model", Path(), None, "the judge's grades, as qrels; the policy's own qrels when not said"),
            Param("at_least", Number(-1, 1), REQUIRED, "the agreement that is asked, such as 0.4"),
            Param("statistic", Choice(STATISTICS), "kappa", "Cohen's kappa, Krippendorff's alpha or the share"),
            Param("relevant", Whole(0), None, "people's least relevant grade: compare relevant or not"),
            Param("model_relevant", Whole(0), None, "the judge's least relevant grade, where its scale is another"),
            BASIS,
            CONFIDENCE,
        ),
        title=title,
        decide=decide,
        refuse=refuse,
        needs_rankings=lambda values: "" if values["model"] else "without model it takes the policy's judgments",
    ),
)
