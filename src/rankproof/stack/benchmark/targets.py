"""Targets: what modes must reach, written as rules of a policy are, and decided as the gate decides them.

[[target]]
rule = "least_value"
measure = "nDCG@10"
at_least = 0.4
modes = ["hybrid"]                     # every mode without it

[[target]]
rule = "latency"
percentile = 95
budget_ms = 200

A target is of one mode alone, and of all its queries: which other modes are run, or fail, decides nothing. Where the
mode failed on queries, values are decided by what the benchmark makes of them (`failed`). Times are those of the
latency pass; with requests that failed no budget is kept, since they have no time. A mode whose declared rerank is
broken misses its targets.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from rankproof.errors import UsageError
from rankproof.kernel.sections import Section, counted
from rankproof.kernel.specs.kinds import Texts
from rankproof.kernel.specs.tables import read_table
from rankproof.kernel.verdict import EXIT, Status
from rankproof.reading.records import Qrels
from rankproof.stack.benchmark.failed import FailedChoice, answered_only, failed_queries, left_in
from rankproof.stack.benchmark.failed import FailedQueries as Failed
from rankproof.stack.benchmark.times import Latency
from rankproof.stack.records import ModeOutcome

VALUE, TIME = "least_value", "latency"
RULES = (VALUE, TIME)


@dataclass(frozen=True, slots=True)
class Target:
    """One entry: `rule` as a policy has it, checked, and the modes that must keep it."""

    rule: Mapping[str, object]
    title: str
    modes: tuple[str, ...]

    @property
    def timed(self) -> bool:
        """Whether it is about times, which differ from run to run."""
        return self.rule["rule"] == TIME


@dataclass(frozen=True, slots=True)
class TargetResult:
    """What became of a target in one mode; `reason` has the numbers."""

    mode: str
    target: str
    status: Status
    reason: str
    about: Literal["values", "times"] = "values"

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return asdict(self)


def read_targets(entries: object, modes: Collection[str], place: str) -> tuple[Target, ...]:
    """The entries of [[target]]; UsageError for a rule that is no target, and for unknown modes."""
    if entries is None:
        return ()
    if not isinstance(entries, list | tuple):
        raise UsageError(f"{place}: targets are written as [[target]], with two brackets on each side.")
    return tuple(_read(entry, modes, f"{place}, target {at}") for at, entry in enumerate(entries, 1))


def _read(entry: object, modes: Collection[str], place: str) -> Target:
    from rankproof.errors import UnknownName
    from rankproof.kernel import shelf
    from rankproof.proving.policy import read_clause

    if not isinstance(entry, Mapping):
        raise UsageError(f"{place} must be a table of keys and values; got {entry!r:.80}.")
    rule = {key: value for key, value in entry.items() if key != "modes"}
    named = read_table({key: entry[key] for key in ("modes",) if key in entry}, {"modes": Texts()}, place)
    for mode in named.get("modes", ()):
        if mode not in modes:
            raise UnknownName(f"mode of {place}", mode, modes)
    if rule.get("rule") in shelf.everything("rules") and rule["rule"] not in RULES:
        raise UsageError(
            f"{place}: a target is about one mode alone: {' or '.join(RULES)}; got {rule['rule']!r}. Other rules "
            "stand in a policy: rankproof gate."
        )
    clause = read_clause(rule, place)
    if clause.values.get("segment"):
        raise UsageError(f"{place}: a target is over all queries. A policy has rules on segments: rankproof gate.")
    title = clause.title or shelf.find("rules", clause.rule).title(clause.values)
    return Target(rule, title, tuple(named.get("modes", ())) or tuple(modes))


def decide_targets(
    targets: Sequence[Target],
    outcomes: Mapping[str, ModeOutcome],
    qrels: Qrels,
    choice: FailedChoice,
    latencies: Mapping[str, Latency],
    broken: Collection[str],
    confidence: float,
) -> tuple[TargetResult, ...]:
    """Every target in every mode that must keep it and was run, mode by mode.

    qrels   of all queries that were asked, also of those that some mode failed on
    """
    results = []
    for mode, outcome in outcomes.items():
        own = [target for target in targets if mode in target.modes]
        if mode in broken:
            why = "The mode is BROKEN: it is not what it is declared to rerank."
            results += [_result(mode, target, "FAIL", why) for target in own]
            continue
        for target in own:
            if target.timed:
                results.append(_timed(mode, target, latencies[mode], confidence))
            else:
                results.append(_valued(mode, target, outcome, qrels, choice, confidence))
    return tuple(results)


def _valued(
    mode: str, target: Target, outcome: ModeOutcome, qrels: Qrels, choice: FailedChoice, confidence: float
) -> TargetResult:
    from rankproof.measuring.evaluate import measure_run
    from rankproof.measuring.names import parse
    from rankproof.measuring.prepare import join_run, prepare_qrels
    from rankproof.measuring.records import DEFAULT_SETTINGS

    lost = failed_queries(outcome)
    failed = Failed(choice, len(outcome.query_ids), {mode: lost}) if lost else None
    told = f" {failed.what[0].upper()}{failed.what[1:]}; {failed.treatment}." if failed is not None else ""
    if failed is not None and (failed.undecided or failed.compared == 0):
        return _result(mode, target, "UNDECIDED", told.strip())
    run = join_run(prepare_qrels(left_in(qrels, failed)), answered_only(outcome, failed).as_run(), name=mode)
    evaluation = measure_run(run, parse([str(target.rule["measure"])]), DEFAULT_SETTINGS)
    status, reason = _ruling(target, confidence, candidate=evaluation)
    return _result(mode, target, status, reason + told)


def _timed(mode: str, target: Target, latency: Latency, confidence: float) -> TargetResult:
    if not latency.by_query:
        return _result(mode, target, "UNDECIDED", f"There are no times: {latency.why}.")
    status, reason = _ruling(target, confidence, latency=list(latency.by_query.values()))
    lost = sum(latency.failures.values())
    if lost:
        reason += f" {counted(lost, 'request')} failed and {'has' if lost == 1 else 'have'} no time."
        status = "UNDECIDED" if status == "PASS" else status
    return _result(mode, target, status, reason)


def _ruling(target: Target, confidence: float, candidate: object = None, latency: object = None) -> tuple[Status, str]:
    """By the gate, as a policy of this one rule."""
    from rankproof.proving.gate import gate

    document = {"policy": {"confidence": confidence}, "rule": [dict(target.rule)]}
    verdict = gate(document, candidate=candidate, latency=latency, detail=False)
    (ruling,) = verdict.rulings
    return ruling.status, f"{ruling.reason} {ruling.decides}".strip()


def _result(mode: str, target: Target, status: Status, reason: str) -> TargetResult:
    return TargetResult(mode, target.title, status, reason, "times" if target.timed else "values")


WORST_FIRST: tuple[Status, ...] = ("FAIL", "UNDECIDED", "PASS")


def exit_status(results: Sequence[TargetResult]) -> int:
    """By the worst of them: 1 where one is missed, 3 where one is undecided."""
    found = {result.status for result in results}
    return next((EXIT[status] for status in WORST_FIRST if status in found), 0)


def unmet(results: Sequence[TargetResult], mode: str) -> str:
    """Which targets a mode does not reach, as a sentence; "" where it reaches all."""
    open_ = [f"{r.target}: {r.status}" for r in results if r.mode == mode and r.status != "PASS"]
    return f" But {mode} does not reach its targets ({'; '.join(open_)})." if open_ else ""


def targets_section(results: Sequence[TargetResult]) -> Section:
    """Every target of every mode, with the reason."""
    if not results:
        return Section("")
    rows = [("mode", "target", "result"), *((r.mode, r.target, r.status) for r in results)]
    lines = tuple(f"{r.mode}, {r.target}: {r.status}. {r.reason}" for r in results)
    return Section("Targets", lines, tuple(rows), 3)


def targets_summary(results: Sequence[TargetResult]) -> list[str]:
    """How many are reached, and which are not."""
    if not results:
        return []
    reached = sum(result.status == "PASS" for result in results)
    others = "; ".join(f"{r.mode}, {r.target}: {r.status}" for r in results if r.status != "PASS")
    return [f"Targets: {reached} of {len(results)} reached{f' ({others})' if others else ''}."]
