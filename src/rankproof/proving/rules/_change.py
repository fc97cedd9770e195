"""What the rules on a change against the baseline share: its sign, its words and the queries that pay for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from rankproof.kernel.sections import number, signed
from rankproof.kernel.verdict import Ruling
from rankproof.proving.mean_rule import ROUNDING, MeanRequirement, decide_on_mean, paying, worst
from rankproof.proving.per_unit import LOGARITHMS, range_of
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
    sample = case.changes(text, values["segment"])
    lower = sample.better == "lower"
    better: Literal["higher", "lower"] = "lower" if lower else "higher"
    low, high = range_of(text)
    widest = high - low
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
    )
    ruling = Ruling(name, title, "UNDECIDED", "", measure=text, segment=values["segment"], unit=unit)
    if n and values["basis"] == "interval" and not turned.any() and case.same_rankings(text, values["segment"]):
        return _nothing_changed(case, ruling, required, least, n)
    ruling = decide_on_mean(case, ruling, -turned if lower else turned, required)
    return paying(ruling, worst(case, sample.query_ids, *_sides(sample), better, sample.lost))


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
