"""Summing up: from bounds by query to the bound of the mean, and what has to be said about it.

Queries share no document, so that the bounds of a mean, or a sum, are those of its queries put together.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.evaluate import GEOMETRIC_FLOOR, aggregate
from rankproof.flow.holes.bounding import Bounder
from rankproof.measures._contract import Values, Variant
from rankproof.measures._dependence import Fixed, OverIdeal, PrecisionSum, Share
from rankproof.records.bounds import Bound

# Values that differ by less are the same number, computed in another order.
ROUNDING = 1e-12


def value_bound(bounder: Bounder, run: int) -> Bound:
    """Least and greatest value of a run."""
    by_query, exact = _columns(bounder, run, None)
    measure = bounder.variant.measure
    if measure.skips_undefined:
        least, greatest = _over_some(by_query, _sure(bounder, run))
    else:
        least, greatest = (aggregate(by_query[:, i], measure.aggregate) for i in (0, 1))
    return _bound(bounder, least, greatest, by_query, exact, _now(bounder, run))


def difference_bound(bounder: Bounder, candidate: int, baseline: int) -> Bound:
    """Least and greatest difference, candidate minus baseline: a document has one grade on both sides.

    On the scale on which differences are tested: sums as means over queries, geometric means by their logarithms.
    """
    measure = bounder.variant.measure
    if measure.aggregate == "geometric":
        return _ratio_bound(bounder, candidate, baseline)
    by_query, exact = _columns(bounder, candidate, baseline)
    if measure.skips_undefined:
        sure = _sure(bounder, candidate) & _sure(bounder, baseline)
        least, greatest = _over_some(by_query, sure)
        return _bound(bounder, least, greatest, by_query, exact, joint=True)
    least, greatest = (aggregate(by_query[:, i], "mean") for i in (0, 1))
    now = bounder.world.now(candidate, bounder.variant) - bounder.world.now(baseline, bounder.variant)
    return _bound(bounder, least, greatest, by_query, exact, aggregate(now, "mean"), joint=True)


def _ratio_bound(bounder: Bounder, candidate: int, baseline: int) -> Bound:
    """The difference of logarithms, from each run's own bounds."""
    (one, exact), (other, sure) = (_columns(bounder, run, None) for run in (candidate, baseline))
    one, other = (np.log(np.maximum(columns, GEOMETRIC_FLOOR)) for columns in (one, other))
    by_query = one - other[:, ::-1]
    # Each end is reached; but not by the same grades, unless nothing moves.
    reached = exact & sure & (by_query[:, 0] == by_query[:, 1])
    least, greatest = (aggregate(by_query[:, i], "mean") for i in (0, 1))
    return _bound(bounder, least, greatest, by_query, reached, joint=True)


def _columns(bounder: Bounder, plus: int, minus: int | None) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    up, down = bounder.most(plus, minus), bounder.most(minus, plus)
    # 0 - x and not -x: a least of 0 is not to be shown as -0.
    return np.stack([0.0 - down.value, up.value], axis=1), up.exact & down.exact


def _now(bounder: Bounder, run: int) -> float:
    measure, values = bounder.variant.measure, bounder.world.now(run, bounder.variant)
    return aggregate(values[~np.isnan(values)], measure.aggregate)


def _sure(bounder: Bounder, run: int) -> NDArray[np.bool_]:
    """Queries that have a value whatever the grades: more relevant documents never take it away."""
    return ~np.isnan(bounder.world.zero(run, bounder.variant))


def _over_some(by_query: NDArray[np.float64], sure: NDArray[np.bool_]) -> tuple[float, float]:
    """Least and greatest mean when queries that are not sure may be in it or not; NaN when none can be."""
    can = ~np.isnan(by_query[:, 0])
    return (
        _least_mean(by_query[can & sure, 0], by_query[can & ~sure, 0]),
        -_least_mean(-by_query[can & sure, 1], -by_query[can & ~sure, 1]),
    )


def _least_mean(sure: Values, perhaps: Values) -> float:
    """The mean of what is sure and those others that lower it: the least first, while they do."""
    total, count = math.fsum(sure.tolist()), len(sure)
    for value in np.sort(perhaps).tolist():
        if count and value >= total / count:
            break
        total, count = total + value, count + 1
    return total / count if count else math.nan


def _bound(
    bounder: Bounder,
    least: float,
    greatest: float,
    by_query: NDArray[np.float64],
    exact: NDArray[np.bool_],
    now: float = math.nan,
    joint: bool = False,
) -> Bound:
    notes = [_note(bounder, exact, joint)]
    if now < least - 1e-9 or now > greatest + 1e-9:
        notes.append("the value now passes over unjudged documents, and lies outside")
    if joint and bounder.variant.measure.aggregate == "geometric":
        notes.append("in natural logarithms")
    if joint and bounder.variant.measure.aggregate == "sum":
        notes.append("as a mean over queries")
    if joint:
        # A difference that is 0 but for rounding is 0: its sign would be taken for certain.
        least, greatest = (0.0 if abs(end) < ROUNDING else end for end in (least, greatest))
        by_query = np.where(np.abs(by_query) < ROUNDING, 0.0, by_query)
    return Bound(least, greatest, by_query, bool(exact.all()), "; ".join(filter(None, notes)))


def _note(bounder: Bounder, exact: NDArray[np.bool_], joint: bool) -> str:
    """What kind of bound it is; nothing where it is exact."""
    form, variant = bounder.form, bounder.variant
    if isinstance(form, Fixed):
        return f"no grade moves it: it {form.why}"
    if bounder.world.endless and _falls_without_end(variant, form):
        if joint:
            return f"without a finite universe every difference in {variant} could shrink to 0"
        return f"without a finite universe the least {variant} is {variant.measure.low:g}"
    if exact.all():
        return ""
    if variant.measure.needs_subtopics:
        return "outer bound: what the measure's range allows, since unjudged documents could cover any subtopic"
    some = int(exact.sum())
    if not some:
        return "outer bound: the true range may be narrower"
    return f"outer bound: exact in {some} of {len(exact)} queries, in the others the true range may be narrower"


def _falls_without_end(variant: Variant, form: object) -> bool:
    """Whether ever more relevant documents that no run has take the value down to the end of its range."""
    if isinstance(form, OverIdeal):
        return not form.retrieved
    return isinstance(form, Share) or (isinstance(form, PrecisionSum) and form.reach == "all")
