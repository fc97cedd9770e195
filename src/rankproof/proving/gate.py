"""Gate: every rule of a policy decided, one verdict from their rulings, and its manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankproof.errors import Refused, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.later import Later
from rankproof.kernel.verdict import Ruling, Status
from rankproof.measuring.records import Evaluation
from rankproof.proving.gate_case import GateCase
from rankproof.proving.gate_record import case_of, gate_parameters, made_before, rule_files, ruling_results
from rankproof.proving.ledger import Attempt, Ledger, spent_clauses, spent_confidence, tried_in
from rankproof.proving.policy import Clause, Policy, read_policy, rests_on_bounds
from rankproof.proving.records import Design
from rankproof.proving.risks import RiskFinder, run_warnings
from rankproof.proving.rules.contract import Rule
from rankproof.proving.settle import reasons, settle
from rankproof.proving.values_case import ValuesCase
from rankproof.proving.verdict import Verdict

if TYPE_CHECKING:
    from rankproof.kernel.manifest import ExperimentManifest
    from rankproof.proving.records import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What the rules of a policy decided; `attempt` where a ledger counts."""

    status: Status
    rulings: tuple[Ruling, ...]
    attempt: Attempt | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Grounds:
    """The candidate's evaluation, its comparison with the baseline and their manifest, as far as they exist."""

    evaluation: Evaluation | None = None
    comparison: Later[Comparison | None] | None = None
    manifest: Later[Mapping[str, object]] | None = None


def grounds_of(case: GateCase, evaluation: Evaluation, decided: Decided) -> Grounds:
    """The details behind the verdict on a case, where something was measured."""
    policy = case.policy
    design = Design(
        significance=policy.significance, confidence=policy.confidence, resamples=policy.resamples, seed=policy.seed,
        weights=policy.weights, strata=policy.strata, clusters=policy.clusters,
    )  # fmt: skip
    named = (clause.values.get("segment", "") for clause in policy.clauses)
    by = tuple(dict.fromkeys(segment.partition("=")[0] for segment in named if segment))
    comparison = Later(lambda: None if case.baseline is None else _comparison(case, design, by))

    def manifest() -> Mapping[str, object]:
        record = on_record(case, evaluation, comparison(), design, by, decided)
        return {} if record is None else {k: v for k, v in record.to_dict().items() if k != "observed"}

    return Grounds(evaluation, comparison, Later(manifest))


def _comparison(case: GateCase, design: Design, by: tuple[str, ...]) -> Comparison:
    """The comparison of both runs in the measures of the policy, for reports that show more than the verdict."""
    if isinstance(case, ValuesCase):
        comparison = case.compared(design, by)
        texts = {unit: case.text(unit) for unit in comparison.query_ids if case.text(unit)}
        return replace(comparison, topics=texts)
    from rankproof.proving.compare import compare_runs

    candidate, baseline = case.runs
    named = {case.names[1]: baseline, case.names[0]: candidate}
    return compare_runs(
        named, case.variants, case.settings, design, topics=case.topics, queries=case.policy.queries, by=by,
        rankings=True,
    )  # fmt: skip


def on_record(
    case: GateCase,
    evaluation: Evaluation | None,
    comparison: Comparison | None,
    design: Design,
    by: tuple[str, ...],
    decided: Decided,
) -> ExperimentManifest | None:
    """The manifest of the comparison, or of the candidate alone; None where nothing was measured."""
    if evaluation is None:
        return None
    from rankproof.proving.manifest import READING, Given, manifest_of

    policy = case.policy
    attempt = decided.attempt
    others: dict[str, object] = {"topics": policy.topics, "latency": policy.latency, "policy": policy.source}
    others |= rule_files(policy)
    shared: dict[str, Any] = {
        "reading": {name: value for name, value in policy.choices.items() if name in READING},
        "others": {role: source for role, source in others.items() if isinstance(source, str) and source},
        "name": policy.name,
        "gate": gate_parameters(policy, attempt.number if attempt is not None and attempt.spend_error else None),
        "verdict": decided.status,
        "rulings": ruling_results(decided.rulings),
    }
    qrels, given = None, []
    if isinstance(case, ValuesCase):
        shared["made_before"], given = made_before(policy), list(case.given)
    else:
        qrels = Given(policy.qrels, case.qrels)
        given = [Given(policy.candidate, case.runs[0])]
        given += [Given(policy.baseline, case.runs[1])] if comparison is not None else []
    if comparison is None:
        shared["others"] |= {"queries": policy.queries} if isinstance(policy.queries, str) else {}
        return manifest_of([evaluation], qrels, given[:1], **shared)
    return manifest_of(comparison, qrels, given[::-1], design=design, queries=policy.queries, by=by, **shared)


