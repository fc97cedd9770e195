"""Ramps, signs and evidence to try the state machine with."""

from __future__ import annotations

from typing import Any

from rankproof.kernel.verdict import Status
from rankproof.online.ramp.records import RampDecision, RampEvidence, RampPolicy, RampSignal, RampStep, Role, StopRules

STEPS = (
    RampStep(0.01, least_days=2, least_units=1000),
    RampStep(0.05, least_days=2, least_units=5000, most_days=7, advance="guardrails"),
    RampStep(0.5, least_days=3, most_days=14, advance="pass"),
)


def policy(**said: Any) -> RampPolicy:
    """A ramp of three steps behind a gate."""
    return RampPolicy(
        **{
            "name": "new ranking",
            "trial": "trial.toml",
            "gate": "gate.toml",
            "days": "days",
            "state": "new.ramp.jsonl",
            "steps": STEPS,
            "stops": StopRules(),
            **said,
        }
    )


def sign(role: Role, status: Status, worse: bool = False, title: str = "", **more: Any) -> RampSignal:
    """A ruling with nothing in it but what decides."""
    ruling = {"title": title or role, "status": status, "reason": f"it is {status.lower()}.", **more}
    return RampSignal(role, ruling, worse)


def evidence(
    *signs: RampSignal, days: int = 2, units: int = 6000, fewest: int = 100, status: Status | None = None
) -> RampEvidence:
    """Signs after some days; the status is that of the gravest."""
    found = {sign.status for sign in signs}
    gravest = next((s for s in ("FAIL", "UNDECIDED", "PASS") if s in found), None)
    return RampEvidence(status or gravest, signs, days=days, units=units, fewest=fewest)


def at_step(step: int) -> list[RampDecision]:
    """The history of a ramp that has gone straight to a step."""
    shares = (0.0, 0.01, 0.05, 0.5)
    return [RampDecision("ADVANCE", i, shares[i], shares[i + 1], ("so far so good",)) for i in range(step)]
