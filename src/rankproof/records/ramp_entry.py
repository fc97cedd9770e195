"""RampEntry: one look of a ramp on record: what was seen, what was decided, and a seal that chains it to those before.

The seal is the SHA-256 of the entry without its `observed`, and names the seal of the entry before. So an entry that
was changed, dropped or put in later is noticed, and two ramps that saw the same evidence have the same entries but for
the times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, get_args

from rankproof.errors import InputError
from rankproof.records.jsontext import to_json
from rankproof.records.verdict import Status

# The version of the record; it changes when a field changes its meaning or goes.
VERSION = 1
Action = Literal["HOLD", "ADVANCE", "STOP_AND_ROLL_BACK", "COMMIT"]
# The exit status that says the same to a script.
EXIT: Mapping[Action, int] = {"ADVANCE": 0, "COMMIT": 0, "STOP_AND_ROLL_BACK": 1, "HOLD": 3}
ENDS: tuple[Action, ...] = ("STOP_AND_ROLL_BACK", "COMMIT")
Role = Literal["gate", "sample_ratio", "decision", "guardrail", "watch"]


@dataclass(frozen=True, slots=True)
class Sign:
    """One ruling of a verdict, and what it means to a ramp.

    ruling   as `verdict/1` writes it, with all its numbers
    worse    whether the change is shown to be worse at all, margin or not; of the sample ratio: whether it is shown to
             be wrong at all looks together, and not only at this one
    """

    role: Role
    ruling: Mapping[str, Any]
    worse: bool = False

    @property
    def status(self) -> Status:
        """By this ruling, after correction."""
        found: Status = self.ruling["status"]
        return found

    @property
    def tolerates(self) -> bool:
        """Whether it allows for some harm: its threshold lies on the worse side of no effect."""
        threshold = self.ruling.get("threshold") or 0.0
        return bool(threshold > 0 if self.ruling.get("better") == "lower" else threshold < 0)

    @property
    def said(self) -> str:
        """Its title and its reason, in one line."""
        return f"{self.ruling['title']}: {self.ruling['reason']}"

    def to_dict(self) -> dict[str, Any]:
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

    def to_dict(self) -> dict[str, Any]:
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
    signs: tuple[Sign, ...] = ()
    days: int = 0
    units: int = 0
    fewest: int = 0
    confidence: float | None = None
    files: tuple[SeenFile, ...] = ()

    def to_dict(self) -> dict[str, Any]:
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

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "action": self.action,
            "step": self.step,
            "before": self.before,
            "share": self.share,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True)
class RampEntry:
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
    observed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        """All that the seal covers."""
        return {
            "ramp": VERSION,
            "n": self.n,
            "before": self.before,
            "rules": self.rules,
            "decision": self.decision.to_dict(),
            "evidence": self.evidence.to_dict(),
        }

    @property
    def seal(self) -> str:
        """Of the body."""
        return sha256(to_json(self.body).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self.body, "seal": self.seal, "observed": dict(self.observed)}

    @classmethod
    def from_dict(cls, stored: Any, place: str) -> RampEntry:
        """What `to_dict` gave; refused where a seal does not fit."""
        try:
            entry = _entry(stored)
        except (KeyError, TypeError, AttributeError):
            raise InputError(f"{place}: this is no entry of a ramp. Check that it is the right file.") from None
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
            tuple(Sign(sign["role"], sign["ruling"], sign["worse"]) for sign in evidence["signs"]),
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
