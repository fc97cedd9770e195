"""What the rules on a change against the baseline share: its sign, its words and the queries that pay for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from rankproof.kernel.sections import number, signed, some
from rankproof.kernel.verdict import Payer, Ruling
from rankproof.proving.mean_rule import MOST_PAYERS, ROUNDING, MeanRequirement, decide_on_mean, paying, worst
from rankproof.proving.per_unit import LOGARITHMS, are_binary, logarithms, no_value_on_one_side
from rankproof.proving.rule_params import level_of
from rankproof.proving.rules.contract import Case, Numbers, RuleSample, RuleValues


def gains(sample: RuleSample) -> Numbers:
    """Candidate minus baseline by query, turned so that more is better; what differs by rounding alone is 0."""
    assert sample.before is not None  # a sample of changes has both sides
    change = sample.values - sample.before
    change[np.abs(change) < ROUNDING] = 0.0
    return -change if sample.better == "lower" else change


def on_change(
    case: Case,
    name: str,
    title: str,
    values: RuleValues,
    least: float,
    could: Callable[[float, int], str],
) -> Ruling:
    """The ruling on a mean change that must be better than the baseline by `least` (worse by no more, below 0).

    Changes are shown as candidate minus baseline; for a measure that is better low they must therefore be at most
    minus `least`. `could` says what so many queries could have passed, given the gain that they are sure of.
    """
    text = values["measure"]
    given = case.changes(text, values["segment"])
    sample = over_all_queries(given)
    if sample is None:
        return _other_population(case, Ruling(name, title, "UNDECIDED", ""), given, values)
    lower = sample.better == "lower"
    better: Literal["higher", "lower"] = "lower" if lower else "higher"
    widest = sample.high - sample.low
    unit = LOGARITHMS if sample.aggregate == "geometric" else ""
    turned = gains(sample)
    n = len(turned)
    required = MeanRequirement(
        threshold=-least if lower else least,
        better=better,
        level=level_of(case, values),
        basis=values["basis"],
        what=f"The mean change in {text}{f' ({unit})' if unit else ''}",
        could=lambda bound: could(-bound if lower else bound, n),
        shown=signed,
        least=-widest,
        most=widest,
        of="changes",
        sampling=case.sampling(sample.query_ids),
        binary=_are_binary(case, text, values["segment"], sample),
    )
    ruling = Ruling(name, title, "UNDECIDED", "", measure=text, segment=values["segment"], unit=unit)
    if n and values["basis"] == "interval" and not turned.any() and case.same_rankings(text, values["segment"]):
        return _nothing_changed(case, ruling, required, least, n)
    ruling = decide_on_mean(case, ruling, -turned if lower else turned, required)
    ruling = paying(ruling, worst(case, given.query_ids, *_sides(given), better, given.lost))
    return replace(ruling, notes=(*ruling.notes, *_stood_for(given)))


def _are_binary(case: Case, measure: str, segment: str, sample: RuleSample) -> bool:
    """Whether all values of both sides are 0 or 1: those of a segment may be so by chance, so all queries tell."""
    both = [sample, *([whole] if segment and (whole := over_all_queries(case.changes(measure, ""))) else [])]
    return all(of.before is not None and are_binary(of.low, of.high, of.values, of.before) for of in both)


def over_all_queries(sample: RuleSample) -> RuleSample | None:
    """The sample with the queries where one side has no value: the measure's worst value stands for it.

    None where the measure has no worst value: without those queries a candidate that loses all it found for some of
    them would be better over the rest.
    """
    if not sample.lost and not sample.gained:
        return sample
    assert sample.before is not None
    if sample.worst is None:
        return None
    lost, gained = (np.array([*side.values()], dtype=np.float64) for side in (sample.lost, sample.gained))
    if sample.aggregate == "geometric":
        lost, gained = logarithms(lost), logarithms(gained)
    after = np.concatenate([np.full(len(lost), sample.worst), gained])
    before = np.concatenate([lost, np.full(len(gained), sample.worst)])
    return replace(
        sample,
        query_ids=(*sample.query_ids, *sample.lost, *sample.gained),
        values=np.concatenate([sample.values, after]),
        before=np.concatenate([sample.before, before]),
        lost={},
        gained={},
    )


def _stood_for(sample: RuleSample) -> tuple[str, ...]:
    ids = (*sample.lost, *sample.gained)
    if not ids:
        return ()
    at = math.exp(sample.worst or 0.0) if sample.aggregate == "geometric" else sample.worst
    noun = "query" if len(ids) == 1 else "queries"
    return (
        f"{sample.measure}: {len(ids)} {noun} where one run has no value count as the worst value, {at:g}, for it "
        f"({some(ids)})",
    )


def _other_population(case: Case, ruling: Ruling, sample: RuleSample, values: RuleValues) -> Ruling:
    """Undecided: the two runs have values for different queries, and nothing can stand for what is missing."""
    names = (case.candidate, case.baseline or "the baseline")
    sides = ((names, tuple(sample.lost)), (names[::-1], tuple(sample.gained)))
    reasons = [no_value_on_one_side(sample.measure, *pair, ids) for pair, ids in sides if ids]
    ruling = replace(
        ruling,
        reason=f"{'; and '.join(reasons)}.",
        decides="A measure that counts what was not found would decide it, such as recall or AP.",
        measure=sample.measure,
        segment=values["segment"],
        better="lower" if sample.better == "lower" else "higher",
        basis=values["basis"],
    )
    payers = [Payer(query, case.text(query), None, was) for query, was in sample.lost.items()]
    return paying(ruling, tuple(payers[:MOST_PAYERS]))


def _nothing_changed(case: Case, ruling: Ruling, required: MeanRequirement, least: float, n: int) -> Ruling:
    """Identical rankings are a fact about these queries, and about no others."""
    ruling = replace(ruling, observed=0.0, threshold=required.threshold, better=required.better, basis="fact")
    fact = f"Nothing changed on these {n} queries: both runs rank the same documents in the same order"
    if least > 0:
        return replace(ruling, status="FAIL", reason=f"{fact}, and a gain of {number(least)} is required.")
    if case.unchanged == "undecided":
        reason = f'{fact}; the policy says unchanged = "undecided".'
        return replace(ruling, status="UNDECIDED", reason=reason, decides="Queries on which rankings change decide it.")
    return replace(ruling, status="PASS", reason=f"{fact}.", notes=(f"{ruling.title}: {fact[0].lower()}{fact[1:]}",))


def _sides(sample: RuleSample) -> tuple[Numbers, Numbers]:
    """Values after and before, on the measure's own scale."""
    assert sample.before is not None
    if sample.aggregate == "geometric":
        return np.exp(sample.values), np.exp(sample.before)
    return sample.values, sample.before
