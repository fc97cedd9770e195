"""Proposing: the pairs of query and document whose judgment would settle a comparison most, in order.

The sign of a difference is certain when its bounds exclude 0. If the candidate is better, the lower bound has to rise:
a document that speaks for the baseline raises it the more, the less relevant it turns out, and one that speaks for the
candidate the more, the more relevant. If it is worse, the upper bound has to fall, the other way around. A document's
worth is the step of the deciding end that its judgment is expected to make, with the two cases weighed by how likely
they are, given what is judged.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from rankproof.errors import UsageError
from rankproof.flow.evaluate import aggregate
from rankproof.flow.holes.bounding import Bounder, dependence
from rankproof.flow.holes.summing import difference_bound
from rankproof.flow.holes.universe import Universe
from rankproof.flow.holes.world import World
from rankproof.flow.joining import join_run, prepare_qrels
from rankproof.flow.prepared import PreparedRun
from rankproof.flow.proposing.guessing import best_rank, expected_share
from rankproof.flow.proposing.steps import steps
from rankproof.flow.proposing.swings import gain_of_grade, swings
from rankproof.measures._contract import Values, Variant
from rankproof.measures._dependence import Fixed
from rankproof.measures._text import parse
from rankproof.records.bounds import Bound, Proposal, Wanted

DEFAULT_MEASURE = "DCG@10"
# A worth below this is rounding.
NOTHING = 1e-12


def propose(
    qrels: Any,
    runs: Sequence[Any],
    measure: str | Variant = DEFAULT_MEASURE,
    n: int | None = 50,
    *,
    pool: Mapping[str, Collection[str]] | None = None,
    depth: int | None = None,
    top_grade: int | None = None,
) -> Proposal:
    """The `n` pairs to judge next, or all that matter for None. The first run is the baseline of all others."""
    asked = parse(measure)
    if len(asked) != 1:
        raise UsageError(f"Pairs are put in order for one measure; got {len(asked)}. Ask for each by itself.")
    if len(runs) < 2:
        raise UsageError("A comparison needs two runs or more: the baseline, and what is compared with it.")
    judged = prepare_qrels(qrels)
    prepared = [run if isinstance(run, PreparedRun) else join_run(judged, run) for run in runs]
    return proposed(prepared, asked[0], n, pool=pool, depth=depth, top_grade=top_grade)


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
        values=tuple(aggregate(found[~np.isnan(found)], variant.measure.aggregate) for found in values),
        differences=bounds,
        universe=str(world),
        documents=int(world.open.sum()),
        useful=len(order),
        wanted=tuple(
            Wanted(
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
        found = steps(bounder, candidate, swing, guess)
        worth += (better * found.rises + (1.0 - better) * found.falls) / len(world)
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
