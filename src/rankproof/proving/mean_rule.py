"""How a rule on a mean or a difference is decided: by its one-sided confidence bounds.

A rule asks that a mean is at least a threshold (at most, where lower is better). It passes when the one-sided lower
bound meets the threshold, fails when the one-sided upper bound misses it, and is undecided between. The two tests
are one-sided at the same level, so a rule that truly holds fails, and one that truly does not hold passes, with
probability 1 - level at most. Values that are all equal are no exception: what so few queries can have missed is part
of the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.sections import PLACES, number, percent
from rankproof.kernel.verdict import Payer, Ruling, Status
from rankproof.proving.bounded_mean import RANGE_METHODS, queries_for_bound
from rankproof.proving.paired_proportions import units_for_score
from rankproof.proving.per_unit import mean_of
from rankproof.proving.rules.contract import POWER, Case, Numbers
from rankproof.proving.sampling import Sampling
from rankproof.proving.significance.contract import Significance, SignificanceRequest
from rankproof.proving.significance.t_or_gaffke import EXACT

# Numbers closer than this are one number, computed in another order: a bound that lies on the threshold meets it.
ROUNDING = 1e-12
# How many of the queries that pay are named.
MOST_PAYERS = 10


@dataclass(frozen=True, slots=True)
class MeanRequirement:
    """What a rule requires of a mean, and how it is written.

    threshold   on the scale of the values
    better      on which side of the threshold the rule holds
    what        what the mean is, as the beginning of a sentence: "nDCG@10", "The change in AP@100"
    could       the threshold that these queries can decide, as the end of a sentence
    shown       a value as text
    value       a value as the ruling keeps it, where that is another scale
    least, most the range of what is averaged: no mean lies beyond it, so no bound lies beyond it either
    of          whether changes between two systems are averaged, or the values of one
    sampling    how the queries behind the values were drawn, in their order; None for a simple random sample
    binary      whether the changes are those of values that are all 0 or 1
    """

    threshold: float
    better: Literal["higher", "lower"]
    level: float
    basis: Literal["interval", "point"]
    what: str
    could: Callable[[float], str]
    shown: Callable[[float], str] = number
    value: Callable[[float], float] = float
    least: float = -math.inf
    most: float = math.inf
    of: Literal["changes", "values"] = "values"
    sampling: Sampling | None = None
    binary: bool = False

    def spread(self, values: Numbers) -> float:
        """The standard deviation with which as many independent queries would have the same error."""
        if _all_equal(values):
            return 0.0
        if self.sampling is None or self.sampling.why_no_error:
            return float(np.std(values, ddof=1))
        return float(self.sampling.means(values[:, None]).error[0]) * math.sqrt(len(values))


def infer_by(
    method: Significance, values: Numbers, question: SignificanceRequest, of: Literal["changes", "values"], seed: int
) -> Answer:
    """By a method of the shelf. Values, and what a method can say nothing of for want of spread, by Gaffke's bounds.

    The default method looks at how many queries changed, the exact one at gains and losses; values of one system do not
    change, and one method for all of them never gives better values a worse verdict. Where they are 0 and 1, Gaffke's
    bounds are the exact ones of Clopper and Pearson.
    """
    bounds: Significance = shelf.find("significance", "gaffke")
    if of == "values" and method.name in ("t_or_gaffke", EXACT):
        method = bounds
    answer = method.infer(values, question, np.random.default_rng(seed))
    if isinstance(answer, NotEstimable) and len(values) > 1 and not method.bounded:
        beside = bounds.infer(values, question, np.random.default_rng(seed))
        return beside if isinstance(beside, Estimate) else answer
    return answer


def decide_on_mean(case: Case, ruling: Ruling, values: Numbers, required: MeanRequirement) -> Ruling:
    """The ruling, with status, reason, bounds and what would decide it."""
    ruling = replace(ruling, better=required.better, basis=required.basis, confidence=required.level)
    ruling = replace(ruling, threshold=required.value(required.threshold))
    if not len(values):
        reason = "No query has a value to be judged by."
        return replace(ruling, status="UNDECIDED", reason=reason, decides="Queries with a value would decide it.")
    mean = mean_of(values, required.sampling)
    ruling = replace(ruling, observed=required.value(mean))
    if required.basis == "point":
        end = 'plain means are compared (basis = "point"), so chance is not ruled out'
        return _plainly(ruling, mean, required, f"{required.what} is {required.shown(mean)}", end)
    return _by_bounds(case, ruling, values, mean, required)


def _by_bounds(case: Case, ruling: Ruling, values: Numbers, mean: float, required: MeanRequirement) -> Ruling:
    span = (required.least, required.most)
    ask = partial(case.infer, of=required.of, sampling=required.sampling, binary=required.binary)
    above = ask(values, required.threshold, "greater", required.level, *span)
    below = ask(values, required.threshold, "less", required.level, *span)
    if isinstance(above, NotEstimable) and isinstance(below, NotEstimable):
        reason = f"{required.what} is {required.shown(mean)}, but no bound can be given: {above.reason}."
        decides = "More queries would decide it." if len(values) < 2 else 'Another method may: significance = "..."'
        if len(values) > 1 and not math.isfinite(required.most - required.least):
            decides = f"{decides}; so may the range of {required.what}, where it has one."
        return replace(ruling, status="UNDECIDED", reason=reason, decides=decides, answer=above)
    low = above.low if isinstance(above, Estimate) else -math.inf
    high = below.high if isinstance(below, Estimate) else math.inf
    status = decided(low, high, required.threshold, required.better)
    low, high = max(low, required.least), min(high, required.most)
    given = [answer for answer in (above, below) if isinstance(answer, Estimate)]
    against = below if required.better == "higher" else above
    sides = (("lower", above), ("upper", below))
    missing = [f"no {side} bound: {end.reason}" for side, end in sides if isinstance(end, NotEstimable)]
    notes = tuple(dict.fromkeys((*(note for answer in given for note in answer.notes), *missing)))
    answer = replace(
        against if isinstance(against, Estimate) else replace(given[0], p_value=1.0),
        low=required.value(low), high=required.value(high), value=required.value(mean), notes=notes,
    )  # fmt: skip
    spread = required.spread(values)
    effect = abs(mean - required.threshold) / spread if spread else None
    p_fail = against.p_value if isinstance(against, Estimate) else None
    ruling = replace(ruling, answer=answer, p_fail=p_fail, status=status, effect=effect, notes=notes)
    ruling = replace(ruling, reason=_reason(status, mean, low, high, required))
    if status != "UNDECIDED":
        return ruling
    return replace(ruling, decides=_decides(case, effect, answer, values, mean, low, high, required))


def decided(low: float, high: float, threshold: float, better: Literal["higher", "lower"]) -> Status:
    """What one-sided bounds say of a threshold. A bound that lies on it meets it.

    >>> decided(0.35, 0.41, 0.35, "higher"), decided(0.30, 0.35, 0.35, "higher"), decided(0.30, 0.34, 0.35, "higher")
    ('PASS', 'UNDECIDED', 'FAIL')
    >>> decided(2.0, 3.0, 3.0, "lower"), decided(3.1, 4.0, 3.0, "lower")
    ('PASS', 'FAIL')
    """
    if better == "lower":
        low, high, threshold = -high, -low, -threshold
    if low >= threshold - ROUNDING:
        return "PASS"
    return "FAIL" if high < threshold - ROUNDING else "UNDECIDED"


def _all_equal(values: Numbers) -> bool:
    return bool(np.ptp(values) <= ROUNDING * max(1.0, float(np.abs(values).max())))


def _plainly(ruling: Ruling, mean: float, required: MeanRequirement, seen: str, end: str) -> Ruling:
    """Decided by the value itself."""
    status = decided(mean, mean, required.threshold, required.better)
    verb = "meets" if status == "PASS" else "misses"
    return replace(ruling, status=status, reason=f"{seen}, which {verb} {required.shown(required.threshold)}; {end}.")


def _reason(status: Status, mean: float, low: float, high: float, required: MeanRequirement) -> str:
    seen, sure = f"{required.what} is {required.shown(mean)}", f"one-sided {percent(required.level)}"
    if status == "UNDECIDED":
        least, most, goal = _apart(required, low, high)
        return f"{seen}; its {sure} bounds {least} and {most} lie on both sides of {goal}."
    good, bad = ("lower", "upper") if required.better == "higher" else ("upper", "lower")
    side, verb = (good, "meets") if status == "PASS" else (bad, "misses")
    bound, goal = _apart(required, low if side == "lower" else high)
    return f"{seen}; its {sure} {side} bound {bound} {verb} {goal}."


def _apart(required: MeanRequirement, *bounds: float) -> list[str]:
    """Bounds and threshold as texts; with more places where two would look the same and are not."""
    at = [*bounds, required.threshold]
    texts = [_written(required, value) for value in at]
    alike = any(t == texts[-1] and abs(v - at[-1]) > ROUNDING for t, v in zip(texts[:-1], bounds, strict=True))
    return [f"{required.value(value):.8g}" for value in at] if alike else texts


def _written(required: MeanRequirement, value: float) -> str:
    """A value as text. Few queries may leave a resampling method without a bound."""
    return required.shown(value) if math.isfinite(value) else "infinity" if value > 0 else "minus infinity"


def _decides(
    case: Case,
    effect: float | None,
    answer: Estimate,
    values: Numbers,
    mean: float,
    low: float,
    high: float,
    required: MeanRequirement,
) -> str:
    """How many queries would decide it if what was seen is true, and what these queries can decide."""
    bound = low if required.better == "higher" else high
    informative = required.least < bound < required.most  # at the end of the range, or without end, it says nothing
    possible = required.could(rounded_safely(bound, required.better)) if informative else ""
    if abs(mean - required.threshold) <= ROUNDING:
        return f"What was seen lies on the threshold, where no number of queries decides. {possible}".strip()
    way = "pass" if (mean > required.threshold) == (required.better == "higher") else "fail"
    changed = int(np.count_nonzero(values)) if required.of == "changes" else None
    if answer.method in RANGE_METHODS and required.sampling is not None:
        more = "clusters" if required.sampling.columns.clusters else "queries"
        return f"More {more} like these would make it {way}, if what was seen is the truth. {possible}".strip()
    if answer.method == EXACT and values.any():
        counts = len(values), int(np.count_nonzero(values > 0)), int(np.count_nonzero(values < 0))
        needed = units_for_score(*counts, required.threshold, required.level, POWER)
    elif answer.method in (*RANGE_METHODS, EXACT):
        end = required.least if mean > required.threshold else required.most
        needed = (
            queries_for_bound(values, end, required.threshold, required.level, POWER) if math.isfinite(end) else None
        )
    else:
        needed = None if effect is None else case.queries_needed(effect, required.level)
    if needed is None:
        return f"No number of queries like these that could be tried would make it {way}. {possible}".strip()
    return f"{enough(needed, len(values), way, changed)} {possible}".strip()


def rounded_safely(bound: float, better: Literal["higher", "lower"]) -> float:
    """A bound at the places that are shown, rounded to the side on which it still holds.

    >>> rounded_safely(0.52948, "higher"), rounded_safely(-0.15511, "higher"), rounded_safely(3.00001, "lower")
    (0.5294, -0.1552, 3.0001)
    """
    places: int = 10**PLACES
    return (math.floor(bound * places) if better == "higher" else math.ceil(bound * places)) / places


def enough(needed: int, n: int, way: str, changed: int | None = None) -> str:
    """How many queries would decide a rule, as a sentence; and how many of them would have changed.

    >>> enough(200, 50, "pass", 5)[:88]
    'If what was seen is the truth, about 200 queries like these (150 more; 20 of 200 changed)'
    """
    more = f"{needed - n:,} more" if needed > n else "as many as there are, drawn anew"
    if changed is not None and changed < n:
        more += f"; {round(needed * changed / n):,} of {needed:,} changed"
    return (
        f"If what was seen is the truth, about {needed:,} queries like these ({more}) would make it {way} "
        f"{POWER:.0%} of the time."
    )


def worst(
    case: Case,
    query_ids: Sequence[str],
    values: Numbers,
    before: Numbers | None,
    better: str,
    lost: Mapping[str, float] | None = None,
    target: float = 0.0,
) -> tuple[Payer, ...]:
    """The queries that pay, worst first: of a change those that lost, of a value those that miss the target."""
    sign = -1.0 if better == "lower" else 1.0
    payers = [Payer(query, case.text(query), None, was) for query, was in (lost or {}).items()]
    gains = sign * (values if before is None else values - before)
    for i in np.argsort(gains, kind="stable").tolist():
        if gains[i] >= (0.0 if before is not None else sign * target) - ROUNDING:
            break
        was = None if before is None else float(before[i])
        change = None if before is None else float(values[i] - before[i])
        payers.append(Payer(query_ids[i], case.text(query_ids[i]), float(values[i]), was, change))
    return tuple(payers[:MOST_PAYERS])


def paying(ruling: Ruling, payers: tuple[Payer, ...]) -> Ruling:
    """The ruling with the queries that pay for it."""
    return replace(ruling, payers=payers, queries=tuple(payer.query_id for payer in payers))
