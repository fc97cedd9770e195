"""RampPolicy and RampEntry: the steps of a ramp, and one recorded decision, sealed to those before it.

The seal is the SHA-256 of the entry without its `observed`, and names the seal of the entry before. So an entry that
was changed, dropped or put in later is noticed, and two ramps that saw the same evidence have the same entries but for
the times.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, get_args

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sealed_lines import SealedEntry
from rankproof.kernel.sections import counted
from rankproof.kernel.verdict import Status

# What a step asks for before it is left for the next one, beside its days and units:
#   no_harm      nothing is shown to be worse
#   guardrails   every guardrail is shown to hold
#   pass         the trial's whole verdict is PASS
Advance = Literal["no_harm", "guardrails", "pass"]
# When harm to a metric stops the ramp: shown to be beyond the margin it was given, or shown at all.
Harm = Literal["margin", "any"]
Stop = Literal["stop", "hold"]
# How a step with planned days is looked at: by the limits of planned looks, or by the trial's always-valid method.
Looks = Literal["pocock", "obrien_fleming", "any_time"]
# As for the sample ratio of any trial; less where that would leave too little for the metrics.
RATIO_ALARM = 0.001


@dataclass(frozen=True, slots=True)
class RampStep:
    """One share of traffic and what it takes to leave it.

    share         of units that get the change, above 0 and below 1: all traffic is what a ramp ends with
    least_days    days of evidence at this share before it may be left
    least_units   units of all variants together, at this share
    most_days     days after which the ramp stops where the step was not left; None: it holds on
    """

    share: float
    least_days: int = 1
    least_units: int = 0
    most_days: int | None = None
    advance: Advance = "no_harm"

    def __post_init__(self) -> None:
        if self.most_days is not None and self.most_days < self.least_days:
            raise UsageError(
                f"The step at {percent(self.share)} asks for {counted(self.least_days, 'day')} at least and allows "
                f"{self.most_days} at most. Raise most_days, or lower least_days."
            )


@dataclass(frozen=True, slots=True)
class StopRules:
    """What stops the ramp and rolls it back; "hold" leaves it to a person and keeps the share as it is.

    harm           "margin": a metric may be worse by the margin that the design gives it; "any": not at all
    decision       what follows when a metric that decides is shown to miss its goal, or to be worse
    sample_ratio   what follows when units did not come in the planned shares
    least_units    in each variant, before a metric may stop the ramp: always-valid bounds hold for many units; with
                   fewer, what looks worse holds it
    """

    harm: Harm = "margin"
    decision: Stop = "stop"
    sample_ratio: Stop = "stop"
    least_units: int = 100


@dataclass(frozen=True, slots=True, eq=False)
class RampPolicy:
    """A ramp with every choice made. Paths are as they are opened from here.

    trial         the file of the trial's design
    gate          the file of the offline gate's policy; "" where the ramp begins with its first step
    days          the folder that day files are put into
    state         the file that keeps every decision
    false_alarm   how probable a roll-back of a harmless change may be, over all steps and looks together
    looks         at a step with `most_days`: planned ones, one after each day, or the trial's method at any time
    rules         the documents of policy, design and gate as they were read: a ramp keeps the rules it began with
    """

    name: str
    trial: str
    gate: str
    days: str
    state: str
    steps: tuple[RampStep, ...]
    stops: StopRules = StopRules()
    false_alarm: float = 0.05
    looks: Looks = "pocock"
    source: str = ""
    rules: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.steps:
            raise UsageError("A ramp has one step or more.")
        shares = [step.share for step in self.steps]
        if any(not (math.isfinite(share) and 0 < share < 1) for share in shares):
            raise UsageError(
                f"Shares of steps must lie above 0 and below 1; got {_listed(shares)}. All traffic comes after the "
                "last step."
            )
        if any(later <= sooner for sooner, later in pairwise(shares)):
            raise UsageError(f"Each step must have a greater share than the one before it; got {_listed(shares)}.")

    @property
    def planned_days(self) -> tuple[int | None, ...]:
        """Of each step: how many days are planned, where it is looked at by planned looks."""
        return tuple(None if self.looks == "any_time" else step.most_days for step in self.steps)

    @property
    def ratio_alarm(self) -> float:
        """How probable it may be, at all looks of one step together, that data look wrong and are not."""
        return min(RATIO_ALARM, self.false_alarm / len(self.steps) / 10)

    @property
    def data_alarm(self) -> float:
        """The same of one of the three tests: of all units, of every day and part, and of covariates from before."""
        return self.ratio_alarm / 3

    @property
    def confidence(self) -> float:
        """Of what metrics decide within one step: the allowed false alarm is split evenly over the steps.

        Within a step the method is valid at all looks together. A harmless change is rolled back when any of the steps
        raises a false alarm, by a metric or by its data, and the probabilities of that add up to `false_alarm` at
        most (Bonferroni).
        """
        return 1 - (self.false_alarm / len(self.steps) - self.ratio_alarm)


def percent(share: float) -> str:
    """A share of traffic as text.

    >>> percent(0.05), percent(0.025), percent(1.0)
    ('5%', '2.5%', '100%')
    """
    return f"{share * 100:.10g}%"


def _listed(shares: list[float]) -> str:
    return ", ".join(map(percent, shares))


# The version of the record; it changes when a field changes its meaning or goes.
VERSION = 1
Action = Literal["HOLD", "ADVANCE", "STOP_AND_ROLL_BACK", "COMMIT"]
# The exit status that says the same to a script.
EXIT: Mapping[Action, int] = {"ADVANCE": 0, "COMMIT": 0, "STOP_AND_ROLL_BACK": 1, "HOLD": 3}
ENDS: tuple[Action, ...] = ("STOP_AND_ROLL_BACK", "COMMIT")
Role = Literal["gate", "sample_ratio", "decision", "guardrail", "watch"]


@dataclass(frozen=True, slots=True)
class RampSignal:
    """One ruling of a verdict, and its meaning for a ramp.

    ruling   as `verdict/1` writes it, with all its numbers
    worse    whether the change is significantly worse at all, margin or not; of the sample ratio: whether it is
             significantly wrong over all looks together, and not only at this one
    """

    role: Role
    ruling: Mapping[str, Any]
    worse: bool = False

    @property
    def status(self) -> Status:
        """By this ruling, after correction."""
        status: Status = self.ruling["status"]
        return status

    @property
    def tolerates(self) -> bool:
        """Whether it allows for some harm: its threshold lies on the worse side of no effect."""
        threshold = self.ruling.get("threshold") or 0.0
        return bool(threshold > 0 if self.ruling.get("better") == "lower" else threshold < 0)

    @property
    def summary(self) -> str:
        """Its title and its reason, in one line."""
        return f"{self.ruling['title']}: {self.ruling['reason']}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"role": self.role, "worse": self.worse, "ruling": dict(self.ruling)}


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file that was there at a look: its name, its bytes, and the step whose share it carries (0: the gate's).

    late   came after that step had been left: it is on record, and nothing was decided by it
    """

    name: str
    sha256: str
    step: int
    late: bool = False

    def is_of(self, step: int) -> bool:
        """Whether a decision at the step rests on it."""
        return self.step == step and not self.late

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"name": self.name, "sha256": self.sha256, "step": self.step, "late": self.late}


