"""Next: the pairs of query and document whose judgment would settle a comparison most, in order.

The sign of a difference is certain when its bounds exclude 0. If the candidate is better, the lower bound has to rise:
a document that favors the baseline raises it the more, the less relevant it turns out, and one that favors the
candidate the more, the more relevant. If it is worse, the upper bound has to fall, the other way around. A document's
worth is the step of the deciding end that its judgment is expected to make, with the two cases weighed by how likely
they are, given what is judged.

A guess only puts documents in order for judging. It enters no value and no bound.

Three ways, by how the measure depends on grades. Where documents add up, the step is a product. Where bounds are exact
and few documents differ in what they do, the bounds are computed again with the document judged. Otherwise each
document is taken alone, as if the difference were linear around what is judged now.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.measuring.dependence import (
    Best,
    Cut,
    Fixed,
    Gain,
    Linear,
    Ordered,
    OverIdeal,
    PrecisionSum,
    Share,
    is_relevant,
)
from rankproof.measuring.measures.contract import Values, Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun, join_run, prepare_qrels
from rankproof.measuring.records import aggregate
from rankproof.proving.holes.bounding import Bounder, dependence
from rankproof.proving.holes.bounds import Bound, Proposal, ProposedPair
from rankproof.proving.holes.closed_forms import weights_of
from rankproof.proving.holes.profiles import tried
from rankproof.proving.holes.summary import difference_bound
from rankproof.proving.holes.world import Universe, World

# How many judged documents the usual share counts for, against what was seen at a rank, or in a query: a handful.
SAME_RANK = 3.0
SAME_QUERY = 5.0
# No guess is certain.
LEAST, GREATEST = 0.02, 0.98


def best_rank(world: World) -> Values:
    """For each pooled document, its best rank over the runs; infinite where no run has it."""
    rank = np.where(world.rank > 0, world.rank.astype(np.float64), np.inf)
    best: Values = rank.min(axis=0)
    return best


def expected_share(world: World, share: Values) -> Values:
    """For each pooled document, the share of the top gain it is expected to have.

    `share` has those of judged documents. Ranks go by powers of two (1, 2-3, 4-7, ...), because relevance falls
    about as fast; then a query whose judged documents are better or worse than their ranks lifts or lowers its own.
    """
    best, judged = best_rank(world), ~world.open
    band = np.where(np.isinf(best), 0, np.floor(np.log2(np.where(np.isinf(best), 1.0, best))) + 1).astype(np.int64)
    usual = float(share[judged].mean()) if judged.any() else 0.5
    many = np.bincount(band[judged], minlength=int(band.max(initial=0)) + 1)
    total = np.bincount(band[judged], weights=share[judged], minlength=len(many))
    by_rank = ((total + SAME_RANK * usual) / (many + SAME_RANK))[band]
    # Only documents that some run retrieved show how well its ranks predict; the rest of a pool came from elsewhere.
    retrieved = judged & (band > 0)
    beyond = np.bincount(world.query[retrieved], weights=(share - by_rank)[retrieved], minlength=len(world))
    seen = np.bincount(world.query[retrieved], minlength=len(world))
    guess: Values = np.clip(by_rank + (beyond / (seen + SAME_QUERY))[world.query], LEAST, GREATEST)
    return guess


# Documents that differ in what they do, of one query; more are not looked at, the lowest ranks first.
MOST_KINDS = 60
# Pooled documents of all copied queries at once; bounds memory, changes no result.
AT_ONCE = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """For each pooled document, the expected rise of the lower bound and fall of the upper, in its query's value."""

    rises: Values
    falls: Values


