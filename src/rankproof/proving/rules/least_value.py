"""A least value: the mean of a measure must reach a target.

Passes when the one-sided lower bound of the mean meets the target, fails when the upper bound misses it, and is
undecided between. `at_least` is the target of a measure that is better high, `at_most` of one that is better low; a
measure that is neither takes either. `basis = "point"` compares the plain mean and says so. `bands` and `warn_at`
give labels and decide nothing: a band is the best one that the mean has reached, and "warn" says that the mean
misses the target by little.

decides by: one-sided bounds of the mean over queries
fails by: chance in at most 5 of 100 cases where the target is truly met (at confidence 0.95)

    [[rule]]
    rule = "least_value"
    measure = "nDCG@10"
    at_least = 0.35
    bands = {good = 0.35, strong = 0.40}
    warn_at = 0.9

The bounds are Gaffke's: one method for all values, exact where they are 0 and 1, under which a better value never gets
a worse verdict. They hold for few queries and any shape of values; with skewed values their price is power. Values 0.2,
0.4, 0.6 and 0.8 have the mean 0.5 and the one-sided 95% lower bound 0.2093:

>>> from rankproof.testing.ruling import case_of, rule_on
>>> case = case_of([0.2, 0.4, 0.6, 0.8])
>>> rule_on(case, "least_value", measure="nDCG@10", at_least=0.2).status
'PASS'
>>> rule_on(case, "least_value", measure="nDCG@10", at_least=0.35).status
'UNDECIDED'
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from rankproof.errors import UsageError
from rankproof.kernel.sections import number, some
from rankproof.kernel.specs.kinds import Number, Param
from rankproof.kernel.verdict import Ruling
from rankproof.proving.mean_rule import ROUNDING, MeanRequirement, decide_on_mean, paying, worst
from rankproof.proving.rule_params import (
    BASIS,
    CONFIDENCE,
    MEASURE,
    SEGMENT,
    Bands,
    level_of,
    measure_of,
    refuse_idle_target,
    segment_suffix,
)
from rankproof.proving.rules.contract import Case, Numbers, Rule, RuleSample, RuleValues

NAME = "least_value"
# Least value that a geometric mean tells from 0: see measuring/evaluate.py.
FLOOR = 1e-5


def refuse(values: RuleValues) -> None:
    """One target, on the side that the measure calls better, that some results meet and others miss."""
    text, better = values["measure"], measure_of(values["measure"]).better
    given = [key for key in ("at_least", "at_most") if values[key] is not None]
    if len(given) != 1:
        raise UsageError(f"say either at_least or at_most; got {' and '.join(given) or 'neither'}")
    wrong = {"higher": "at_most", "lower": "at_least"}.get(better)
    if given == [wrong]:
        right = "at_least" if wrong == "at_most" else "at_most"
        raise UsageError(f"{text} is better when {better}, so its target is said as {right}, not {wrong}")
    if values["basis"] != "point" and measure_of(text).aggregate == "sum":
        raise UsageError(f'{text} is a sum over queries, which has no bounds. Say basis = "point"')
    refuse_idle_target(values, "at_least" if values["at_least"] is not None else "at_most")


def title(values: RuleValues) -> str:
    """The target in a few words."""
    sign, target = _target(values)
    return f"{values['measure']} {'at least' if sign == 'higher' else 'at most'} {target:g}{segment_suffix(values)}"


def decide(case: Case, values: RuleValues) -> Ruling:
    """By the bounds of the mean, or by the plain mean."""
    text = values["measure"]
    sample = case.values(text, values["segment"])
    better, target = _target(values)
    ruling = Ruling(NAME, title(values), "UNDECIDED", "", measure=text, segment=values["segment"])
    if sample.lost:
        return _lacking(case, ruling, sample)
    requirement = _requirement(sample, target, better, values["basis"], level_of(case, values))
    if sample.aggregate != "sum":
        requirement = replace(requirement, sampling=case.sampling(sample.query_ids))
    ruling = decide_on_mean(case, ruling, _numbers(sample), requirement)
    if ruling.observed is None:
        return ruling
    paid = () if ruling.status == "PASS" else worst(case, sample.query_ids, _plain(sample), None, better, target=target)
    band = label(ruling.observed, target, better, values["bands"], values["warn_at"])
    return paying(replace(ruling, band=band), paid)


def _lacking(case: Case, ruling: Ruling, sample: RuleSample) -> Ruling:
    """Undecided: the mean over the other queries would be that of a system that fails nowhere."""
    lost = tuple(sample.lost)
    noun = "query" if len(lost) == 1 else "queries"
    reason = (
        f"{case.candidate} has no {sample.measure} for {len(lost)} {noun} ({some(lost)}), and {sample.measure} has no "
        "worst value that could stand for it."
    )
    decides = (
        f'The range of {sample.measure}, or missing = "drop" where a missing value is no failure, would decide it.'
    )
    return replace(ruling, reason=reason, decides=decides, better="lower" if sample.better == "lower" else "higher")


def label(value: float, target: float, better: str, bands: Mapping[str, float], warn_at: float | None) -> str:
    """The best band that a value has reached; "warn" where it misses the target by little; else nothing.

    >>> label(0.41, 0.35, "higher", {"good": 0.35, "strong": 0.40}, 0.9)
    'strong'
    >>> label(0.32, 0.35, "higher", {}, 0.9), label(0.31, 0.35, "higher", {}, 0.9)
    ('warn', '')
    >>> label(3.2, 3.0, "lower", {}, 0.9)
    'warn'
    """
    sign = 1.0 if better == "higher" else -1.0
    reached = [(sign * at, name) for name, at in bands.items() if sign * value >= sign * at - ROUNDING]
    if reached:
        return max(reached)[1]
    near = None if warn_at is None else target * warn_at if better == "higher" else target / warn_at
    missed = sign * value < sign * target - ROUNDING
    return "warn" if near is not None and missed and sign * value >= sign * near - ROUNDING else ""


def _target(values: RuleValues) -> tuple[Literal["higher", "lower"], float]:
    if values["at_least"] is not None:
        return "higher", float(values["at_least"])
    return "lower", float(values["at_most"])


def _requirement(
    sample: RuleSample,
    target: float,
    better: Literal["higher", "lower"],
    basis: Literal["interval", "point"],
    level: float,
) -> MeanRequirement:
    side = "at least" if better == "higher" else "at most"

    def could(bound: float) -> str:
        queries = len(sample.values)
        return f"Set beforehand, a target of {side} {number(bound)} would have passed with these {queries} queries."

    low, high = sample.low, sample.high
    if sample.aggregate == "geometric":
        goal = math.log(max(target, FLOOR))
        return MeanRequirement(
            goal, better, level, basis, sample.measure, lambda at: could(_exp(at)),
            shown=lambda at: number(_exp(at)), value=_exp, least=low, most=high,
        )  # fmt: skip
    return MeanRequirement(target, better, level, basis, sample.measure, could, least=low, most=high)


def _exp(logarithm: float) -> float:
    """Back to the measure's own scale; a bound from very few queries may lie beyond what a number can hold."""
    return math.exp(min(logarithm, 700.0))


def _numbers(sample: RuleSample) -> Numbers:
    """What is averaged; of a sum the sum itself, as one number."""
    return np.array([sample.values.sum()]) if sample.aggregate == "sum" else sample.values


def _plain(sample: RuleSample) -> Numbers:
    return np.exp(sample.values) if sample.aggregate == "geometric" else sample.values


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            MEASURE,
            Param("at_least", Number(), None, "the target of a measure that is better high"),
            Param("at_most", Number(), None, "the target of a measure that is better low"),
            BASIS,
            CONFIDENCE,
            SEGMENT,
            Param("bands", Bands(), {}, "labels and the values where each begins; they decide nothing"),
            Param(
                "warn_at",
                Number(0, 1, open_low=True),
                None,
                "share of the target from which a mean that misses it is labeled 'warn'",
            ),
        ),
        title=title,
        decide=decide,
        refuse=refuse,
    ),
)
