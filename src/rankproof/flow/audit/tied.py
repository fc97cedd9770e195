"""Tied: what equal scores leave open in two runs of which one is said to be the other reranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from rankproof.flow.audit.cause import Pair


def tie_notes(pairs: Sequence[Pair], depth: int, names: tuple[str, str]) -> list[str]:
    """Where equal scores leave open which documents are in the first `depth`, or how documents stand."""
    base = [_equal(pair.base, pair.base_scores) for pair in pairs]
    new = [_equal(pair.reranked, pair.scores) for pair in pairs]
    notes = []
    for name, equal in ((names[0], base), (names[1], new)):
        across = sum(0 < depth <= len(found) and found[depth - 1] for found in equal)
        below = sum(any(found[depth:]) for found in equal)
        if across:
            notes.append(
                f"{name}: in {count(across)} ranks {depth} and {depth + 1} have equal scores; the rule for ties "
                "decides which document is within the depth"
            )
        if below:
            notes.append(
                f"{name}: in {count(below)} documents below rank {depth} have equal scores; the rule for ties "
                "decides their order"
            )
    if _borrowed(pairs):
        note = f"{names[1]} has the scores of {names[0]}, rank by rank: they say nothing of the reranker's own"
        within = sum(any(found[: max(depth - 1, 0)]) for found in new)
        if within:
            note += (
                f"; in {count(within)} some of them are equal, and there the rule for ties decides and not the "
                "reranker (--order rank follows the rank column)"
            )
        notes.append(note)
    return notes


def _equal(docs: Sequence[str], scores: Mapping[str, float]) -> list[bool]:
    """For each rank but the last, whether the next one has the same score."""
    return [a == b for a, b in pairwise(scores[doc] for doc in docs)] if scores else []


def _borrowed(pairs: Sequence[Pair]) -> bool:
    """Whether the documents changed places and the scores did not."""
    moved = [pair for pair in pairs if pair.base != pair.reranked]
    return bool(moved) and all(
        bool(pair.scores)
        and [pair.scores[doc] for doc in pair.reranked] == [pair.base_scores[doc] for doc in pair.base]
        for pair in moved
    )


def count(many: int) -> str:
    """So many queries, in words."""
    return "1 query" if many == 1 else f"{many} queries"