def steps(bounder: Bounder, candidate: int, swing: Values, guess: Values) -> Steps:
    """Against the first run; `guess` is the share of the top gain that each document is expected to have."""
    world, variant = bounder.world, bounder.variant
    kinds = _kinds(world, variant, candidate)
    if kinds is not None:
        return _recomputed(bounder, candidate, guess, kinds)
    # The lower bound has all documents where they hurt: one with a negative swing at the top, one with a positive
    # swing at 0. It rises by what is not there in the first case, and by what is there in the second.
    return Steps(
        np.abs(swing) * np.where(swing < 0, 1.0 - guess, guess),
        np.abs(swing) * np.where(swing < 0, guess, 1.0 - guess),
    )


def _kinds(world: World, variant: Variant, candidate: int) -> NDArray[np.int64] | None:
    """For each pooled document, what it does in the two rankings, as a number; None for the other two ways."""
    form = dependence(variant)
    rank = world.rank[[0, candidate]]
    if isinstance(form, Share):
        seen = ((rank > 0) & (True if form.k is None else rank <= form.k)).astype(np.int64)
    elif isinstance(form, Best) or (isinstance(form, OverIdeal) and not form.retrieved):
        seen = np.where(rank <= variant.k, rank, 0) if variant.k is not None else rank
    else:
        return None
    kinds: NDArray[np.int64] = seen[0] * (int(rank.max(initial=0)) + 2) + seen[1]
    return kinds


