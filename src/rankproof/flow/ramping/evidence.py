"""Evidence: what the offline gate and the days of a step say, as the signs that the state machine decides by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankproof.flow.interleaving.anytime import UNITS, log_evidence
from rankproof.flow.ramping.files import the_treatment
from rankproof.flow.trials.deciding import decide
from rankproof.flow.trials.ruling import SAMPLE_RATIO
from rankproof.records._verdict_dict import ruling_dict
from rankproof.records.day import Day
from rankproof.records.ramp import RampPolicy
from rankproof.records.ramp_entry import RampEvidence, Role, SeenFile, Sign
from rankproof.records.trialdesign import TrialDesign

if TYPE_CHECKING:
    from rankproof.records.verdict import Ruling, Verdict


def of_gate(verdict: Verdict, files: Sequence[SeenFile]) -> RampEvidence:
    """The evidence of the offline gate."""
    signs = tuple(Sign("gate", ruling_dict(ruling), ruling.status == "FAIL") for ruling in verdict.rulings)
    return RampEvidence(verdict.status, signs, confidence=verdict.confidence, files=tuple(files))


def of_days(
    policy: RampPolicy, design: TrialDesign, days: Sequence[Day], seen: Sequence[SeenFile] = ()
) -> tuple[RampEvidence, Verdict | None]:
    """The evidence of the days of one step, and the trial's verdict on them; None without any.

    The verdict asks for the margins of the design. A second one, with margins of 0, says what is shown to be worse at
    all; it has the same confidence and the same correction over metrics.
    """
    if not days:
        return RampEvidence(None, confidence=policy.confidence, files=tuple(seen)), None
    units = units_of(days)
    verdict = decide(design, days, confidence=policy.confidence)
    strict = decide(without_margins(design), days, confidence=policy.confidence)
    worse = {ruling.measure for ruling in strict.rulings if ruling.rule != SAMPLE_RATIO and ruling.status == "FAIL"}
    split = splits_as_planned(policy, design, days)
    signs = tuple(_sign(design, ruling, worse, split) for ruling in verdict.rulings)
    evidence = RampEvidence(
        verdict.status,
        signs,
        days=len({date for day in days for date in day.dates}),
        units=sum(units.values()),
        fewest=min(units.values()),
        confidence=policy.confidence,
        files=tuple(seen),
    )
    return evidence, verdict


def without_margins(design: TrialDesign) -> TrialDesign:
    """The same design, asking whether anything is worse at all."""
    return replace(design, metrics=tuple(replace(metric, margin=0.0) for metric in design.metrics))


def units_of(days: Sequence[Day]) -> dict[str, int]:
    """By variant, of all days together."""
    return {name: sum(day.units[name] for day in days) for name in days[0].units}


def splits_as_planned(policy: RampPolicy, design: TrialDesign, days: Sequence[Day]) -> bool:
    """Whether the units of a step can have come in its shares, held against all looks together.

    The trial's own check is one test at a time: made on every day it would be wrong too often. This one is the mixture
    of likelihoods that is valid at any time, as for the share of wins in interleaving (Robbins 1970); for counts of
    units: Lindon and Malek, Anytime-valid inference for multinomial count data, NeurIPS 2022.
    """
    units, treatment = units_of(days), the_treatment(design)
    new, share = units[treatment], days[0].shares[treatment]
    counts = np.array([new]), np.array([sum(units.values()) - new])
    found = float(log_evidence(*counts, 1 - policy.ratio_alarm, UNITS, share)[0])
    return found < -math.log(policy.ratio_alarm)


def _sign(design: TrialDesign, ruling: Ruling, worse: set[str], split: bool) -> Sign:
    if ruling.rule == SAMPLE_RATIO:
        return Sign("sample_ratio", ruling_dict(ruling), not split)
    roles: dict[str, Role] = {metric.name: metric.role for metric in design.metrics}
    return Sign(roles[ruling.measure], ruling_dict(ruling), ruling.measure in worse)
