"""A ramp as JSON documents: one look, where it stands, and what a replay found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rankproof.cli._ramp_text import headline
from rankproof.flow.ramping.looking import Look
from rankproof.flow.ramping.replaying import Replayed
from rankproof.flow.ramping.stepping import standing
from rankproof.records.ramp import RampPolicy
from rankproof.records.ramp_entry import RampEntry


def look_document(policy: RampPolicy, found: Look) -> dict[str, Any]:
    """`ramp/1`: what to do now, with all that it rests on."""
    decision = found.entry.decision
    return {
        **_ramp(policy),
        "action": decision.action,
        "share": decision.share,
        "headline": headline(decision),
        "reasons": list(decision.reasons),
        "exit_status": decision.exit_status,
        "again": found.again,
        "over": standing([decision]).over,
        "entry": _entry(found.entry),
    }


def status_document(policy: RampPolicy, entries: Sequence[RampEntry]) -> dict[str, Any]:
    """`ramp-status/1`: where the ramp stands, with every entry."""
    at = standing([entry.decision for entry in entries])
    return {
        **_ramp(policy),
        "step": at.step,
        "share": at.share,
        "over": at.over,
        "entries": [entry.to_dict() for entry in entries],
    }


def replay_document(policy: RampPolicy, found: Sequence[Replayed]) -> dict[str, Any]:
    """`ramp-replay/1`: whether every decision came out the same."""
    return {
        **_ramp(policy),
        "same": all(entry.same for entry in found),
        "entries": [entry.to_dict() for entry in found],
    }


def _ramp(policy: RampPolicy) -> dict[str, Any]:
    return {
        "name": policy.name,
        "policy": policy.source,
        "state": policy.state,
        "steps": [asdict(step) for step in policy.steps],
        "false_alarm": policy.false_alarm,
    }


def _entry(entry: RampEntry) -> dict[str, Any]:
    """Without its time, which differs from one ramp to the next."""
    return {key: value for key, value in entry.to_dict().items() if key != "observed"}