def _recomputed(bounder: Bounder, candidate: int, guess: Values, kinds: NDArray[np.int64]) -> Steps:
    """The bounds with one document of each kind judged, with grade 0 and with the top grade."""
    world = bounder.world
    docs, owner = _one_of_each(world, kinds)
    ends = np.stack([bounder.most(0, candidate).value, bounder.most(candidate, 0).value])
    moved = np.zeros((2, 2, len(docs)))  # grade 0 or top; lower or upper end
    many = max(1, AT_ONCE // max(1, int(world.pool.size.max(initial=1))))
    for begin in range(0, len(docs), many):
        part = slice(begin, begin + many)
        for which, grade in enumerate((0, world.top)):
            judged = Bounder(world.supposing(docs[part], grade), bounder.variant)
            after = np.stack([judged.most(0, candidate).value, judged.most(candidate, 0).value])
            moved[which, :, part] = np.maximum(ends[:, world.query[docs[part]]] - after, 0.0)
    rises, falls = (_mixed(moved[:, end], owner, guess) for end in (0, 1))
    return Steps(rises, falls)


def _one_of_each(world: World, kinds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One open document of each kind in each query, and for each pooled document which one stands for it, or -1."""
    best = best_rank(world)
    order = np.lexsort((best, kinds, world.query))
    order = order[world.open[order]]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (world.query[order][1:] != world.query[order][:-1]) | (kinds[order][1:] != kinds[order][:-1])
    heads, group = order[new], np.cumsum(new) - 1
    # The kinds whose best document stands highest come first.
    turn = np.lexsort((best[heads], world.query[heads]))
    count = np.bincount(world.query[heads], minlength=len(world))
    place = np.empty(len(heads), dtype=np.int64)
    place[turn] = np.arange(len(heads)) - (np.cumsum(count) - count)[world.query[heads[turn]]]
    within_limit = place < MOST_KINDS
    number = np.where(within_limit, np.cumsum(within_limit) - 1, -1)
    owner = np.full(len(kinds), -1)
    owner[order] = number[group]
    return heads[within_limit], owner


def _mixed(moved: Values, owner: NDArray[np.int64], guess: Values) -> Values:
    """The step at grade 0 and that at the top, weighed by the guess; 0 for documents that were not looked at."""
    if not moved.shape[1]:
        return np.zeros(len(owner))
    step: Values = np.where(owner >= 0, (1.0 - guess) * moved[0][owner] + guess * moved[1][owner], 0.0)
    return step


# Documents over all trials of a query that are computed; what stands lower swings less, and is left out.
MOST_CELLS = 300_000


def gain_of_grade(variant: Variant, top: int) -> Gain:
    """What of a grade counts in a measure, from 0 for the least to 1 for the most that a document could have."""
    match dependence(variant):
        case Linear(gain=gain) | OverIdeal(gain=gain):
            own = gain
        case Best(rel=rel) | Share(rel=rel) | PrecisionSum(rel=rel) | Ordered(rel=rel) | Cut(rel=rel):
            own = is_relevant(rel)
        case _:
            own = _grade
    every = own(np.arange(top + 1))
    low, high = float(every.min()), float(every.max())
    return lambda grade: np.clip((own(grade) - low) / ((high - low) or 1.0), 0.0, 1.0)


def _grade(grade: NDArray[np.int64]) -> Values:
    return np.maximum(grade, 0).astype(np.float64)


def swings(world: World, variant: Variant, candidate: int, baseline: int) -> Values:
    """For each pooled document, what the difference of its query gains when it has the most and not the least gain.

    Exact where documents add up; otherwise the change that the document alone makes, with the others at grade 0.
    Documents that are in a run, but in neither of the two first k, stay at 0.
    """
    form = dependence(variant)
    grades = np.arange(world.top + 1)
    if isinstance(form, Linear):
        own = form.gain(grades)
        net = weights_of(world, form, candidate) - weights_of(world, form, baseline)
        return np.where(world.open, net * (own.max() - own.min()), 0.0)
    gain = gain_of_grade(variant, world.top)(grades)
    best, worst = int(grades[gain.argmax()]), int(grades[gain.argmin()])
    here = world.rank[[candidate, baseline]]
    k = variant.k if variant.measure.cutoff in ("optional", "required") else None
    seen = ((here > 0) & (True if k is None else here <= k)).any(axis=0)
    chosen = _affordable(world, world.open & seen)
    others = world.open & (here == 0).all(axis=0)
    # Documents that neither run has are alike: one stands for all of them.
    chosen[np.flatnonzero(others)[np.unique(world.query[others], return_index=True)[1]]] = True
    swing = np.zeros(len(world.query))

    def one_by_one(query: int) -> NDArray[np.int64]:
        span = slice(int(world.pool.start[query]), int(world.pool.start[query + 1]))
        mine = np.flatnonzero(chosen[span][world.open[span]])
        trials = np.full((len(mine) + 1, int(world.open[span].sum())), worst)
        trials[np.arange(1, len(mine) + 1), mine] = best
        return trials

    queries = np.flatnonzero(world.pool.count(chosen)).tolist()
    for query, values in tried(world, variant, queries, one_by_one, candidate, baseline):
        begin, end = int(world.pool.start[query]), int(world.pool.start[query + 1])
        swing[begin + np.flatnonzero(chosen[begin:end])] = np.nan_to_num(values[1:] - values[0])
    of_query = np.zeros(len(world))
    of_query[world.query[others & chosen]] = swing[others & chosen]
    return np.where(others, of_query[world.query], swing)


def _affordable(world: World, eligible: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """As many of the documents of each query as can be tried, the best ranks first."""
    order = np.lexsort((best_rank(world), world.query))
    order = order[eligible[order]]
    count = np.bincount(world.query[order], minlength=len(world))
    turn = np.arange(len(order)) - (np.cumsum(count) - count)[world.query[order]]
    most = np.maximum(MOST_CELLS // np.maximum(world.pool.size, 1), 1)
    chosen = np.zeros(len(eligible), dtype=bool)
    chosen[order[turn < most[world.query[order]]]] = True
    return chosen


DEFAULT_MEASURE = "DCG@10"
# A worth below this is rounding.
NOTHING = 1e-12


def propose(
    qrels: object,
    runs: Sequence[object],
    measure: str | Variant = DEFAULT_MEASURE,
    n: int | None = 50,
    *,
    pool: Mapping[str, Collection[str]] | None = None,
    depth: int | None = None,
    top_grade: int | None = None,
) -> Proposal:
    """The `n` pairs to judge next, or all that matter for None. The first run is the baseline of all others."""
    variants = parse(measure)
    if len(variants) != 1:
        raise UsageError(f"Pairs are put in order for one measure; got {len(variants)}. Ask for each by itself.")
    if len(runs) < 2:
        raise UsageError("A comparison needs two runs or more: the baseline, and what is compared with it.")
    judged = prepare_qrels(qrels)
    prepared = [run if isinstance(run, PreparedRun) else join_run(judged, run) for run in runs]
    return proposed(prepared, variants[0], n, pool=pool, depth=depth, top_grade=top_grade)


def proposed(
    runs: Sequence[PreparedRun],
    variant: Variant,
    n: int | None = 50,
    *,
    pool: Mapping[str, Collection[str]] | None = None,
    depth: int | None = None,
    top_grade: int | None = None,
) -> Proposal:
    """The same for runs that are already read."""
    _refuse(variant)
    world = Universe(runs, pool=pool, depth=depth, top_grade=top_grade)
    bounder = Bounder(world, variant)
    bounds = tuple(difference_bound(bounder, run, 0) for run in range(1, len(runs)))
    worth = _worth(bounder, bounds)
    best = best_rank(world)
    order = np.flatnonzero(worth > NOTHING)
    order = order[np.lexsort((world.query[order], best[order], -worth[order]))]
    values = (world.now(run, variant) for run in range(len(runs)))
    return Proposal(
        measure=variant.text,
        systems=tuple(run.name for run in runs),
        values=tuple(aggregate(by_query[~np.isnan(by_query)], variant.measure.aggregate) for by_query in values),
        differences=bounds,
        universe=str(world),
        documents=int(world.open.sum()),
        useful=len(order),
        wanted=tuple(
            ProposedPair(
                world.pool.query_ids[int(world.query[i])],
                world.doc_id(i),
                float(worth[i]),
                0 if np.isinf(best[i]) else int(best[i]),
            )
            for i in order[:n].tolist()
        ),
    )


def _worth(bounder: Bounder, bounds: Sequence[Bound]) -> Values:
    """For each pooled document, the step of the deciding ends that its judgment is expected to make, in the mean."""
    world, variant = bounder.world, bounder.variant
    guess = expected_share(world, gain_of_grade(variant, world.top)(world.grade))
    # A difference whose sign is certain needs no judgments; where all are, what is left narrows the bounds.
    unsure = [i for i, bound in enumerate(bounds, 1) if not bound.certain]
    worth = np.zeros(len(world.query))
    for candidate in unsure or range(1, len(bounds) + 1):
        swing = swings(world, variant, candidate, 0)
        better = _chance(world, variant, candidate, swing, guess)
        step = steps(bounder, candidate, swing, guess)
        worth += (better * step.rises + (1.0 - better) * step.falls) / len(world)
    return worth


def _chance(world: World, variant: Variant, candidate: int, swing: Values, guess: Values) -> float:
    """How likely the candidate's value is the greater one, from what is judged and the guess for what is not."""
    # Documents that neither run has make differences smaller and turn none around: they are not counted.
    swing = np.where((world.rank[[0, candidate]] > 0).any(axis=0), swing, 0.0)
    now = np.nan_to_num(world.zero(candidate, variant) - world.zero(0, variant))
    expected = float(now.sum() + (swing * guess).sum())
    spread = float(np.sqrt((swing**2 * guess * (1.0 - guess)).sum()))
    if spread > 0:
        return (1.0 + math.erf(expected / spread / math.sqrt(2.0))) / 2.0  # the normal distribution's
    return 0.5 if expected == 0 else float(expected > 0)


def _refuse(variant: Variant) -> None:
    form = dependence(variant)
    if isinstance(form, Fixed):
        raise UsageError(f"No judgment moves a difference in {variant} by a grade: it {form.why}. Ask for DCG@10, say.")
    if variant.measure.needs_subtopics:
        raise UsageError(
            f"{variant} needs a judgment for each subtopic, and pairs of query and document say nothing of those. "
            "Ask for DCG@10, say."
        )
