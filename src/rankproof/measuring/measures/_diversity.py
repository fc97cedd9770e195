"""What diversity measures share: which row covers which subtopic, how new that is, and the greedy ideal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.specs.kinds import Number, Param
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._cascade import survival
from rankproof.measuring.measures.contract import REL, Mask, Values, Variant
from rankproof.measuring.subtopics import Subtopics

COVERS = Param("rel", REL.kind, REL.default, "the least grade with which a document covers a subtopic")
ALPHA = Param("alpha", Number(0, 1), 0.5, "how much of a subtopic's worth each document that covers it takes")

# A ranking can beat the greedy ideal, but by no more than this: the gain of a set is submodular and weights
# fall with rank. Nemhauser, Wolsey and Fisher, An analysis of approximations for maximizing submodular
# functions, 1978.
MOST_OVER_GREEDY = math.e / (math.e - 1.0)

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """Retrieved documents and the subtopics they cover, by subtopic and then by rank.

    `row` is the row of the table, `subtopic` counts over all queries, `earlier` is how many documents above
    in the ranking cover the same subtopic.
    """

    row: Indices
    subtopic: Indices
    earlier: Indices


def subtopics_of(table: JudgedTable, variant: Variant) -> Subtopics:
    """The table's subtopics, or an error that says where they come from."""
    if table.subtopics is None:
        raise UsageError(
            f"{variant} needs judgments by subtopic, and these have none. Give TREC qrels whose second "
            "column is the subtopic, and read them with subtopics."
        )
    return table.subtopics


def entries(table: JudgedTable, variant: Variant) -> tuple[Indices, Indices, Indices]:
    """Query, document and subtopic of each pair where the document covers the subtopic, pool included."""

    def compute() -> tuple[Indices, Indices, Indices]:
        given = subtopics_of(table, variant)
        query = np.repeat(np.arange(len(table)), np.diff(given.start))
        first = np.concatenate(([0], np.cumsum(given.number)))
        keep = given.grade >= variant["rel"]
        return query[keep], given.doc[keep], (first[query] + given.subtopic)[keep]

    return table.remember(("covers", variant["rel"]), compute)


def covered(table: JudgedTable, variant: Variant) -> Covered:
    """The pairs whose document was retrieved."""

    def compute() -> Covered:
        _, doc, subtopic = entries(table, variant)
        row_of = np.full(len(table.pool.grade), -1, dtype=np.int64)
        row_of[table.doc] = np.arange(len(table.doc))
        row = row_of[doc]
        row, subtopic = row[row >= 0], subtopic[row >= 0]
        # Rows go by query and rank, and a subtopic belongs to one query: sorting by row is sorting by rank.
        turn = np.lexsort((row, subtopic))
        row, subtopic = row[turn], subtopic[turn]
        new = np.ones(len(row), dtype=bool)
        new[1:] = subtopic[1:] != subtopic[:-1]
        place = np.arange(len(row))
        return Covered(row, subtopic, place - np.maximum.accumulate(np.where(new, place, 0)))

    return table.remember(("covered", variant["rel"]), compute)


def known_subtopics(table: JudgedTable, variant: Variant) -> Indices:
    """How many subtopics some judged document covers, by query. Other subtopics cannot be covered and do not count."""
    query, _, subtopic = entries(table, variant)
    _, one_each = np.unique(subtopic, return_index=True)
    return np.bincount(query[one_each], minlength=len(table))


def uncovered(table: JudgedTable, variant: Variant) -> Mask:
    """No document covers any subtopic of the query."""
    none: Mask = known_subtopics(table, variant) == 0
    return none


def novel_gain(table: JudgedTable, variant: Variant, weights: Values) -> Values:
    """Sum over covered subtopics of (1 - alpha)^(documents above that cover it) x the weight of the rank."""
    pairs = covered(table, variant)
    rank = table.rank[pairs.row]
    worth = np.power(1.0 - variant["alpha"], pairs.earlier) * weights[rank - 1]
    if variant.k is not None:
        worth *= rank <= variant.k
    return np.bincount(table.query[pairs.row], weights=worth, minlength=len(table)).astype(np.float64)