# The rule that reports what is wrong with a run, for rules that then cannot measure it.
CHECKS = "checks"


def gate(
    policy: object,
    *,
    qrels: object = None,
    baseline: object = None,
    candidate: object = None,
    topics: object = None,
    queries: object = None,
    latency: object = None,
    confidence: float | None = None,
    significance: str | None = None,
    seed: int | None = None,
    scores: Mapping[str, object] | None = None,
    saved: bool = False,
    detail: bool = True,
) -> Verdict:
    """May it ship? `gate("gate.toml", candidate="new.run").status` is PASS, FAIL or UNDECIDED.

    `policy` is a path, or a dict of the same shape: {"rule": [{"rule": "least_value", ...}]}. What is given beside it
    goes before what it says. With `scores`, the keys of a policy's [scores] table ({} for none), baseline and
    candidate are tables as `compare_scores` takes them, and the measures of rules are their columns. Evaluations, such
    as those of spans and tasks, are gated as they are; with `saved`, baseline and candidate are kept reports of them.
    The verdict's comparison and manifest are made when they are first read, from the same inputs; without `detail` it
    has neither, and holds no input.
    """
    read = read_policy(
        policy, qrels=qrels, baseline=baseline, candidate=candidate, topics=topics, queries=queries, latency=latency,
        confidence=confidence, significance=significance, seed=seed, scores=scores, saved=saved or None,
    )  # fmt: skip
    case = case_of(read)
    read = case.policy
    _refuse_one_sided(case)
    decided = _counted(case) if read.ledger is not None else decide_rules(case, read.clauses)
    status, settled, attempt = decided.status, decided.rulings, decided.attempt
    grounds = _grounds(case, detail, decided)
    warnings, notes = ([], []) if grounds.evaluation is None else run_warnings(case, settled)
    return Verdict(
        status=status,
        rulings=settled,
        policy=read.name or "gate",
        candidate=case.candidate,
        baseline=case.baseline,
        reasons=reasons(status, settled),
        notes=(*_drawn(case), *_notes(decided, read), *notes),
        warnings=(*_reported(decided), *warnings),
        comparison=grounds.comparison,
        evaluation=grounds.evaluation,
        manifest={} if grounds.manifest is None else grounds.manifest,
        source=read.source,
        confidence=case.level,
        significance=read.significance,
        seed=read.seed,
        ledger=attempt,
    )


def _drawn(case: GateCase) -> tuple[str, ...]:
    """How the judged queries were drawn, where the policy says it."""
    sampling = case.sampling(case.query_ids) if case.measures else None
    return () if sampling is None else (f"queries: {sampling}",)


def _notes(decided: Decided, policy: Policy) -> tuple[str, ...]:
    """What the reader should know beside the rulings."""
    # What passes has no section of its own.
    told = (r for r in decided.rulings if r.answer is not None or (r.measure and r.status == "PASS"))
    notes = [note for ruling in told for note in ruling.notes]
    if policy.ledger is not None and decided.attempt is None:
        notes.append(f"not counted in {policy.ledger.path}: the run was refused, so nothing was measured")
    return tuple(dict.fromkeys(notes))


def _reported(decided: Decided) -> tuple[str, ...]:
    """Risks that a reader does not find in the reason of a rule."""
    told = ((ruling, risk) for ruling in decided.rulings for risk in ruling.risks if risk not in ruling.reason)
    return tuple(f"{ruling.title}: {risk}" for ruling, risk in told)


# ---- deciding, counted by a ledger or not ----------------------------------------------------------


def decide_rules(case: GateCase, clauses: Sequence[Clause]) -> Decided:
    """The verdict on a case by rules with every confidence set."""
    finder = RiskFinder(case)
    return Decided(*settle([ruling for clause in clauses for ruling in _rulings(clause, case, finder)]))


