"""Replay: every decision of a ramp made again, from the evidence on record and from the files it was made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankproof.errors import RankproofError
from rankproof.online.ramp.look import design_of, judged_again, refuse_other_rules
from rankproof.online.ramp.records import Action, RampEntry, RampPolicy
from rankproof.online.ramp.steps import next_step

# Numbers that differ by less are the same: another machine may round the last bits otherwise.
ROUNDING = 1e-9
Same = Literal["same", "differs", "not there"]


@dataclass(frozen=True, slots=True)
class ReplayedEntry:
    """One entry, made again.

    decision   whether the evidence on record leads to the decision on record
    evidence   whether the files lead to the evidence on record; "not there" where they cannot be read as they were
    note       what differs, or what is not there; "" where all is the same
    """

    n: int
    action: Action
    share: float
    decision: Same
    evidence: Same
    note: str = ""

    @property
    def same(self) -> bool:
        """Whether all of it is."""
        return self.decision == self.evidence == "same"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "n": self.n,
            "action": self.action,
            "share": self.share,
            "decision": self.decision,
            "evidence": self.evidence,
            "note": self.note or None,
        }


def replay(policy: RampPolicy, entries: Sequence[RampEntry]) -> tuple[ReplayedEntry, ...]:
    """Every entry, in its order."""
    refuse_other_rules(policy, entries)
    return tuple(_replayed(policy, entries[: i + 1]) for i in range(len(entries)))


def _replayed(policy: RampPolicy, entries: Sequence[RampEntry]) -> ReplayedEntry:
    *before, entry = entries
    again = next_step(policy, [earlier.decision for earlier in before], entry.evidence)
    notes = []
    decision: Same = "same"
    if again != entry.decision:
        decision = "differs"
        notes.append(f"its evidence says {again.action} to {again.share:g}")
    evidence: Same = "same"
    try:
        evidence_now = judged_again(policy, design_of(policy), entries)[0]
        change = difference(entry.evidence.to_dict(), evidence_now.to_dict())
    except RankproofError as error:
        evidence = "not there"
        notes.append(str(error))
    else:
        if change:
            evidence = "differs"
            notes.append(change)
    return ReplayedEntry(entry.n, entry.decision.action, entry.decision.share, decision, evidence, " ".join(notes))


def difference(recorded: object, now: object, path: str = "evidence") -> str:
    """The first place where two documents differ, in words; "" where they do not.

    >>> difference({"p": 0.5, "n": [1, 2]}, {"p": 0.5, "n": [1, 3]})
    'evidence.n[1]: 2 on record, 3 now.'
    """
    if isinstance(recorded, dict) and isinstance(now, dict):
        keys = list(dict.fromkeys([*recorded, *now]))
        return next(filter(None, (difference(recorded.get(k), now.get(k), f"{path}.{k}") for k in keys)), "")
    if isinstance(recorded, list) and isinstance(now, list) and len(recorded) == len(now):
        pairs = enumerate(zip(recorded, now, strict=True))
        return next(filter(None, (difference(a, b, f"{path}[{i}]") for i, (a, b) in pairs)), "")
    if isinstance(recorded, float) and isinstance(now, float):
        equal = math.isclose(recorded, now, rel_tol=ROUNDING, abs_tol=ROUNDING)
    else:
        equal = recorded == now
    if equal:
        return ""
    return f"{path}: {recorded!r:.60} on record, {now!r:.60} now."