def expected_novel_gain(table: JudgedTable, variant: Variant, weights: Values) -> Values:
    """The mean of `novel_gain` over all orders of tied documents: each subtopic is a cascade of its own.

    A document that covers the subtopic stops the reader with probability alpha, so what a rank is
    expected to add is the drop in the probability of passing it, over alpha.
    """
    alpha = variant["alpha"]
    pairs = covered(table, variant)
    first, last = table.tie_first[pairs.row], table.tie_last[pairs.row]
    new = np.ones(len(first), dtype=bool)
    new[1:] = (first[1:] != first[:-1]) | (pairs.subtopic[1:] != pairs.subtopic[:-1])
    heads = np.flatnonzero(new)
    if variant.k is not None:
        weights = np.where(np.arange(len(weights)) < variant.k, weights, 0.0)
    value = np.zeros(len(table))
    for head, tail in zip(heads, np.append(heads, len(first))[1:], strict=True):
        here, size = tail - head, int(last[head] - first[head] + 1)
        span = weights[first[head] - 1 : last[head]]
        if alpha == 0.0:
            gain = here / size * span.sum()
        else:
            passed = survival(size, np.full(here, 1.0 - alpha))
            # Where the group begins, the documents above have already taken their part.
            gain = (1.0 - alpha) ** pairs.earlier[head] * ((passed[:-1] - passed[1:]) * span).sum() / alpha
        value[table.query[pairs.row[head]]] += gain
    return value


def ideal_gain(table: JudgedTable, variant: Variant, weights: Values) -> Values:
    """The gain of the greedy ideal ranking, cut at k: at each rank the judged document that adds most."""
    steps = greedy(table, variant)
    total: Values = (steps * weights[: len(steps), None]).sum(axis=0)
    return total


def over_ideal(gained: Values, table: JudgedTable, variant: Variant, weights: Values) -> Values:
    """A gain over that of the greedy ideal; 0 where nothing can be gained."""
    ideal = ideal_gain(table, variant, weights)
    return np.divide(gained, ideal, out=np.zeros(len(gained)), where=ideal > 0)


def greedy(table: JudgedTable, variant: Variant) -> NDArray[np.float64]:
    """What the greedy ideal adds: a row per rank, a column per query.

    The best set of documents is a hard problem; greedy is what ndeval and everyone else use. Of equally good
    documents the one whose entries come first is taken.
    """

    def compute() -> NDArray[np.float64]:
        query, doc, subtopic = entries(table, variant)
        _, head, number = np.unique(doc, return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(head))  # documents in the order of their first entries
        number = order[number]
        owner = np.empty(len(head), dtype=np.int64)
        owner[number] = query
        left = np.ones(len(head), dtype=bool)
        worth = np.ones(int(subtopic.max(initial=-1)) + 1)
        depth = int(np.bincount(owner, minlength=1).max())
        steps = np.zeros((depth if variant.k is None else min(depth, variant.k), len(table)))
        for step in steps:
            gain = np.where(left, np.bincount(number, weights=worth[subtopic], minlength=len(head)), -1.0)
            np.maximum.at(step, owner, gain)
            best = np.flatnonzero(left & (gain == step[owner]))
            _, where = np.unique(owner[best], return_index=True)
            taken = np.zeros(len(head), dtype=bool)
            taken[best[where]] = True
            left &= ~taken
            worth[subtopic[taken[number]]] *= 1.0 - variant["alpha"]
        return steps

    return table.remember(("greedy", variant["rel"], variant["alpha"], variant.k), compute)


def ranks(table: JudgedTable) -> Values:
    """The ranks 1, 2, ... at which something can be gained: as deep as tie groups and the ideal go."""
    deepest = max(int(table.tie_last.max(initial=0)), int(table.pool.size.max(initial=0)))
    return np.arange(1.0, deepest + 1.0)
