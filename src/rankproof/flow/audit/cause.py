"""Causes: what may have happened to a run that is no rerank, or looks like a strange one. Guesses, said as such."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A pattern that nearly all rankings show is how the run was made; the rest may have too few documents to show it.
NEARLY_ALL = 0.9


@dataclass(frozen=True, slots=True)
class Pair:
    """A query's ranking before and after, with scores by document where both runs have them."""

    query_id: str
    base: list[str]
    reranked: list[str]
    base_scores: Mapping[str, float]
    scores: Mapping[str, float]


def likely_cause(broken: Sequence[Pair], depth: int, names: tuple[str, str]) -> str:
    """The first explanation that fits every ranking that is broken; "" for none."""
    if all(_tail_lost(pair, depth) for pair in broken):
        return (
            f"The documents below the depth were left out: measures that look below rank {depth} see fewer documents "
            f"than in {names[0]}. Append the rest of {names[0]} to the reranked ones."
        )
    if all(_up_to_ties(pair, depth) for pair in broken):
        return (
            "The orders differ only among documents with equal scores. Give the documents scores that put them in "
            "order, or read the runs by their ranks (--order rank)."
        )
    if all(_sank(pair, depth) for pair in broken):
        return _mixed_scores(broken, depth, names)
    return ""


def _tail_lost(pair: Pair, depth: int) -> bool:
    there = len(pair.reranked)
    return (
        depth <= there < len(pair.base)
        and set(pair.reranked[:depth]) == set(pair.base[:depth])
        and (pair.reranked[depth:] == pair.base[depth:there])
    )


def _up_to_ties(pair: Pair, depth: int) -> bool:
    """Whether, where another document stands, it has the score of the one that should, on one side or the other."""
    if not pair.scores or len(pair.base) != len(pair.reranked) or set(pair.base) != set(pair.reranked):
        return False
    head = set(pair.base[:depth])
    for rank, (old, new) in enumerate(zip(pair.base, pair.reranked, strict=True), start=1):
        if old == new or (rank <= depth and new in head):
            continue
        if pair.scores[old] != pair.scores[new] and pair.base_scores[old] != pair.base_scores[new]:
            last = pair.base[
                depth - 1
            ]  # what came up across the depth took the place of a document that it is tied with
            if rank > depth or pair.scores[last] != pair.scores[new]:
                return False
    return True


def _tail_keeps_scores(pair: Pair, depth: int) -> bool:
    """Whether the documents below the depth have the base's scores, and those above have others."""
    tail = [doc for doc in pair.base[depth:] if doc in pair.scores]
    head = [doc for doc in pair.base[:depth] if doc in pair.scores]
    kept = sum(pair.scores[doc] == pair.base_scores[doc] for doc in tail)
    new = sum(pair.scores[doc] != pair.base_scores[doc] for doc in head)
    return bool(tail) and bool(head) and kept == len(tail) and new >= NEARLY_ALL * len(head)


def _sank(pair: Pair, depth: int) -> bool:
    """Whether reranked documents stand below ones that were not reranked, each group in an order of its own."""
    if not pair.scores or not _tail_keeps_scores(pair, depth):
        return False
    tail = pair.base[depth:]
    below = set(tail)
    return [doc for doc in pair.reranked if doc in below] == tail


def _mixed_scores(broken: Sequence[Pair], depth: int, names: tuple[str, str]) -> str:
    sunk = negative = 0
    least, greatest = float("inf"), float("-inf")
    for pair in broken:
        tail = set(pair.base[depth:])
        highest = next(rank for rank, doc in enumerate(pair.reranked) if doc in tail)
        head = [doc for doc in pair.reranked[highest:] if doc not in tail]
        sunk += len(head)
        negative += sum(pair.scores[doc] < 0 for doc in head)
        least = min([least, *(pair.scores[doc] for doc in head)])
        greatest = max([greatest, *(pair.scores[doc] for doc in tail)])
    signs = f", {negative:,} of them with negative scores," if negative else ""
    return (
        f"Two scales of scores were merged: documents below rank {depth} keep the scores of {names[0]} (up to "
        f"{greatest:g}), the reranked ones have scores of their own (down to {least:g}). {sunk:,} reranked documents"
        f"{signs} sank among those that were never reranked. Put all reranked documents above the others before "
        "writing the run."
    )


def scores_mixed_from(pairs: Sequence[Pair], least: int) -> str:
    """A note where only the documents below some rank keep their scores, and the order changed below it: "" else."""
    starts = Counter(start for pair in pairs if (start := _scores_kept_from(pair)) is not None)
    if not starts:
        return ""
    depth, many = starts.most_common(1)[0]
    if (
        depth >= least
        or many < NEARLY_ALL * len(pairs)
        or not all(_sank(p, depth) for p in pairs if len(p.base) > depth)
    ):
        return ""
    return (
        f"all documents below rank {depth} keep their scores and no others do: this looks like a rerank to depth "
        f"{depth} whose scores were merged with those of the rest; audit it with --depth {depth}"
    )


def _scores_kept_from(pair: Pair) -> int | None:
    """The rank below which every document has the score it had; None where all or none have."""
    if not pair.scores or set(pair.base) != set(pair.reranked):
        return None
    at = len(pair.base)
    while at and pair.scores[pair.base[at - 1]] == pair.base_scores[pair.base[at - 1]]:
        at -= 1
    return at if 0 < at < len(pair.base) else None
