"""Gate: may the candidate ship? Every rule of a policy asked, and one verdict of all their rulings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rankproof import shelf
from rankproof.corrections._family import step_down
from rankproof.errors import Refused, UsageError
from rankproof.flow.case import GateCase
from rankproof.flow.gate_record import Grounds, grounds_of
from rankproof.flow.policy import read_policy
from rankproof.flow.power import queries_needed
from rankproof.records.policy import Clause, Policy
from rankproof.records.verdict import Ruling, Status, Verdict
from rankproof.records.words import p_phrase
from rankproof.rules._contract import POWER, Rule
from rankproof.rules._mean import ROUNDING, enough

# The rule that tells what is wrong with a run, for those that then cannot measure it.
CHECKS = "checks"


def gate(
    policy: Any,
    *,
    qrels: Any = None,
    baseline: Any = None,
    candidate: Any = None,
    topics: Any = None,
    queries: Any = None,
    latency: Any = None,
    confidence: float | None = None,
    significance: str | None = None,
    seed: int | None = None,
    detail: bool = True,
) -> Verdict:
    """May it ship? `gate("gate.toml", candidate="new.run").status` is PASS, FAIL or UNDECIDED.

    `policy` is a path, or a dict of the same shape: {"rule": [{"rule": "least_value", ...}]}. What is given beside it
    goes before what it says. The verdict's comparison and manifest are made when they are first read, from the same
    inputs; without `detail` it has neither, and holds no input.
    """
    read = read_policy(
        policy, qrels=qrels, baseline=baseline, candidate=candidate, topics=topics, queries=queries, latency=latency,
        confidence=confidence, significance=significance, seed=seed,
    )  # fmt: skip
    _refuse_one_sided(read)
    case = GateCase(read)
    rulings = [ruling for clause in read.clauses for ruling in _rulings(clause, case)]
    status, settled = settle(rulings)
    grounds = _grounds(case, detail)
    return Verdict(
        status=status,
        rulings=settled,
        policy=read.name or "gate",
        candidate=case.candidate,
        baseline=case.baseline,
        reasons=reasons(status, settled),
        notes=tuple(dict.fromkeys(note for ruling in settled if ruling.answer is not None for note in ruling.notes)),
        comparison=grounds.comparison,
        evaluation=grounds.evaluation,
        manifest={} if grounds.manifest is None else grounds.manifest,
        source=read.source,
        confidence=read.confidence,
        significance=read.significance,
        seed=read.seed,
    )


# ---- one rule ------------------------------------------------------------------------------------


def _refuse_one_sided(policy: Policy) -> None:
    """A rule that compares needs something to compare with: said before anything is measured."""
    if policy.baseline is not None:
        return
    for clause in policy.clauses:
        if shelf.find("rules", clause.rule).needs_baseline:
            raise UsageError(
                f'{clause.place} compares with a baseline, but the policy names none. Add baseline = "..." to its '
                "[policy] table, or give --baseline (in Python: baseline=)."
            )


def _rulings(clause: Clause, case: GateCase) -> Iterator[Ruling]:
    """The ruling on a clause; one for each segment where it names a column of the query file."""
    segment = clause.values.get("segment", "")
    if not segment or "=" in segment:
        yield _ruling(clause, case)
        return
    found = case.segments(segment)
    if not found:
        raise UsageError(f"{clause.place}: no judged query has a value in the column {segment!r}.")
    for name in found:
        title = f"{clause.title} on {name}" if clause.title else ""
        yield _ruling(replace(clause, values={**clause.values, "segment": name}, title=title), case)


def _ruling(clause: Clause, case: GateCase) -> Ruling:
    rule: Rule = shelf.find("rules", clause.rule)
    title = clause.title or rule.title(clause.values)
    try:
        return replace(rule.decide(case, clause.values), title=title)
    except Refused as error:
        if all(other.rule != CHECKS for other in case.policy.clauses):
            raise
        # The checks say what is wrong with the run; what cannot be measured is not decided.
        reason = f"Not measured: {error}"
        return Ruling(rule.name, title, "UNDECIDED", reason, decides="A run that passes the checks would decide it.")
    except UsageError as error:
        if str(error).startswith(clause.place) or not clause.place:
            raise
        raise UsageError(f"{clause.place}: {str(error).removesuffix('.')}.") from error


# ---- the verdict ---------------------------------------------------------------------------------


def settle(rulings: Sequence[Ruling]) -> tuple[Status, tuple[Ruling, ...]]:
    """The one place where a verdict is made of rulings.

    PASS when every rule passes: all must hold, so nothing has to be corrected. FAIL when a rule fails and still does
    after Holm's correction over the rules that rest on chance; facts have nothing to correct. UNDECIDED otherwise. A
    rule that fails alone but not after the correction becomes UNDECIDED and says so.
    """
    settled = _corrected(rulings)
    if all(ruling.status == "PASS" for ruling in settled):
        return "PASS", settled
    return ("FAIL" if any(ruling.status == "FAIL" for ruling in settled) else "UNDECIDED"), settled


def _corrected(rulings: Sequence[Ruling]) -> tuple[Ruling, ...]:
    chance = [i for i, ruling in enumerate(rulings) if ruling.p_fail is not None]
    adjusted = dict(zip(chance, step_down([rulings[i].p_fail or 0.0 for i in chance]), strict=True))
    return tuple(
        _weighed(replace(ruling, adjusted=adjusted[i]), len(chance)) if i in adjusted else ruling
        for i, ruling in enumerate(rulings)
    )


def _weighed(ruling: Ruling, rules: int) -> Ruling:
    """A failure that the correction does not keep becomes undecided. Alone, there is nothing to correct."""
    allowed = 1 - ruling.confidence
    if ruling.status != "FAIL" or rules == 1 or ruling.adjusted is None or ruling.adjusted < allowed - ROUNDING:
        return ruling
    assert ruling.p_fail is not None
    reason = (
        f"{ruling.reason} Alone it fails ({p_phrase(ruling.p_fail)}); after Holm's correction over the {rules} rules "
        f"that rest on chance it does not ({p_phrase(ruling.adjusted)})."
    )
    return replace(ruling, status="UNDECIDED", reason=reason, decides=_would_fail(ruling, rules))


def _would_fail(ruling: Ruling, rules: int) -> str:
    """What would make it fail after the correction too, at the strictest step of it."""
    if ruling.effect is None or ruling.answer is None:
        return "More queries, or for a latency more requests, would decide it."
    level = 1 - (1 - ruling.confidence) / rules
    needed = queries_needed(1.0, ruling.effect, level=level, power=POWER, alternative="greater")
    return "More queries would decide it." if needed is None else enough(needed, ruling.answer.n, "fail")


def reasons(status: Status, rulings: Sequence[Ruling]) -> tuple[str, ...]:
    """Why the verdict is what it is: the rules that made it so, each in a sentence."""
    if status == "PASS":
        return (f"Every rule passes ({len(rulings)}).",)
    return tuple(f"{ruling.title}: {ruling.reason}" for ruling in rulings if ruling.status == status)


# ---- what the verdict rests on -------------------------------------------------------------------


def _grounds(case: GateCase, detail: bool) -> Grounds:
    """What the verdict rests on; no comparison and no manifest without `detail`."""
    if not case.variants:
        return Grounds()
    try:
        evaluation = case.evaluations[0]
    except Refused:  # the checks have said why
        return Grounds()
    return grounds_of(case, evaluation) if detail else Grounds(evaluation)
