"""Showing: the list for one page, from the rankings of the systems and a key. For servers: no state, light to import.

The same experiment, key, rankings and method give the same list, on any machine. A key names one page: the session and
the query, so that a user who comes back to it finds it as it was. The order in which the systems are named changes
nothing.

Only as many ranks as the shortest ranking has are drafted, since at every rank every system must be able to have its
way. What the systems rank beyond that fills the page, best rank first, and earns nobody anything; so a system that
finds too little is not told from one that finds enough. That is for a trial to see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from rankproof.errors import InputError, UsageError
from rankproof.flow.calls import Call, read_call
from rankproof.interleavings._chance import Chance
from rankproof.interleavings._contract import Interleaving
from rankproof.records.interleaving import Shown

DEPTH = 10


def interleave(
    rankings: Mapping[str, Sequence[str]],
    key: str,
    method: str = "team_draft",
    depth: int = DEPTH,
    experiment: str = "",
) -> Shown:
    """The list to show: at most `depth` documents, and what a click on each is worth to each system."""
    asked = _asked(method)
    if depth < 1:
        raise UsageError(f"depth must be 1 or more; got {depth}.")
    systems = tuple(sorted(rankings))
    _check_systems(systems, asked)
    ranked = {name: rankings[name] for name in systems}
    for name, ranking in ranked.items():
        _check_ranking(name, ranking)
    size = min(depth, min(map(len, ranked.values())))
    drafted = asked.item.draft(ranked, size, Chance(key, experiment), asked.values)
    filling = _filling(ranked, drafted.docs, depth)
    nothing = (0.0,) * len(systems)
    return Shown(
        method=asked.text,
        systems=systems,
        docs=(*drafted.docs, *filling),
        credits=(*drafted.credits, *([nothing] * len(filling))),
        teams=(*drafted.teams, *([None] * len(filling))),
        credited=len(drafted.docs),
    )


@lru_cache(maxsize=64)
def _asked(method: str) -> Call:
    return read_call("interleavings", method)


def _check_systems(systems: Sequence[str], asked: Call) -> None:
    item: Interleaving = asked.item
    if len(systems) < 2:
        raise UsageError(f"Interleaving takes the rankings of two systems or more; got {len(systems)}.")
    if item.most is not None and len(systems) > item.most:
        raise UsageError(
            f"{item.name} takes {item.most} systems; got {len(systems)}: {', '.join(systems)}. "
            "Take team_draft_multileave or probabilistic for more."
        )


def _check_ranking(name: str, ranking: Sequence[str]) -> None:
    if len(set(ranking)) != len(ranking):
        twice = next(doc for i, doc in enumerate(ranking) if doc in ranking[:i])
        raise InputError(f"The ranking of {name!r} has document {twice!r} twice. Rank each document once.")


def _filling(rankings: Mapping[str, Sequence[str]], drafted: Sequence[str], depth: int) -> list[str]:
    """What fills the page below: by best rank, and by the system's name where two are equal."""
    wanted = depth - len(drafted)
    if wanted == 0:
        return []
    found: dict[str, None] = {}
    shown = set(drafted)
    for rank in range(max(map(len, rankings.values()))):
        for ranking in rankings.values():
            if rank < len(ranking) and ranking[rank] not in shown:
                found.setdefault(ranking[rank])
        if len(found) >= wanted:
            break
    return list(found)[:wanted]
