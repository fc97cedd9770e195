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

    Attributes:
        query_id: the query
        text: its words; "" when no topics were given
        value: the candidate's value; None where it has none
        before: the baseline's value; None without a baseline
        difference: value minus before; None where one of them is missing
    """

    query_id: str
    text: str
    value: float | None
    before: float | None = None
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision of one rule on the case.

    Attributes:
        rule: the item of the rules shelf
        title: the rule with its numbers, in words
        status: by this rule alone; the gate turns a FAIL into UNDECIDED when it does not survive Holm's correction
        reason: what was observed and what was required, in a sentence with the numbers
        p_fail: p-value of "the rule holds" against "it is missed"; None for a rule without a statistical test
        adjusted: p_fail after Holm's correction over the rules with a test; set by the gate
        decides: for UNDECIDED: what would decide it
        band: a label such as "good" or "warn"; never a verdict
        threshold: what is required; None for a rule without a number
        observed: what was observed; None where there is no number
        answer: its `low` and `high` are one-sided bounds, each at `confidence`; its p-value is `p_fail`
        basis: "interval": bounds decide; "point": plain means do; "fact": a fact, without a test
        queries: the queries that pay for it, worst first; `payers` has their values
        notes: what a reader must know
        measure: the measure it is about; "" for none
        segment: the segment of the queries it is about; "" for all
        better: which side of the threshold is the good one
        unit: what observed, threshold and bounds are in: "" for the measure itself
        payers: the queries that pay for it, with their values
        effect: how far the mean is from the threshold, in standard deviations over queries; where bounds decide
        confidence: of each one-sided bound
        risks: what could give the rule another answer and how far it reaches: ties, unjudged documents, findings
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
