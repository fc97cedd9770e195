"""Ruling: what one rule decides of a candidate, and the exit status of each verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankproof.kernel.estimate import Answer

if TYPE_CHECKING:
    pass


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
    """The decision of one rule on the case.

    status      by this rule alone; the gate turns a FAIL into UNDECIDED when it does not survive Holm's correction
    p_fail      p-value of "the rule holds" against "it is missed"; None for a rule without a statistical test
    adjusted    p_fail after Holm's correction over the rules with a test; set by the gate
    reason      what was observed and what was required, in a sentence with the numbers
    decides     for UNDECIDED: what would decide it
    band        a label such as "good" or "warn"; never a verdict
    answer      its `low` and `high` are one-sided bounds, each at `confidence`; its p-value is `p_fail`
    basis       "interval": bounds decide; "point": plain means do; "fact": a fact, without a test
    queries     the queries that pay for it, worst first; `payers` has their values
    better      which side of the threshold is the good one
    unit        what observed, threshold and bounds are in: "" for the measure itself
    effect      how far the mean is from the threshold, in standard deviations over queries; where bounds decide
    confidence  of each one-sided bound
    risks       what could give the rule another answer and how far it reaches: ties, unjudged documents, findings
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
    risks: tuple[str, ...] = ()
