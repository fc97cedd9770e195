"""Rounds of a team draft: in each, every system picks its best document that is left, in an order drawn anew."""

from __future__ import annotations

from rankproof.online.interleavings._key_rng import KeyRng
from rankproof.online.interleavings.contract import Drafted, Rankings


def drafted_in_rounds(rankings: Rankings, size: int, rng: KeyRng) -> Drafted:
    """The first `size` picks. A round that is cut short is cut for everybody alike, since its order is random."""
    systems = list(rankings)
    worth = [tuple(float(i == j) for j in range(len(systems))) for i in range(len(systems))]
    left = [iter(rankings[name]) for name in systems]
    taken: set[str] = set()
    drafted = Drafted([], [], [])
    while len(drafted.docs) < size:
        for i in rng.shuffled(len(systems))[: size - len(drafted.docs)]:
            doc = next(doc for doc in left[i] if doc not in taken)
            taken.add(doc)
            drafted.docs.append(doc)
            drafted.credits.append(worth[i])
            drafted.teams.append(systems[i])
    return drafted
