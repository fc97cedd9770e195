"""Placed: the rankings of one query under every run, with grades, and where each document stood in another run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rankproof.flow.movement import documents_moved

Moved = Literal["", "entered", "rose", "fell"]


@dataclass(frozen=True, slots=True)
class Place:
    """A document in a ranking.

    grade   as settled; None where it is unjudged or unresolved
    moved   against the other run, within the depth shown; `before` is its rank there
    """

    rank: int
    doc_id: str
    grade: int | None
    moved: Moved = ""
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """One run's ranking of a query, as deep as is shown. `left` are documents that the other run shows and this not."""

    run: str
    places: tuple[Place, ...]
    length: int
    left: tuple[Place, ...] = ()


def placed(
    rankings: Mapping[str, Sequence[str]], grades: Mapping[str, int], depth: int, against: str = ""
) -> list[Ranked]:
    """The rankings in the order given; what moved is told against the run `against`, where there is such a one."""
    other = rankings.get(against)
    found = []
    for run, docs in rankings.items():
        if other is None or run == against:
            found.append(Ranked(run, _places(docs[:depth], grades, {}), len(docs)))
            continue
        entered, left, rose, fell = documents_moved(other[:depth], docs[:depth], grades)
        how: dict[str, tuple[Moved, int | None]] = {}
        for word, moves in (("entered", entered), ("rose", rose), ("fell", fell)):
            how.update({move.doc_id: (_word(word), move.before) for move in moves})
        gone = tuple(Place(move.before or 0, move.doc_id, move.grade) for move in left)
        found.append(Ranked(run, _places(docs[:depth], grades, how), len(docs), gone))
    return found


def _word(word: str) -> Moved:
    return "entered" if word == "entered" else "rose" if word == "rose" else "fell"


def _places(
    docs: Sequence[str], grades: Mapping[str, int], how: Mapping[str, tuple[Moved, int | None]]
) -> tuple[Place, ...]:
    return tuple(Place(rank, doc, grades.get(doc), *how.get(doc, ("", None))) for rank, doc in enumerate(docs, 1))
