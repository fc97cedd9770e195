"""The depth of a rerank, inferred from two runs: by the order alone, or by where the scores change their scale.

A rerank to depth d that was written well shows in the order: nothing below rank d moved. One whose scores were merged
with those of the first stage does not: its tail stands among the reranked documents. But the tail's scores still are
the first stage's (kept, times a factor, plus an offset) or all one score, and the reranked ones are not: a seam. Every
permutation is a rerank of the whole list, so without a depth only the seam, or a tail that keeps its order in nearly
every query, tells such a run from an honest one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

# A pattern that nearly all rankings show is how the run was made; the rest may have too few documents to show it.
NEARLY_ALL = 0.9
# How far scores may be from a line, relative to their size: what single precision leaves.
PRECISION = 2e-6
# Scores were rounded to so many decimals at most; beyond it, single precision is the coarser of the two.
MOST_DECIMALS = 6
# A tail says something by its order alone when it is as long as this and at least half of the list.
LONG_TAIL = 10
# So many scores that lie where the first stage's do are no accident.
MUCH = 10
# Of fewer queries the order alone proves nothing.
FEW = 5

Scores = NDArray[np.float64]
Sureness = Literal["high", "fair", "low"]


@dataclass(frozen=True, slots=True)
class InferredDepth:
    """How a depth that was not claimed was found.

    by           "order": nothing moved below it. "scores": below it they follow from the first stage's. "order of the
                 tail": below it documents keep their order, among reranked ones. "end of the lists": they end there
    sure         "high", "fair" or "low"
    agree        how many of the `queries` show it
    least, most  of the depths of single queries
    """

    by: Literal["order", "scores", "order of the tail", "end of the lists"]
    sure: Sureness
    agree: int
    queries: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class RankingPair:
    """A query's ranking before and after, with scores by document where both runs have them."""

    query_id: str
    base: list[str]
    reranked: list[str]
    base_scores: Mapping[str, float]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Tail:
    """How the scores below a depth follow from the first stage's.

    kind      "kept": the same; "line": `factor` times them plus `offset`; "one": all have the score `offset`
    weight    how many scores are explained beyond those that fix the line
    """

    kind: Literal["kept", "line", "one"]
    factor: float
    offset: float
    weight: int


@dataclass(frozen=True, slots=True)
class Seam:
    """Below `depth` a query's scores are the first stage's; `mixed`: a reranked document stands below one of these."""

    depth: int
    tail: Tail
    mixed: bool


def least_depth(pair: RankingPair) -> int | None:
    """The least depth to which one ranking is the other reranked; 0 where they are the same; None for no depth."""
    if set(pair.base) != set(pair.reranked):
        return None
    for at in range(len(pair.base), 0, -1):
        if pair.base[at - 1] != pair.reranked[at - 1]:
            return at
    return 0


# ---- the tail of one query -----------------------------------------------------------------------


def tail_of(pair: RankingPair, depth: int) -> Tail | None:
    """How the documents below `depth` got their scores; None where they do not follow from the first stage's."""
    tail = [doc for doc in pair.base[depth:] if doc in pair.scores]
    if not tail:
        return None
    return _explained(*(np.array([by[doc] for doc in tail]) for by in (pair.base_scores, pair.scores)))


def _explained(base: Scores, new: Scores) -> Tail | None:
    if np.array_equal(base, new):
        return Tail("kept", 1.0, 0.0, len(new))
    if len(new) > 1 and (new == new[0]).all():
        return Tail("one", 0.0, float(new[0]), len(new) - 1)
    return _line(base, new)


def _line(base: Scores, new: Scores) -> Tail | None:
    """The line that the new scores are of the base's, up to single precision or the digits that were written."""
    distinct = len(np.unique(base))
    if distinct < 3 or not (np.isfinite(base).all() and np.isfinite(new).all()):
        return None
    center, middle = base.mean(), new.mean()
    spread = float(((base - center) ** 2).sum())
    factor = float(((base - center) * (new - middle)).sum()) / spread if spread else 0.0
    offset = float(middle - factor * center)
    if not factor or not math.isfinite(factor):
        return None
    error = float(np.abs(new - factor * base - offset).max())
    width = float(new.max() - new.min())
    size = max(float(np.abs(new).max()), abs(factor) * float(np.abs(base).max()))
    if error <= PRECISION * size and width > 100 * PRECISION * size:
        return Tail("line", factor, offset, distinct - 2)
    rounding = _rounding(new) + abs(factor) * _rounding(base)
    # Few scores on a coarse grid are near some line by chance.
    if distinct >= 6 and width >= 50 * rounding and error <= rounding + PRECISION * size:
        return Tail("line", factor, offset, distinct - 2)
    return None