@dataclass(frozen=True, slots=True)
class RampEvidence:
    """What one look saw.

    status       of the verdict; None where there was nothing to judge yet
    days, units  at the step the ramp stands at
    fewest       units in the variant that has fewest
    confidence   of what metrics decide at this step
    files        every file that was there, of earlier steps too
    """

    status: Status | None
    signs: tuple[RampSignal, ...] = ()
    days: int = 0
    units: int = 0
    fewest: int = 0
    confidence: float | None = None
    files: tuple[SeenFile, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "status": self.status,
            "days": self.days,
            "units": self.units,
            "fewest": self.fewest,
            "confidence": self.confidence,
            "signs": [sign.to_dict() for sign in self.signs],
            "files": [file.to_dict() for file in self.files],
        }


@dataclass(frozen=True, slots=True)
class RampDecision:
    """What to do now, and why.

    step     where the ramp stood: 0 is the gate, 1 the first share
    before   the share of traffic until now
    share    the share of traffic from now on
    """

    action: Action
    step: int
    before: float
    share: float
    reasons: tuple[str, ...]

    @property
    def exit_status(self) -> int:
        """0 to go on, 3 to hold, 1 to stop."""
        return EXIT[self.action]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "action": self.action,
            "step": self.step,
            "before": self.before,
            "share": self.share,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True)
class RampEntry(SealedEntry):
    """One line of the state file.

    n        counts from 1
    before   the seal of the entry before; "" for the first
    rules    the fingerprint of the rules that the ramp began with
    """

    n: int
    before: str
    rules: str
    evidence: RampEvidence
    decision: RampDecision
    observed: Mapping[str, object] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, object]:
        """All that the seal covers."""
        return {
            "ramp": VERSION,
            "n": self.n,
            "before": self.before,
            "rules": self.rules,
            "decision": self.decision.to_dict(),
            "evidence": self.evidence.to_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Any, place: str) -> RampEntry:
        """What `to_dict` gave; refused where a seal does not fit."""
        try:
            entry = _entry(stored)
        except (KeyError, TypeError, AttributeError):
            raise InputError(f"{place}: this is not an entry of a ramp. Check that it is the right file.") from None
        if entry.decision.action not in get_args(Action) or stored.get("seal") != entry.seal:
            raise InputError(
                f"{place}: the entry is not what was written: its seal does not fit. Bring the file back from a copy; "
                "a ramp goes on from nothing but its own record."
            )
        return entry


def _entry(stored: Any) -> RampEntry:
    evidence, decision = stored["evidence"], stored["decision"]
    return RampEntry(
        stored["n"],
        stored["before"],
        stored["rules"],
        RampEvidence(
            evidence["status"],
            tuple(RampSignal(sign["role"], sign["ruling"], sign["worse"]) for sign in evidence["signs"]),
            evidence["days"],
            evidence["units"],
            evidence["fewest"],
            evidence["confidence"],
            tuple(SeenFile(f["name"], f["sha256"], f["step"], f["late"]) for f in evidence["files"]),
        ),
        RampDecision(
            decision["action"], decision["step"], decision["before"], decision["share"], tuple(decision["reasons"])
        ),
        stored.get("observed", {}),
    )
