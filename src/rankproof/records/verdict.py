"""Verdict: may it ship? PASS, FAIL or UNDECIDED, with the ruling of every rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rankproof.records.estimate import Answer
from rankproof.records.later import LateField

if TYPE_CHECKING:
    from rankproof.records.comparison import Comparison
    from rankproof.records.evaluation import Evaluation
    from rankproof.records.trialreading import TrialReading

Status = Literal["PASS", "FAIL", "UNDECIDED"]
EXIT = {"PASS": 0, "FAIL": 1, "UNDECIDED": 3}


@dataclass(frozen=True, slots=True)
class Payer:
    """A query that pays for a ruling: its value, and what it was before where there is a baseline.

    value   None where the candidate has no value for it
    """

    query_id: str
    text: str
    value: float | None
    before: float | None = None
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one rule says of the case.

    status      by this rule alone; the gate makes UNDECIDED of a FAIL that Holm's correction does not keep
    p_fail      p-value of "the rule holds" against "it is missed"; None for a rule that leaves nothing to chance
    adjusted    p_fail after Holm over the rules that rest on chance; set by the gate
    reason      what was seen and what was asked, in a sentence with the numbers
    decides     for UNDECIDED: what would decide it
    band        a label such as "good" or "warn"; never a verdict
    answer      its `low` and `high` are one-sided bounds, each at `confidence`; its p-value is `p_fail`
    basis       "interval": bounds decide; "point": plain means do; "fact": nothing rests on chance
    queries     the queries that pay for it, worst first; `payers` has their values
    better      which side of the threshold is the good one
    unit        what observed, threshold and bounds are in: "" for the measure itself
    effect      how far the mean is from the threshold, in standard deviations over queries; where bounds decide
    confidence  of each one-sided bound
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
    measure: str = ""
    segment: str = ""
    better: Literal["higher", "lower"] = "higher"
    unit: str = ""
    payers: tuple[Payer, ...] = ()
    effect: float | None = None
    confidence: float = 0.95


@dataclass(frozen=True, eq=False)
class Verdict:
    """The answer of `rankproof.gate`. The status follows from the rulings; `settle` in `flow/gate.py` says how.

    reasons      the sentences of the rules that made it what it is
    comparison   both runs in the measures of the policy; None without a baseline, or when none was asked for. It and
                 the manifest decide nothing: the gate makes them when they are first read, from the same inputs
    evaluation   the candidate's values; None when no rule names a measure, or the run was refused
    confidence   of one-sided bounds, where a rule does not say its own
    trial        what a trial showed beside its rulings, where the verdict is of one
    """

    status: Status
    rulings: tuple[Ruling, ...]
    policy: str  # what the policy is called
    candidate: str
    baseline: str | None
    reasons: tuple[str, ...]
    notes: tuple[str, ...] = ()
    comparison: LateField[Comparison | None] = LateField(lambda: None)  # noqa: RUF009
    evaluation: Evaluation | None = None
    manifest: LateField[Mapping[str, Any]] = LateField(dict)  # noqa: RUF009
    source: str = ""  # the policy's file; "" when it was given as an object
    confidence: float = 0.95
    significance: str = "t"
    seed: int = 0
    trial: TrialReading | None = None

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

    def __repr__(self) -> str:
        told = ", ".join(f"{ruling.title}: {ruling.status}" for ruling in self.rulings)
        return f"<Verdict {self.status} of {self.policy} on {self.candidate}: {told}>"
