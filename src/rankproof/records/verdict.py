"""Verdict: may it ship? PASS, FAIL or UNDECIDED, with the ruling of every rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rankproof.records.estimate import Answer

if TYPE_CHECKING:
    from rankproof.records.comparison import Comparison
    from rankproof.records.evaluation import Evaluation

Status = Literal["PASS", "FAIL", "UNDECIDED"]
EXIT = {"PASS": 0, "FAIL": 1, "UNDECIDED": 3}


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one rule says of the case.

    status     by this rule alone, before any correction
    p_fail     p-value of "the rule holds" against "it is missed"; None for a rule that leaves nothing to chance
    adjusted   p_fail after Holm over the rules that rest on chance; set by the gate
    reason     what was seen and what was asked, in a sentence with the numbers
    decides    for UNDECIDED: what would decide it
    band       a label such as "good" or "warn"; never a verdict
    queries    the queries that pay for it, worst first
    """

    rule: str
    title: str
    status: Status
    reason: str
    p_fail: float | None = None
    adjusted: float | None = None
    decides: str = ""
    band: str = ""
    threshold: float | None = None
    observed: float | None = None
    answer: Answer | None = None
    basis: Literal["interval", "point", "fact"] = "fact"
    queries: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The answer of `rankproof.gate`. The status follows from the rulings; `flow/gate.py` says how."""

    status: Status
    rulings: tuple[Ruling, ...]
    policy: str  # what the policy is called
    candidate: str
    baseline: str | None
    reasons: tuple[str, ...]
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None
    evaluation: Evaluation | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def exit_status(self) -> int:
        """0 for PASS, 1 for FAIL, 3 for UNDECIDED."""
        return EXIT[self.status]

    def __bool__(self) -> bool:
        return self.status == "PASS"

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        from rankproof.records import _verdict_dict

        return _verdict_dict.to_dict(self)