def _rounding(values: Scores) -> float:
    """How far a score may be from what it was before it was rounded to its decimals."""
    for decimals in range(MOST_DECIMALS + 1):
        if np.allclose(values, np.round(values, decimals), rtol=1e-12, atol=0):
            return 0.5 * 10.0**-decimals
    return 0.0


def seam_of(pair: RankingPair) -> Seam | None:
    """The seam of one query: the least depth below which scores follow from the first stage's; None for no such."""
    docs = [doc for doc in pair.base if doc in pair.scores]
    if len(docs) < 2:
        return None
    base, new = (np.array([by[doc] for doc in docs]) for by in (pair.base_scores, pair.scores))
    starts = {"kept": _suffix(base == new), "one": _suffix(new == new[-1]), "line": _line_from(base, new)}
    start = min(starts.values())
    tail = _explained(base[start:], new[start:]) if start < len(docs) else None
    depth = pair.base.index(docs[start]) if start < len(docs) else 0
    if tail is None or depth == 0:
        return None
    if tail.kind == "one" and (len(docs) - start < 4 or (new[:start] == new[-1]).any()):
        return None  # scores on a coarse scale: the reranker gave it too
    return Seam(depth, tail, is_mixed(pair, depth))


def _suffix(holds: NDArray[np.bool_]) -> int:
    """Where the part at the end begins in which all hold."""
    failing = np.flatnonzero(~holds)
    return int(failing[-1]) + 1 if len(failing) else 0


def _line_from(base: Scores, new: Scores) -> int:
    """Where the longest tail on one line begins: what holds of a tail holds of its end."""
    end = len(base)
    # Three scores can be told to lie on a line where they are exact, and more of them where they were rounded.
    tails = (end - size for size in (3, 4, 6, 8, 12, 16, 24, 32, 48, 64, end) if size <= end)
    high = next((at for at in tails if _line(base[at:], new[at:]) is not None), end)
    if high == end:
        return end
    low = 0
    while low < high:
        middle = (low + high) // 2
        if _line(base[middle:], new[middle:]) is not None:
            high = middle
        else:
            low = middle + 1
    return high


def is_mixed(pair: RankingPair, depth: int) -> bool:
    """Whether one of the first `depth` stands below a document that was not among them, or gave way to it."""
    head = set(pair.base[:depth])
    known = set(pair.base)
    inside = [doc in head for doc in pair.reranked if doc in known]
    return any(not above and below for above, below in pairwise(inside)) or (
        not all(inside) and sum(inside) < len(head)
    )


# ---- all queries together ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Inferred:
    """The depth of a run, by query where it differs, and how it was found."""

    by_query: Mapping[str, int]
    found: InferredDepth


def merged_depth(pairs: Sequence[RankingPair]) -> Inferred | None:
    """The depth of a run whose reranked documents stand among the others; None where nothing says that it is one."""
    moved = [pair for pair in pairs if pair.base != pair.reranked]
    by_scores = None if scores_by_rank(moved) else _by_seams(moved)
    return by_scores or _by_order(moved)


def _by_seams(pairs: Sequence[RankingPair]) -> Inferred | None:
    """By the scores: nearly all queries that are long enough have a seam."""
    seams = {pair.query_id: seam for pair in pairs if (seam := seam_of(pair)) is not None}
    if not any(seam.mixed or seam.tail.kind == "one" for seam in seams.values()):
        return None
    depths = sorted(seam.depth for seam in seams.values())
    usual = depths[math.ceil(NEARLY_ALL * len(depths)) - 1]
    long = [pair for pair in pairs if len(pair.base) >= usual + 3 or pair.query_id in seams]
    weight = sum(seam.tail.weight for seam in seams.values())
    if weight < 3 or len(seams) < NEARLY_ALL * len(long):
        return None
    same = depths.count(usual)
    if not any(seam.mixed and seam.tail.kind != "one" for seam in seams.values()) and same < NEARLY_ALL * len(seams):
        return None  # one score at the end of each list, at no common depth: what the reranker gave to all the rest
    sure: Sureness = "high" if weight >= MUCH else "fair"
    by_query = {pair.query_id: seams[pair.query_id].depth if pair.query_id in seams else usual for pair in pairs}
    found = InferredDepth("scores", sure, len(seams), len(pairs), depths[0], depths[-1])
    return Inferred(by_query, found)


def _by_order(pairs: Sequence[RankingPair]) -> Inferred | None:
    """By the order alone: in nearly all queries a long tail keeps its order, while reranked documents sank into it."""
    same = [pair for pair in pairs if set(pair.base) == set(pair.reranked)]
    if len(same) < FEW:
        return None
    depths = sorted(_order_kept_from(pair) for pair in same)
    depth = depths[math.ceil(NEARLY_ALL * len(depths)) - 1]
    long = [pair for pair in same if len(pair.base) >= max(2 * depth, depth + LONG_TAIL)]
    kept = [pair for pair in long if _order_kept_from(pair) <= depth]
    # A document that sank a few ranks may be one of a rerank that was a little deeper than the order tells.
    far = max(2 * depth, depth + LONG_TAIL)
    mixed = [pair for pair in kept if (least_depth(pair) or 0) > far]
    if depth < 1 or len(kept) < NEARLY_ALL * len(same) or 2 * len(mixed) < len(kept) or len(mixed) < FEW:
        return None
    sure: Sureness = "high" if len(mixed) >= 2 * FEW else "fair"
    found = InferredDepth("order of the tail", sure, len(kept), len(pairs), depth, depth)
    return Inferred({pair.query_id: depth for pair in pairs}, found)


