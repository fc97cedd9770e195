"""No failed check: nothing that the checks find in the candidate's run, or in the baseline's, may be an error.

Runs the checks of `rankproof runs validate` with the policy's qrels, topics and cutoffs. Errors always fail it;
warnings do with `strict = true`. A run with an error is not measured: the rules that need values then say so instead
of giving one. The baseline is looked at too, where there is one: a baseline whose ids do not meet the judgments is
beaten by anything. Errors that `allow` names are no risk for the other rules either.

decides by: the findings of the checks

    [[rule]]
    rule = "checks"
    strict = false
    allow = ["shallow"]

>>> from rankproof.testing.ruling import case_of, rule_on
>>> rule_on(case_of(), "checks").reason
'No check finds an error; nothing is found at all.'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rankproof.kernel.specs.kinds import Flag, Param, Texts, Whole
from rankproof.kernel.verdict import Ruling
from rankproof.proving.rules.contract import Case, Rule, RuleValues
from rankproof.reading.finding import SEVERITIES, Finding

NAME = "checks"
# How many findings the notes of a ruling list.
MOST_NOTES = 5


def title(values: RuleValues) -> str:
    """The finding that is not allowed, in a few words."""
    return "no check finds an error or a warning" if values["strict"] else "no check finds an error"


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the findings of the checks."""
    all_findings = case.findings(values["allow"] or (), values["max_depth"], values["strict"])
    errors = [finding for finding in all_findings if finding.severity == "error"]
    notes = tuple(f"{finding} [{finding.code}]" for finding in (errors or all_findings)[:MOST_NOTES])
    codes = ", ".join(dict.fromkeys(finding.code for finding in errors))
    reason = f"No check finds an error; {_counted(all_findings) or 'nothing is found at all'}."
    if errors:
        reason = f"{_counted(errors)} ({codes}). {errors[0].place}: {errors[0].message}"
    return Ruling(
        NAME, title(values), "FAIL" if errors else "PASS", reason, threshold=0.0, better="lower", unit="errors",
        observed=float(sum(1 + finding.further for finding in errors)), notes=notes,
        queries=tuple(dict.fromkeys(finding.query_id for finding in errors if finding.query_id is not None)),
    )  # fmt: skip


def _counted(findings: Sequence[Finding]) -> str:
    totals: Counter[str] = Counter()
    for finding in findings:
        totals[finding.severity] += 1 + finding.further
    return ", ".join(f"{totals[s]:,} {s if totals[s] == 1 else s + 's'}" for s in SEVERITIES if totals[s])


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            Param("strict", Flag(), False, "whether warnings count as errors"),
            Param("allow", Texts(), None, "codes of checks that are reported as notes"),
            Param("max_depth", Whole(1), None, "documents a query may have; 100, or the deepest cutoff, when not said"),
        ),
        title=title,
        decide=decide,
        needs_rankings=lambda values: "it checks the documents of runs",
    ),
)
