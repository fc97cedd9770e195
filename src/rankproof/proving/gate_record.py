"""The case of a policy; what a manifest keeps of a gate, its rules and what they decided; the case made of it again.

The rules stand among the manifest's parameters, which its id covers: whoever changes a margin there changes the id. A
file that a rule names is one of the manifest's further inputs; its role stands in the value's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.kernel.documents import plain
from rankproof.kernel.manifest import ExperimentManifest, RulingResult
from rankproof.kernel.specs.tables import read_table
from rankproof.kernel.verdict import Ruling
from rankproof.measuring.identity import is_plain_file
from rankproof.proving.gate_case import GateCase
from rankproof.proving.manifest import MAPPING
from rankproof.proving.policy import STATISTICS, Clause, LedgerChoice, Policy, path_keys, read_clause
from rankproof.proving.score_choices import SCORES, ScoreChoices
from rankproof.proving.verdict import ruling_dict

# The key of a gate among a manifest's parameters.
GATE = "gate"


def gate_parameters(policy: Policy, attempt: int | None) -> dict[str, Any]:
    """The rules and statistics of a policy, as plain values. `attempt` is the one that spent error, None otherwise."""
    return {
        "rules": [_rule(clause, number) for number, clause in enumerate(policy.clauses, start=1)],
        **policy.statistics,
        "attempt": attempt,
    }


def made_before(policy: Policy) -> dict[str, Any]:
    """Where values come from that were made before, by its key among a manifest's parameters."""
    if policy.scores is None:
        return {"saved": {"saved": True}}
    return {"scores": {name: value for name, value in plain(policy.scores).items() if value}}


def rule_files(policy: Policy) -> dict[str, object]:
    """By role, the files that rules name."""
    return {
        _role(number, key): value
        for number, clause in enumerate(policy.clauses, start=1)
        for key, value in clause.values.items()
        if key in path_keys(clause.rule) and is_plain_file(value)
    }


def _rule(clause: Clause, number: int) -> dict[str, Any]:
    files = path_keys(clause.rule)
    values = {
        key: _role(number, key) if key in files and is_plain_file(value) else _plain(value)
        for key, value in clause.values.items()
        if value is not None and value != "" and value != {}
    }
    return {"rule": clause.rule, **({"title": clause.title} if clause.title else {}), **values}


def _plain(value: object) -> Any:
    return str(value) if isinstance(value, str) else plain(value)  # of a name its text alone


def _role(number: int, key: str) -> str:
    return f"rule {number} {key}"


def policy_again(
    parameters: Mapping[str, Any],
    inputs: Mapping[str, object],
    choices: Mapping[str, Any],
    scores: Mapping[str, Any] | None = None,
    saved: bool = False,
) -> tuple[Policy, int | None]:
    """The policy on record, and the attempt that spent error; `inputs` has paths by role, those of rules too."""
    try:
        by_values = scores is not None or saved
        clauses = []
        for number, entry in enumerate(parameters["rules"], start=1):
            files = {key: inputs[value] for key, value in entry.items() if value == _role(number, key)}
            clauses.append(read_clause({**entry, **files}, f"rule {number} of the manifest", by_values=by_values))
        attempt = parameters["attempt"]
        ledger = None if attempt is None else LedgerChoice("", spend_error=True)
        named: dict[str, Any] = {
            name: inputs.get(name) for name in ("qrels", "baseline", "candidate", "queries", "latency")
        }
        named["risks"] = "report"  # a manifest that says nothing of risks was decided without them
        named |= {name: parameters[name] for name in STATISTICS if name in parameters}
        if scores is not None:
            named["scores"] = ScoreChoices(**read_table(scores, SCORES, "scores of the manifest"))
        return Policy("", tuple(clauses), **named, choices=choices, saved=saved, ledger=ledger), attempt
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"The manifest's gate cannot be read: {error!r}. Write it anew.") from None


def case_of(policy: Policy, names: tuple[str, ...] | None = None) -> GateCase:
    """The case of a policy: of rankings, of tables of scores, or of evaluations that were made before.

    names   of candidate and baseline, where they are known already
    """
    if not policy.by_values:
        return GateCase(policy)
    if policy.scores is None:
        from rankproof.proving.values_case import EvaluationsCase

        return EvaluationsCase(policy, names)
    from rankproof.proving.scores_case import ScoresCase

    return ScoresCase(policy, names)


def case_again(
    manifest: ExperimentManifest,
    runs: Sequence[tuple[str, str | None]],
    qrels: str | None,
    further: Mapping[str, str | None],
) -> tuple[GateCase, int | None]:
    """The case of a manifest's gate, with the rules that it keeps, and the attempt that spent error.

    runs      the names on record and where they lie now, the baseline's first
    further   further files by role
    """
    inputs: dict[str, object] = {**further, "qrels": qrels, "candidate": runs[-1][1]}
    if len(runs) > 1:
        inputs["baseline"] = runs[0][1]
    parameters = manifest.parameters
    if manifest.qrels is None:
        made: dict[str, Any] = {"scores": parameters.get("scores"), "saved": "saved" in parameters}
        policy, attempt = policy_again(parameters[GATE], inputs, {}, **made)
        return case_of(policy, tuple(name for name, _ in reversed(runs))), attempt
    choices = {**parameters.get("settings", {}), **reading_again(manifest, further)}
    policy, attempt = policy_again(parameters[GATE], inputs, choices)
    return GateCase(policy), attempt


def reading_again(manifest: ExperimentManifest, further: Mapping[str, str | None]) -> dict[str, Any]:
    """How inputs were read; a mapping of chunks from where it lies now."""
    reading = dict(manifest.parameters.get("reading", {}))
    if (mapping := further.get(MAPPING)) is not None:
        reading["collapse"] = Path(mapping)  # a file, whatever its name ends in
    return reading


def ruling_results(rulings: Sequence[Ruling]) -> tuple[RulingResult, ...]:
    """What each rule decided, with the numbers that verifying computes again."""
    return tuple(_result(ruling_dict(ruling)) for ruling in rulings)


def _result(written: Mapping[str, Any]) -> RulingResult:
    """From a ruling as `verdict/1` writes it."""
    bounds = written["bounds"] or {}
    low, high = bounds.get("lower"), bounds.get("upper")
    return RulingResult(
        written["rule"], written["title"], written["status"], written["observed"], written["threshold"],
        low, high, written["confidence"], written["p_fail"],
    )  # fmt: skip


def results_in(document: Mapping[str, Any], source: str) -> tuple[str, tuple[RulingResult, ...]]:
    """The status and the rulings of a verdict that was saved as JSON."""
    try:
        return str(document["status"]), tuple(_result(ruling) for ruling in document["rulings"])
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{source}: the rulings of the verdict cannot be read. Write the file anew.") from None
