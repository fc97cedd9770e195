"""Steps: how far the judgment of a document is expected to move either end of a difference's bounds.

Three ways, by how the measure depends on grades. Where documents add up, the step is a product. Where bounds are exact
and few documents differ in what they do, the bounds are found anew with the document judged. Otherwise each document is
taken alone, as if the difference were linear around what is judged now.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.holes.bounding import Bounder, dependence
from rankproof.flow.holes.world import World
from rankproof.flow.proposing.guessing import best_rank
from rankproof.measures._contract import Values, Variant
from rankproof.measures._dependence import Best, OverIdeal, Share

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
        return _found_anew(bounder, candidate, guess, kinds)
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


def _found_anew(bounder: Bounder, candidate: int, guess: Values, kinds: NDArray[np.int64]) -> Steps:
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
    kept = place < MOST_KINDS
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    owner = np.full(len(kinds), -1)
    owner[order] = number[group]
    return heads[kept], owner


def _mixed(moved: Values, owner: NDArray[np.int64], guess: Values) -> Values:
    """The step at grade 0 and that at the top, weighed by the guess; 0 for documents that were not looked at."""
    if not moved.shape[1]:
        return np.zeros(len(owner))
    step: Values = np.where(owner >= 0, (1.0 - guess) * moved[0][owner] + guess * moved[1][owner], 0.0)
    return step
