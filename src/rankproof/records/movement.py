"""QueryMove: one query that won or lost, and which documents moved in its ranking."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocMove:
    """One document in two rankings. A rank of None: not within the depth that was looked at."""

    doc_id: str
    before: int | None
    after: int | None
    grade: int | None  # None: unjudged


@dataclass(frozen=True, slots=True)
class QueryMove:
    """A query's change in one measure, with the documents that entered, left, rose and fell in the first `depth`."""

    measure: str
    candidate: str
    query_id: str
    text: str  # the query's own words; "" when no topics were given
    before: float
    after: float
    difference: float
    depth: int
    entered: tuple[DocMove, ...] = ()
    left: tuple[DocMove, ...] = ()
    rose: tuple[DocMove, ...] = ()
    fell: tuple[DocMove, ...] = ()