def decide_spending(case: GateCase, attempt: int) -> Decided:
    """The verdict on an attempt that spends error: every bound has the confidence of the attempt."""
    case.level = spent_confidence(case.policy.confidence, attempt)
    clauses = spent_clauses(case.policy.clauses, attempt)
    finder = RiskFinder(case)
    rulings = [_tested(clause, ruling) for clause in clauses for ruling in _rulings(clause, case, finder)]
    return Decided(*settle(rulings))


def _tested(clause: Clause, ruling: Ruling) -> Ruling:
    """What passes without a test although its rule asks for one is undecided: no error was spent on it.

    Where no query changed, these queries say nothing of those that were not asked, and a promise over all attempts
    cannot rest on them.
    """
    if ruling.status != "PASS" or ruling.basis != "fact" or not rests_on_bounds(clause):
        return ruling
    reason = f"{ruling.reason} There is no bound to spend error on (spend_error), so it is not decided."
    decides = "Queries on which the candidate differs would decide it."
    return replace(ruling, status="UNDECIDED", reason=reason, decides=decides)


def _counted(case: GateCase) -> Decided:
    """The verdict on an attempt, on record before anybody is told; other gates wait meanwhile."""
    choice = case.policy.ledger
    assert choice is not None
    try:
        tried = tried_in(case)
    except Refused:
        if all(clause.rule != CHECKS for clause in case.policy.clauses):
            raise
        return decide_rules(case, case.policy.clauses)  # the run was not measured, so nothing was tried
    with Ledger(choice.path) as ledger:
        attempt = ledger.attempt(tried, case.policy)
        spends = choice.spend_error
        decided = decide_spending(case, attempt.number) if spends else decide_rules(case, case.policy.clauses)
        names = {"policy": case.policy.name or "gate", "candidate": case.candidate, "baseline": case.baseline or ""}
        return replace(decided, attempt=ledger.keep(attempt, tried, decided.status, names))


# ---- one rule ------------------------------------------------------------------------------------


def _refuse_one_sided(case: GateCase) -> None:
    """Refuses a rule that compares when there is no baseline, before anything is measured."""
    if case.baseline is not None:
        return
    for clause in case.policy.clauses:
        if shelf.find("rules", clause.rule).needs_baseline:
            raise UsageError(
                f'{clause.place} compares with a baseline, but the policy names none. Add baseline = "..." to its '
                "[policy] table, or give --baseline (in Python: baseline=)."
            )


def _rulings(clause: Clause, case: GateCase, finder: RiskFinder) -> Iterator[Ruling]:
    """The ruling on a clause; one for each segment where it names a column of the query file."""
    segment = clause.values.get("segment", "")
    if not segment or "=" in segment:
        yield _ruling(clause, case, finder)
        return
    members = case.segments(segment)
    if not members:
        raise UsageError(f"{clause.place}: no judged query has a value in the column {segment!r}.")
    for name in members:
        title = f"{clause.title} on {name}" if clause.title else ""
        yield _ruling(replace(clause, values={**clause.values, "segment": name}, title=title), case, finder)


def _ruling(clause: Clause, case: GateCase, finder: RiskFinder) -> Ruling:
    rule: Rule = shelf.find("rules", clause.rule)
    title = clause.title or rule.title(clause.values)
    try:
        ruling = finder.weighed(rule, clause.values, rule.decide(case, clause.values))
        return replace(ruling, title=title)
    except Refused as error:
        if all(other.rule != CHECKS for other in case.policy.clauses):
            raise
        # The checks say what is wrong with the run; what cannot be measured is not decided.
        reason = f"Not measured: {error}"
        return Ruling(rule.name, title, "UNDECIDED", reason, decides="A run that passes the checks would decide it.")
    except UsageError as error:
        if str(error).startswith(clause.place) or not clause.place:
            raise
        end = "" if str(error).endswith((".", "?", "!")) else "."
        raise UsageError(f"{clause.place}: {error}{end}") from error


# ---- the details behind the verdict ---------------------------------------------------------------


def _grounds(case: GateCase, detail: bool, decided: Decided) -> Grounds:
    """The details behind the verdict; no comparison and no manifest without `detail`."""
    if not case.measures:
        return Grounds()
    try:
        evaluation = case.evaluations[0]
    except Refused:  # the ruling of the checks says why
        return Grounds()
    return grounds_of(case, evaluation, decided) if detail else Grounds(evaluation)
