"""What a manifest keeps of a gate: its rules with every value, and what they decided; and the policy read back from it.

The rules stand among the manifest's parameters, which its id covers: whoever changes a margin there changes the id. A
file that a rule names is one of the manifest's further inputs; its role stands in the value's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.kernel.documents import plain
from rankproof.kernel.manifest import RulingResult
from rankproof.kernel.verdict import Ruling
from rankproof.measuring.identity import is_plain_file
from rankproof.proving.policy import STATISTICS, Clause, LedgerChoice, Policy, path_keys, read_clause
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
        key: _role(number, key) if key in files and is_plain_file(value) else plain(value)
        for key, value in clause.values.items()
        if value is not None and value != "" and value != {}
    }
    return {"rule": clause.rule, **({"title": clause.title} if clause.title else {}), **values}


def _role(number: int, key: str) -> str:
    return f"rule {number} {key}"


def policy_again(
    parameters: Mapping[str, Any], inputs: Mapping[str, object], choices: Mapping[str, Any]
) -> tuple[Policy, int | None]:
    """The policy on record, and the attempt that spent error; `inputs` has paths by role, those of rules too."""
    try:
        clauses = []
        for number, entry in enumerate(parameters["rules"], start=1):
            files = {key: inputs[value] for key, value in entry.items() if value == _role(number, key)}
            clauses.append(read_clause({**entry, **files}, f"rule {number} of the manifest"))
        attempt = parameters["attempt"]
        ledger = None if attempt is None else LedgerChoice("", spend_error=True)
        named: dict[str, Any] = {
            name: inputs.get(name) for name in ("qrels", "baseline", "candidate", "queries", "latency")
        }
        named["risks"] = "report"  # a manifest that says nothing of risks was decided without them
        named |= {name: parameters[name] for name in STATISTICS if name in parameters}
        return Policy("", tuple(clauses), **named, choices=choices, ledger=ledger), attempt
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"The manifest's gate cannot be read: {error!r}. Write it anew.") from None


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
