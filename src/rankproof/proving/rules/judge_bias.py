"""A judge must not favor the candidate: its error on the candidate's documents may not exceed that on the baseline's.

Where a policy's qrels are a model's, a candidate can win because the model likes it: it comes from the same family, or
its answers look like what the model was trained on. This rule looks at the pairs that people graded too. The judge's
error is its grade less people's; the bias is the error on the first `k` documents of the candidate less that on the
baseline's, among documents with the same human grade. With `groups`, a file of runs and their groups, it is the bias
of the runs of `group` against all others in the file. Passes when the one-sided upper bound is at most `at_most`, fails
when the lower bound is above it, and is undecided between. Bounds come from leaving out one query at a time.

A bias in the candidate's disfavor passes: it hides a gain, and lets no loss through.

decides by: one-sided bounds of the difference of the judge's error over queries
fails by: chance in at most 5 of 100 cases where the bias is truly small enough (at confidence 0.95)
source: Balog, Metzler and Qin, Rankers, judges, and assistants, SIGIR 2025

    [policy]
    qrels = "gpt.trec"

    [[rule]]
    rule = "judge_bias"
    human = "anchor.trec"
    at_most = 0.1

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of(biased=(0.02, -0.03, 0.07, 0.99))
>>> rule_on(case, "judge_bias", human="anchor.trec", at_most=0.1).reason
'the judge favors the candidate by 0.0200 grades; its one-sided 95% upper bound 0.0700 meets 0.1000.'
>>> rule_on(case, "judge_bias", human="anchor.trec", at_most=0.05).status
'UNDECIDED'
"""

from __future__ import annotations

from dataclasses import replace

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import number, percent
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param, Path, Text, Whole
from rankproof.kernel.verdict import Ruling
from rankproof.proving.mean_rule import decided
from rankproof.proving.rule_params import CONFIDENCE, level_of, refuse_lone_model_grade, relevant_grades
from rankproof.proving.rules.contract import Case, Rule, RuleValues

NAME = "judge_bias"


def title(values: RuleValues) -> str:
    """The requirement in a few words."""
    whom = f"the group {values['group']}" if values["group"] is not None else "the candidate"
    return f"judge favors {whom} by at most {values['at_most']:g} grades"


def refuse(values: RuleValues) -> None:
    """Refuses a group without its file, a file without a group, and one least relevant grade without the other."""
    if (values["groups"] is None) != (values["group"] is None):
        raise UsageError("groups and group belong together: the file of runs and groups, and the group to look at")
    refuse_lone_model_grade(values)


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the bounds of the bias."""
    most, level = float(values["at_most"]), level_of(case, values)
    group = None if values["groups"] is None else (values["groups"], values["group"])
    answer = case.judge_bias(values["human"], values["model"], group, values["k"], most, relevant_grades(values), level)
    ruling = Ruling(
        NAME, title(values), "UNDECIDED", "", threshold=most, observed=answer.value, confidence=level, answer=answer,
        better="lower", unit="grades",
    )  # fmt: skip
    whom = f"the group {values['group']}" if group is not None else "the candidate"
    if not isinstance(answer, Estimate):
        reason = f"how far the judge favors {whom} has no interval: {answer.reason}."
        return replace(ruling, reason=reason, decides="Human grades of more queries would decide it.")
    status = decided(answer.low, answer.high, most, "lower")
    seen, sure = f"the judge favors {whom} by {number(answer.value)} grades", f"one-sided {percent(level)}"
    if status == "UNDECIDED":
        reason = f"{seen}; its {sure} bounds {number(answer.low)} and {number(answer.high)} lie on both sides of "
        decides = f"Human grades of more queries would decide it; the anchor has {answer.n:,}."
        return replace(ruling, reason=f"{reason}{number(most)}.", decides=decides, p_fail=answer.p_value)
    side, verb, bound = ("upper", "meets", answer.high) if status == "PASS" else ("lower", "misses", answer.low)
    reason = f"{seen}; its {sure} {side} bound {number(bound)} {verb} {number(most)}."
    return replace(ruling, status=status, reason=reason, p_fail=answer.p_value)


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            Param("human", Path(), REQUIRED, "people's grades of an anchor set, as qrels"),
            Param("model", Path(), None, "the judge's grades, as qrels; the policy's own qrels when not said"),
            Param("at_most", Number(0), REQUIRED, "the bias that is allowed, in grades, such as 0.1"),
            Param("k", Whole(1), 10, "how many of each run's first documents are looked at"),
            Param("groups", Path(), None, "a file of runs (paths from its folder) and groups, a tab between"),
            Param("group", Text(), None, "the group that is held against the others of the file"),
            Param("relevant", Whole(0), None, "people's least relevant grade: compare relevant or not"),
            Param("model_relevant", Whole(0), None, "the judge's least relevant grade, where its scale is another"),
            CONFIDENCE,
        ),
        title=title,
        decide=decide,
        refuse=refuse,
        needs_rankings=lambda values: (
            "" if values["model"] and values["groups"] else "without model and groups it takes the judgments and runs"
        ),
    ),
)
