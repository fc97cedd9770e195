"""The state machine of a ramp: the next step from the rules, the decisions so far and the evidence now.

    gate -> first share -> ... -> last share -> committed
      \\         \\                    \\
       `---------`--------------------`-----> rolled back

It is a pure function: the same history and evidence give the same decision, today and when it is replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankproof.errors import UsageError
from rankproof.online.ramp.records import (
    ENDS,
    RampDecision,
    RampEvidence,
    RampPolicy,
    RampSignal,
    RampStep,
    StopRules,
    percent,
)


@dataclass(frozen=True, slots=True)
class RampPosition:
    """Where a ramp stands: its step (0: the gate), the share of traffic, and whether it is over."""

    step: int
    share: float
    over: bool


def standing(history: Sequence[RampDecision]) -> RampPosition:
    """Where the decisions so far have brought it."""
    if not history:
        return RampPosition(0, 0.0, False)
    last = history[-1]
    return RampPosition(last.step + (last.action == "ADVANCE"), last.share, last.action in ENDS)


def next_step(policy: RampPolicy, history: Sequence[RampDecision], evidence: RampEvidence) -> RampDecision:
    """The decision of one look. What stops goes before what advances."""
    at = standing(history)
    if at.over:
        raise UsageError("The ramp is over: there is nothing left to decide.")
    if at.step == 0:
        return _gate(policy, evidence)
    return _step(policy, at, policy.steps[at.step - 1], evidence)


# ---- the gate ------------------------------------------------------------------------------------


def _gate(policy: RampPolicy, evidence: RampEvidence) -> RampDecision:
    first = policy.steps[0].share
    if not policy.gate:
        return RampDecision("ADVANCE", 0, 0.0, first, ("No offline gate is asked for.",))
    if evidence.status == "PASS":
        return RampDecision("ADVANCE", 0, 0.0, first, (f"The offline gate passes: {_counted(evidence.signs)}.",))
    reasons = tuple(sign.summary for sign in evidence.signs if sign.status == evidence.status)
    if evidence.status == "FAIL":
        return RampDecision("STOP_AND_ROLL_BACK", 0, 0.0, 0.0, ("The offline gate fails.", *reasons))
    return RampDecision("HOLD", 0, 0.0, 0.0, ("The offline gate is undecided.", *reasons))


def _counted(signs: Sequence[RampSignal]) -> str:
    return "its one rule holds" if len(signs) == 1 else f"all {len(signs)} rules hold"


# ---- a share of traffic --------------------------------------------------------------------------


def _step(policy: RampPolicy, at: RampPosition, step: RampStep, evidence: RampEvidence) -> RampDecision:
    alarms = list(_alarms(policy, evidence))
    stopping = tuple(reason for stops, reason in alarms if stops)
    if stopping:
        return RampDecision("STOP_AND_ROLL_BACK", at.step, at.share, 0.0, stopping)
    holding = tuple(reason for _, reason in alarms)
    missing = (*holding, *_lacking(step, evidence), *_unproven(step, evidence))
    if not missing:
        return _onward(policy, at, step, evidence)
    if step.most_days is not None and evidence.days >= step.most_days:
        over = f"{_days(evidence.days)} at {percent(step.share)} are all that is allowed, and this is still missing:"
        return RampDecision("STOP_AND_ROLL_BACK", at.step, at.share, 0.0, (over, *missing))
    return RampDecision("HOLD", at.step, at.share, at.share, missing)


def _alarms(policy: RampPolicy, evidence: RampEvidence) -> Iterator[tuple[bool, str]]:
    """What is shown to be wrong, and whether it stops the ramp or only holds it."""
    for sign in evidence.signs:
        if sign.role == "sample_ratio" and sign.status == "FAIL":
            by_chance = not sign.worse and sign.ruling.get("rule", "sample_ratio") == "sample_ratio"
            caveat = "It may be chance, as one look of many; until it is clear: " if by_chance else ""
            yield sign.worse and policy.stops.sample_ratio == "stop", f"{caveat}{sign.summary}"
        elif sign.role in ("decision", "guardrail") and _is_harm(policy.stops, sign):
            reason = sign.summary if sign.status == "FAIL" else f"Shown to be worse: {sign.summary}"
            least = policy.stops.least_units
            few = evidence.fewest < least
            if few:
                reason = f"{evidence.fewest:,} of {least:,} units in a variant, too few to stop by: {reason}"
            yield not few and not (sign.role == "decision" and policy.stops.decision == "hold"), reason


def _is_harm(stops: StopRules, sign: RampSignal) -> bool:
    return sign.status == "FAIL" or (sign.worse and (stops.harm == "any" or not sign.tolerates))


def _lacking(step: RampStep, evidence: RampEvidence) -> Iterator[str]:
    if evidence.days < step.least_days:
        yield f"{evidence.days} of {_days(step.least_days)}."
    if evidence.units < step.least_units:
        yield f"{evidence.units:,} of {step.least_units:,} units."


def _unproven(step: RampStep, evidence: RampEvidence) -> Iterator[str]:
    """What the step asks to be shown and is not. What fails is an alarm, and stands among those."""
    if evidence.status is None:
        return
    open_ones = [sign for sign in evidence.signs if sign.status == "UNDECIDED" and _must_be_settled(step, sign)]
    yield from (
        f"Shown to be worse, and not yet whether within its margin: {sign.summary}"
        if sign.worse
        else f"Not shown yet: {sign.summary}"
        for sign in open_ones
    )
    if step.advance == "pass" and evidence.status != "PASS" and not open_ones:
        yield f"The trial's verdict is {evidence.status}."


def _must_be_settled(step: RampStep, sign: RampSignal) -> bool:
    """Whether the step is not left while this is open: what is shown to be worse must stay within its margin."""
    if sign.role == "watch":
        return False
    needed_roles = {"no_harm": (), "guardrails": ("guardrail",), "pass": ("guardrail", "decision", "sample_ratio")}
    return sign.worse or sign.role in needed_roles[step.advance]


def _onward(policy: RampPolicy, at: RampPosition, step: RampStep, evidence: RampEvidence) -> RampDecision:
    worse = any(sign.worse for sign in evidence.signs if sign.role != "watch")
    grounds = {
        "no_harm": "What is worse stays within its margin" if worse else "Nothing is shown to be worse",
        "guardrails": "Every guardrail is shown to hold",
        "pass": "The trial passes",
    }[step.advance]
    seen = f"{grounds} after {_days(evidence.days)} and {evidence.units:,} units at {percent(step.share)}."
    if at.step == len(policy.steps):
        return RampDecision("COMMIT", at.step, at.share, 1.0, (seen,))
    return RampDecision("ADVANCE", at.step, at.share, policy.steps[at.step].share, (seen,))


def _days(days: int) -> str:
    return "1 day" if days == 1 else f"{days} days"
