"""Holes: bounds by query to bounds of the mean, judged rates, and the notes and warnings that belong to them.

Queries share no document, so that the bounds of a mean, or a sum, are those of its queries put together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.measuring.dependence import Cut, Fixed, Linear, Ordered, OverIdeal, PrecisionSum, Rising, Share
from rankproof.measuring.evaluate import speak
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Values, Variant
from rankproof.measuring.measures.judged import OFFERS
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import DEFAULT_SETTINGS, GEOMETRIC_FLOOR, Settings, aggregate
from rankproof.measuring.views import cut
from rankproof.proving.holes.bounding import Bounder, dependence
from rankproof.proving.holes.bounds import (
    Bound,
    Holes,
    MeasureBounds,
    names_not_relevant,
    unequally_judged,
    unjudged_within,
)
from rankproof.proving.holes.world import Universe
from rankproof.proving.sampling import Sampling
from rankproof.reading.records import DEFAULT_ORDER

# Values that differ by less are the same number, computed in another order.
ROUNDING = 1e-12


def value_bound(bounder: Bounder, run: int, weights: Values | None = None) -> Bound:
    """Least and greatest value of a run; means over queries are weighted where there are weights."""
    by_query, exact = _columns(bounder, run, None)
    measure = bounder.variant.measure
    if measure.skips_undefined:
        least, greatest = _over_some(by_query, _sure(bounder, run), weights)
    else:
        least, greatest = (_aggregate(by_query[:, i], measure.aggregate, weights) for i in (0, 1))
    return _bound(bounder, least, greatest, by_query, exact, _now(bounder, run, weights))


def difference_bound(bounder: Bounder, candidate: int, baseline: int, weights: Values | None = None) -> Bound:
    """Least and greatest difference, candidate minus baseline: a document has one grade on both sides.

    On the scale on which differences are tested: sums as means over queries, geometric means by their logarithms.
    """
    measure = bounder.variant.measure
    if measure.aggregate == "geometric":
        return _ratio_bound(bounder, candidate, baseline, weights)
    by_query, exact = _columns(bounder, candidate, baseline)
    if measure.skips_undefined:
        sure = _sure(bounder, candidate) & _sure(bounder, baseline)
        least, greatest = _over_some(by_query, sure, weights)
        return _bound(bounder, least, greatest, by_query, exact, joint=True)
    least, greatest = (_aggregate(by_query[:, i], "mean", weights) for i in (0, 1))
    now = bounder.world.now(candidate, bounder.variant) - bounder.world.now(baseline, bounder.variant)
    return _bound(bounder, least, greatest, by_query, exact, _aggregate(now, "mean", weights), joint=True)


def _aggregate(values: Values, how: str, weights: Values | None) -> float:
    """As an evaluation does; a weighted mean where there are weights, of which a sum has none."""
    if weights is None or how == "sum" or not len(values):
        return aggregate(values, how)
    if how == "geometric":
        return math.exp(float(np.average(np.log(np.maximum(values, GEOMETRIC_FLOOR)), weights=weights)))
    return float(np.average(values, weights=weights))


def _ratio_bound(bounder: Bounder, candidate: int, baseline: int, weights: Values | None) -> Bound:
    """The difference of logarithms, from each run's own bounds."""
    (one, exact), (other, sure) = (_columns(bounder, run, None) for run in (candidate, baseline))
    one, other = (np.log(np.maximum(columns, GEOMETRIC_FLOOR)) for columns in (one, other))
    by_query = one - other[:, ::-1]
    # Each end is reached; but not by the same grades, unless nothing moves.
    reached = exact & sure & (by_query[:, 0] == by_query[:, 1])
    least, greatest = (_aggregate(by_query[:, i], "mean", weights) for i in (0, 1))
    return _bound(bounder, least, greatest, by_query, reached, joint=True)


def _columns(bounder: Bounder, plus: int, minus: int | None) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    up, down = bounder.most(plus, minus), bounder.most(minus, plus)
    # 0 - x and not -x: a least of 0 is not to be shown as -0.
    return np.stack([0.0 - down.value, up.value], axis=1), up.exact & down.exact


def _now(bounder: Bounder, run: int, weights: Values | None) -> float:
    measure, values = bounder.variant.measure, bounder.world.now(run, bounder.variant)
    known = ~np.isnan(values)
    return _aggregate(values[known], measure.aggregate, None if weights is None else weights[known])


def _sure(bounder: Bounder, run: int) -> NDArray[np.bool_]:
    """Queries that have a value whatever the grades: more relevant documents never take it away."""
    return ~np.isnan(bounder.world.zero(run, bounder.variant))


def _over_some(by_query: NDArray[np.float64], sure: NDArray[np.bool_], weights: Values | None) -> tuple[float, float]:
    """Least and greatest mean when queries that are not sure may be in it or not; NaN when none can be."""
    can = ~np.isnan(by_query[:, 0])
    inside, perhaps = can & sure, can & ~sure
    weight = np.ones(len(by_query)) if weights is None else weights
    least, greatest = (
        _least_mean(ends[inside], weight[inside], ends[perhaps], weight[perhaps])
        for ends in (by_query[:, 0], -by_query[:, 1])
    )
    return least, -greatest


def _least_mean(sure: Values, weight: Values, perhaps: Values, their_weight: Values) -> float:
    """The mean of what is sure and those others that lower it: the least first, while they do."""
    total, count = math.fsum((sure * weight).tolist()), math.fsum(weight.tolist())
    turn = np.argsort(perhaps, kind="stable")
    for value, one in zip(perhaps[turn].tolist(), their_weight[turn].tolist(), strict=True):
        if count and value >= total / count:
            break
        total, count = total + value * one, count + one
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


