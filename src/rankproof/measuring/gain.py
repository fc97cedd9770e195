"""Gain: what a grade is worth, and discounted sums of gains. The one place where grades become numbers to add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Kind, show_number
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures._expected import average_weight, by_rank

# A gain is one of two words, or a mapping written as a tuple of (grade, gain) pairs, sorted by grade.
Gain = str | tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class GainKind(Kind):
    """`linear`, `exp2`, or a mapping such as `{1:0,2:1,3:10}`."""

    def read(self, value: object) -> Gain:
        """The word, or the pairs of a mapping or of its text."""
        if isinstance(value, Mapping):
            value = "{" + ",".join(f"{grade}:{gain}" for grade, gain in value.items()) + "}"
        return self.parse(str(value))

    def parse(self, text: str) -> Gain:
        """The word, or the mapping's pairs."""
        if text in ("linear", "exp2"):
            return text
        try:
            if not (text.startswith("{") and text.endswith("}")):
                raise ValueError
            pairs = {int(g): float(v) for g, v in (part.split(":") for part in text[1:-1].split(","))}
            if not all(np.isfinite(list(pairs.values()))):
                raise ValueError
        except ValueError:
            raise ValueError(f"must be linear, exp2 or a mapping such as {{1:0,2:1,3:10}}; got {text!r}") from None
        return tuple(sorted(pairs.items()))

    def show(self, value: Gain) -> str:
        """The word, or the mapping in braces."""
        if isinstance(value, str):
            return value
        return "{" + ",".join(f"{grade}:{show_number(gain)}" for grade, gain in value) + "}"


def gain_of(grade: NDArray[Any], gain: Gain, rel: int = 0) -> NDArray[np.float64]:
    """The gain of each grade; 0 for grades below 0 and for grades below `rel`.

    A grade that a mapping does not list keeps its linear gain, as in trec_eval.
    """
    positive: NDArray[np.float64] = np.maximum(grade, 0).astype(np.float64)
    if gain == "linear":
        worth = positive
    elif isinstance(gain, str):
        worth = np.asarray(np.exp2(positive) - 1.0)
    else:
        worth = positive
        for level, value in gain:
            worth[grade == int(level)] = value
    if rel > 0:
        worth[grade < rel] = 0.0
    return worth


def describe_gain(gain: Gain) -> str:
    """A few words for the fine print."""
    if gain == "linear":
        return "gain = grade"
    if gain == "exp2":
        return "gain = 2^grade - 1"
    return f"gain = {GainKind().show(gain)}"


# From this many rows on, a table of discounts by rank pays.
MANY = 4096


def discount(rank: NDArray[Any], name: str) -> NDArray[np.float64]:
    """What a gain at a rank is divided by: log2(rank + 1), or jk2002's log2(rank) from rank 2 on."""
    # Few distinct ranks among many rows: a logarithm for each rank, not for each row.
    by_place = len(rank) > MANY and rank.dtype.kind == "i" and int(rank.max()) < MANY
    ranks = np.arange(1, int(rank.max()) + 1) if by_place else rank
    values: NDArray[np.float64] = np.log2(ranks + 1.0) if name == "log2" else np.maximum(np.log2(ranks), 1.0)
    return np.asarray(values[rank - 1], dtype=np.float64) if by_place else values


def dcg(table: JudgedTable, k: int | None, gain: Gain, rel: int, discounted: str) -> NDArray[np.float64]:
    """Sum over the first k ranks of gain over discount, by query."""
    key = ("discounted", gain, rel, discounted)
    worth = table.memo.get(key)
    if worth is None:
        worth = gain_of(table.grade, gain, rel)
        worth /= discount(table.rank, discounted)
        table.memo[key] = worth
    # Tables that were made for a cutoff have nothing below it.
    return table.sum(worth if k is None or table.within(k).all() else worth * table.within(k))


def expected_dcg(table: JudgedTable, k: int | None, gain: Gain, rel: int, discounted: str) -> NDArray[np.float64]:
    """Its mean over all orders of tied documents: each row's gain over the mean discount of its tie group."""
    shared = average_weight(table, 1.0 / discount(by_rank(table), discounted), k)
    return table.sum(gain_of(table.grade, gain, rel) * shared)


def best_gains(pool: Pool, gain: Gain, rel: int = 0) -> NDArray[np.float64]:
    """The gains of each query's pool, best first; no gain is below 0."""

    def compute() -> NDArray[np.float64]:
        worth = gain_of(pool.grade, gain, rel)
        if not isinstance(gain, str):
            # A mapping may rank grades differently than their numbers do: the ideal sorts by gain.
            worth = worth[np.lexsort((-worth, pool.query))]
        # A document with a negative gain is never part of an ideal ranking.
        return np.maximum(worth, 0.0)

    return pool.remember(("best gains", gain, rel), compute)


def ideal_dcg(pool: Pool, k: int | None, gain: Gain, rel: int, discounted: str) -> NDArray[np.float64]:
    """The same sum for the best possible order of all judged documents."""
    key = ("ideal_dcg", k, gain, rel, discounted)
    ideal: NDArray[np.float64] | None = pool.memo.get(key)
    if ideal is not None:
        return ideal
    if k is None:
        ideal = pool.sum(best_gains(pool, gain, rel) / discount(pool.position, discounted))
    elif pool.width and isinstance(gain, str):
        ideal = np.zeros(len(pool.size))
        best = np.maximum(gain_of(pool.grade.reshape(-1, pool.width)[:, :k], gain, rel), 0.0)
        best /= discount(np.arange(1, best.shape[1] + 1), discounted)
        for column in best.T:  # one by one, as bincount below adds them
            ideal += column
    else:
        query, position, index = pool.head(k)
        # The pool is in descending order of grade, and so of a named gain: its head is all that is needed.
        best = (
            np.maximum(gain_of(pool.grade[index], gain, rel), 0.0)
            if isinstance(gain, str)
            else best_gains(pool, gain, rel)[index]
        )
        worth = best / discount(position, discounted)
        ideal = np.bincount(query, weights=worth, minlength=len(pool.size)).astype(np.float64)
    pool.memo[key] = ideal
    return ideal


def ideal_of_retrieved(table: JudgedTable, k: int | None, gain: Gain, rel: int, discounted: str) -> NDArray[np.float64]:
    """The same sum for the best order of the documents that were retrieved."""
    worth = np.maximum(gain_of(table.grade, gain, rel), 0.0)
    turn = np.lexsort((-worth, table.query))
    position = np.arange(1, len(worth) + 1) - table.start[:-1][table.query]
    discounted_gain = worth[turn] / discount(position, discounted)
    return table.sum(discounted_gain if k is None else discounted_gain * (position <= k))
