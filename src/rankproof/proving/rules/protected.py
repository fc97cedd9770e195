"""Protected queries must not drop: the ones that carry the business keep their value, each of them.

Named in the policy (`queries`) or in a file with one query id per line (`file`; `#` begins a comment). A fact about
these queries: it passes or fails, and is undecided only where ties or unjudged documents could turn it. A protected
query that is not judged is an error: nobody could say whether it dropped.

decides by: the change of each protected query

    [[rule]]
    rule = "protected"
    measure = "nDCG@10"
    queries = ["q01", "q02"]
    tolerance = 0.0

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of([1.0, 0.5], baseline=[1.0, 1.0])
>>> rule_on(case, "protected", measure="RR", queries=["q1"]).status
'PASS'
>>> rule_on(case, "protected", measure="RR", queries=["q1", "q2"]).reason
"1 of 2 protected queries drops in RR: 'q2' from 1.0000 to 0.5000."
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankproof.errors import UsageError
from rankproof.kernel.sections import UNDEFINED, number
from rankproof.kernel.specs.kinds import Number, Param, Path, Texts
from rankproof.kernel.verdict import Payer, Ruling
from rankproof.proving.mean_rule import ROUNDING, paying
from rankproof.proving.rule_params import MEASURE, refuse_idle_change, refuse_sideless
from rankproof.proving.rules._change import gains
from rankproof.proving.rules.contract import Case, Rule, RuleSample, RuleValues

NAME = "protected"


def refuse(values: RuleValues) -> None:
    """A measure with a better side; a tolerance that a query can go over; and the queries said once."""
    refuse_sideless(values)
    refuse_idle_change(values, "tolerance")
    if bool(values["queries"]) == bool(values["file"]):
        raise UsageError('say either queries = ["q1", ...] or file = "protected.txt"')


def title(values: RuleValues) -> str:
    """What is kept, in a few words."""
    which = f"{len(values['queries'])} protected" if values["queries"] else "protected"
    return f"{which} {'query keeps' if len(values['queries'] or ()) == 1 else 'queries keep'} {values['measure']}"


def decide(case: Case, values: RuleValues) -> Ruling:
    """By the change of each."""
    text, tolerance = values["measure"], float(values["tolerance"])
    queries = values["queries"] or case.lines(values["file"])
    sample = case.changes(text)
    known = {*sample.query_ids, *sample.lost, *sample.gained, *sample.without}
    unknown = [query for query in queries if query not in known]
    if unknown:
        raise UsageError(
            f"The protected {'query' if len(unknown) == 1 else 'queries'} {', '.join(map(repr, unknown[:5]))} "
            f"{'is' if len(unknown) == 1 else 'are'} not judged, so nobody can say whether it dropped. Judge it, or "
            "take it out."
        )
    dropped = _dropped(case, sample, queries, tolerance)
    ruling = Ruling(
        NAME, title(values), "FAIL" if dropped else "PASS", "", measure=text, threshold=tolerance, better="lower",
        observed=_greatest(sample, queries), notes=_undefined(sample, queries),
    )  # fmt: skip
    named = f"{len(queries)} protected {'query' if len(queries) == 1 else 'queries'}"
    within = f" by more than {number(tolerance)}" if tolerance else ""
    if not dropped:
        return replace(ruling, reason=f"None of {named} drops{within} in {text}.")
    first = dropped[0]
    now = UNDEFINED if first.value is None else number(first.value)
    was = UNDEFINED if first.before is None else number(first.before)
    reason = (
        f"{len(dropped)} of {named} {'drops' if len(dropped) == 1 else 'drop'}{within} in {text}: "
        f"{first.query_id!r} from {was} to {now}{', and more' if len(dropped) > 1 else ''}."
    )
    return paying(replace(ruling, reason=reason), dropped)


def _dropped(case: Case, sample: RuleSample, queries: tuple[str, ...], tolerance: float) -> tuple[Payer, ...]:
    """Those that lost more than the tolerance, worst first; one that lost its value lost all."""
    assert sample.before is not None
    at = {query: i for i, query in enumerate(sample.query_ids)}
    lost = [Payer(query, case.text(query), None, sample.lost[query]) for query in queries if query in sample.lost]
    change = gains(sample)
    fell = sorted(
        (i for i in (at[query] for query in queries if query in at) if change[i] < -tolerance - ROUNDING),
        key=lambda i: float(change[i]),
    )
    return (
        *lost,
        *(
            Payer(
                sample.query_ids[i], case.text(sample.query_ids[i]), float(sample.values[i]), float(sample.before[i]),
                float(sample.values[i] - sample.before[i]),
            )
            for i in fell
        ),
    )  # fmt: skip


def _greatest(sample: RuleSample, queries: tuple[str, ...]) -> float:
    """The greatest drop among the protected queries that have a value on both sides; 0 where none dropped."""
    kept = np.isin(np.array(sample.query_ids), np.array(queries))
    return max(0.0, float((-gains(sample)[kept]).max())) if kept.any() else 0.0


def _undefined(sample: RuleSample, queries: tuple[str, ...]) -> tuple[str, ...]:
    neither = [query for query in queries if query in sample.without]
    if not neither:
        return ()
    return (f"{sample.measure} is undefined before and after for {', '.join(neither[:5])}: nothing there can drop.",)


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            MEASURE,
            Param("queries", Texts(), None, "the ids of the queries"),
            Param("file", Path(), "", "a file with one query id per line, named from the policy's folder"),
            Param("tolerance", Number(0), 0.0, "how much a protected query may lose"),
        ),
        title=title,
        decide=decide,
        needs_baseline=True,
        refuse=refuse,
    ),
)