def _counts_missed(form: object) -> bool:
    """Whether a relevant document that a ranking does not have can move its value."""
    match form:
        case Linear():
            return form.elsewhere != 0
        case OverIdeal():
            return not form.retrieved
        case PrecisionSum() | Ordered():
            return form.reach == "all"
        case Rising():
            return form.ideal is not None
    return isinstance(form, Share | Cut)


def outside(world: Universe, variants: Sequence[Variant]) -> str:
    """A sentence where relevant documents outside a finite universe could move a measure: bounds do not cover them."""
    moved = [variant.text for variant in variants if _counts_missed(dependence(variant))]
    if world.endless or not moved:
        return ""
    one = len(moved) == 1
    return (
        f"{', '.join(moved)} {'depends' if one else 'depend'} on how many documents are relevant in all: relevant ones "
        f"that no run {'and no pool has' if world.pooled else 'has'} lie outside these bounds, would change the values "
        "and could turn a difference. --pool FILE takes more documents in, --open any number."
    )


(_JUDGED,) = OFFERS


def judged_rates(runs: Sequence[PreparedRun], k: int, depth: int | None = None) -> tuple[float, ...]:
    """Judged@k of each run, mean over the judged queries."""
    variant = _JUDGED.variant(k)
    tables = [_table(run, depth) for run in runs]
    return tuple(float(np.mean(_JUDGED.compute(table, variant))) if len(table) else 0.0 for table in tables)


def unjudged_rates(runs: Sequence[PreparedRun], k: int, depth: int | None = None) -> tuple[float, ...]:
    """Unjudged documents among the first k, over k; mean over the judged queries.

    Not 1 - Judged@k: where a ranking is shorter than k, or missing, nothing is there that could be judged.
    """
    tables = [_table(run, depth) for run in runs]
    return tuple(float(np.mean(unjudged_within(table, k))) / k if len(table) else 0.0 for table in tables)


def _table(run: PreparedRun, depth: int | None) -> JudgedTable:
    table = run.table(DEFAULT_ORDER)
    return table if depth is None else cut(table, depth)


__all__ = ["holes"]

# More documents, over all queries and runs, would take gigabytes of memory and minutes; and where rankings are so many
# and so deep, nearly nothing of them is judged, and bounds say nothing.
MOST_DOCUMENTS = 4_000_000


def holes(
    runs: Sequence[PreparedRun],
    variants: Sequence[Variant],
    *,
    universe: Literal["union", "open"] = "union",
    pool: Mapping[str, Collection[str]] | None = None,
    depth: int | None = None,
    top_grade: int | None = None,
    judged_at: int = 10,
    settings: Settings = DEFAULT_SETTINGS,
    names: Sequence[str] | None = None,
    sampling: Sampling | None = None,
) -> Holes:
    """Judged rates, and bounds of every measure for each run and for each run after the first against the first.

    The universe is the documents of all runs, to their last rank, and those of `pool`, by query; judged documents
    belong to it anyway. "open" sets no limit to it: any number of relevant documents may be in no run. A document
    that nobody judged may have any grade from 0 to `top_grade`, the collection's top grade by default.

    `settings` are those of the evaluation; bounds are given where its values are rankproof's own, and a note says
    why there are none otherwise. `names` are what to call the runs, where those are not their own names. `sampling`
    weights the queries.
    """
    if not runs:
        raise UsageError("There is no run to look for unjudged documents in. Give one or more.")
    depth = settings.depth if depth is None else depth
    rates = judged_rates(runs, judged_at, depth)
    unequal = ""
    if names_not_relevant(runs[0].table(DEFAULT_ORDER).pool):
        called = names or [run.name for run in runs]
        unequal = unequally_judged(called, unjudged_rates(runs, judged_at, depth), judged_at)
    retrieved = sum(int(run.table(DEFAULT_ORDER).retrieved.sum()) for run in runs)
    if retrieved > MOST_DOCUMENTS:
        unjudged = retrieved - sum(len(run.table(DEFAULT_ORDER).rank) for run in runs)
        note = f"no bounds over unjudged documents: {retrieved:,} ranked documents are more than are gone through"
        return Holes("the runs' documents, each counted for every run", unjudged, judged_at, rates, (), unequal, note)
    world = Universe(runs, endless=universe == "open", pool=pool, depth=depth, top_grade=top_grade)
    note = other_numbers(settings)
    return Holes(
        universe=str(world),
        documents=int(world.open.sum()),
        judged_at=judged_at,
        judged_rates=rates,
        bounds=() if note else tuple(_bounds(world, variant, settings, sampling) for variant in variants),
        warning=unequal,
        note=note,
        outside="" if note else outside(world, variants),
    )


def _bounds(world: Universe, variant: Variant, settings: Settings, sampling: Sampling | None) -> MeasureBounds:
    bounder = Bounder(world, speak(variant, shelf.find("dialects", "rankproof"), settings))
    runs = range(len(world.runs))
    weights = None if sampling is None else sampling.weights_of(world.pool.query_ids)
    return MeasureBounds(
        variant.text,
        tuple(value_bound(bounder, run, weights) for run in runs),
        tuple(difference_bound(bounder, run, 0, weights) for run in runs[1:]),
    )


def other_numbers(settings: Settings) -> str:
    """Why bounds would be about other numbers than those evaluated; "" where they are not."""
    why = [
        *([f"the dialect {settings.dialect}"] if settings.dialect != "rankproof" else []),
        *(["condensed rankings (--judged-only), where each judgment changes ranks"] if settings.judged_only else []),
        *(["queries left out where undefined, which judgments change"] if settings.undefined == "skip" else []),
        *(["means over orders of tied documents"] if settings.ties != "rule" else []),
    ]
    return f"no bounds over unjudged documents: there are none for {', '.join(why)}" if why else ""