def _order_kept_from(pair: RankingPair) -> int:
    """The least depth below which the documents keep their order among each other."""
    rank = {doc: at for at, doc in enumerate(pair.reranked)}
    at = len(pair.base) - 1
    while at > 0 and rank[pair.base[at - 1]] < rank[pair.base[at]]:
        at -= 1
    return max(at, 0)


def scores_by_rank(pairs: Sequence[RankingPair]) -> bool:
    """Whether the new scores only say ranks (n to 1, 1/rank, the first stage's in their order), of no reranker."""
    scored = [pair for pair in pairs if pair.scores and len(pair.reranked) > 1]
    return bool(scored) and all(_says_ranks(pair) for pair in scored)


def _says_ranks(pair: RankingPair) -> bool:
    scores = np.array([pair.scores[doc] for doc in pair.reranked])
    lent = [pair.base_scores[doc] for doc in pair.base]
    if len(lent) == len(scores) and np.array_equal(scores, lent):
        return True
    if not np.isfinite(scores).all() or (scores == scores[0]).all():
        return False
    ranks = np.arange(1.0, len(scores) + 1)
    return len(scores) > 3 and any(_fits(by, scores) for by in (ranks, 1 / ranks, 1 / (ranks + 60)))


def _fits(by: Scores, scores: Scores) -> bool:
    slope, offset = np.polyfit(by, scores, 1)
    tolerance = max(_rounding(scores), PRECISION * float(np.abs(scores).max()))
    return bool(np.abs(scores - slope * by - offset).max() <= min(tolerance, 0.01 * float(np.ptp(scores))))


def cut_depth(pairs: Sequence[RankingPair]) -> Inferred | None:
    """The depth of a run that ends below it: its documents are the first ones of the first stage, and no others."""
    cut = {pair.query_id: len(pair.reranked) for pair in pairs if len(pair.reranked) < len(pair.base)}
    if not cut or any(set(pair.reranked) != set(pair.base[: len(pair.reranked)]) for pair in pairs):
        return None
    least, most = min(cut.values()), max(cut.values())
    sure: Sureness = "high" if least == most and len(cut) > 1 else "fair"
    by_query = {pair.query_id: cut.get(pair.query_id, len(pair.base)) for pair in pairs}
    return Inferred(by_query, InferredDepth("end of the lists", sure, len(cut), len(pairs), least, most))


def clean_depth(pairs: Sequence[RankingPair]) -> InferredDepth | None:
    """How sure the least depth of a rerank is that moves nothing below it; None where nothing moved at all."""
    depths = [depth for pair in pairs if (depth := least_depth(pair))]
    if not depths:
        return None
    most = max(depths)
    # A reranker leaves the last few documents of its head in place now and then; far from it, it was not reranking.
    reaching = sum(depth >= NEARLY_ALL * most for depth in depths)
    able = any(len(pair.base) > most for pair in pairs)  # where lists end, a greater depth would look the same
    found = [seam for pair in pairs if (seam := seam_of(pair)) is not None]
    seams = sorted(seam.depth for seam in found if sum(seam.tail.weight for seam in found) >= MUCH)
    sure: Sureness = "low"
    if able and seams and len(seams) >= NEARLY_ALL * len(depths) and seams[len(seams) // 2] == most:
        sure = "high"
    elif able and reaching > 1:
        sure = "high" if 2 * reaching >= len(depths) and reaching >= FEW else "fair"
    return InferredDepth("order", sure, reaching, len(pairs), min(depths), most)


def most_queries_within(pairs: Sequence[RankingPair]) -> tuple[int, tuple[str, ...]] | None:
    """A much lesser depth that suffices for nearly all queries, and those that it does not suffice for."""
    depths = {pair.query_id: depth for pair in pairs if (depth := least_depth(pair))}
    ordered = sorted(depths.values())
    if len(ordered) < 10:
        return None
    depth = ordered[math.ceil(NEARLY_ALL * len(ordered)) - 1]
    others = tuple(query for query, own in depths.items() if own > depth)
    # A depth is a step in the list of depths: many reach it, and the next one is far from it.
    steep = sum(own == depth for own in ordered) >= 0.2 * len(ordered) and others
    return (depth, others) if steep and min(depths[query] for query in others) >= 1.5 * depth else None
