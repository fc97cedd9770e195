"""What moved between two rankings, and what a value does not say of it: documents, queries, blind spots, ties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DocMove:
    """One document in two rankings.

    Attributes:
        doc_id: the document
        before: its rank in the baseline; None where it is not within the depth that was looked at
        after: its rank in the candidate; None where it is not within the depth that was looked at
        grade: its grade; None where it is unjudged
    """

    doc_id: str
    before: int | None
    after: int | None
    grade: int | None


@dataclass(frozen=True, slots=True)
class QueryMove:
    """A query's change in one measure, with the documents that moved in the first `depth`.

    Attributes:
        measure: the measure
        candidate: the system that is compared with the baseline
        query_id: the query
        text: the query's own words; "" when no topics were given
        before: its value in the baseline
        after: its value in the candidate
        difference: after minus before
        depth: how far down the rankings were compared
        entered: documents that only the candidate has in the first `depth`
        left: documents that only the baseline has there
        rose: documents that the candidate ranks higher
        fell: documents that the candidate ranks lower
    """

    measure: str
    candidate: str
    query_id: str
    text: str
    before: float
    after: float
    difference: float
    depth: int
    entered: tuple[DocMove, ...] = ()
    left: tuple[DocMove, ...] = ()
    rose: tuple[DocMove, ...] = ()
    fell: tuple[DocMove, ...] = ()


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """For one measure and one candidate: where the ranking changed and the value did not.

    A ranking has changed when some rank holds another grade than before: what a measure of relevance could see.

    Attributes:
        measure: the measure
        candidate: the system that is compared with the baseline
        queries: how many queries were looked at
        changed: queries whose grades by rank changed, down to `depth`; unjudged counts as not relevant
        unseen: those of them whose value is the same to the last digit that counts
        seen_by: other measures, and how many of the unseen queries they do tell apart, most first: the requested ones,
            and a few usual ones
        depth: how far down rankings were compared: the greatest cutoff of any measure; None for whole rankings
        alike: queries where other documents stand there, but of the same grades: no measure of relevance sees that
    """

    measure: str
    candidate: str
    queries: int
    changed: int
    unseen: tuple[str, ...] = field(repr=False)  # as many as there are queries
    seen_by: Mapping[str, int]
    depth: int | None = None
    alike: int = 0

    @property
    def share(self) -> float:
        """Unseen over changed; 0 where nothing changed."""
        return len(self.unseen) / self.changed if self.changed else 0.0


@dataclass(frozen=True, slots=True)
class TieRisk:
    """The range of a difference over all orders of tied documents on both sides.

    Attributes:
        measure: the measure
        candidate: the system that is compared with the baseline
        least: the least difference over all orders
        greatest: the greatest difference over all orders
        observed: the difference in the order that was measured
        changes: whether one of the two ends gives another verdict (other side of zero, or significant against not)
        exact: False where the ends come from random orders, or nothing could be looked at; `note` says which
        note: what a reader must know; "" where there is nothing
        baseline: the system it is compared with; "" for the first of the comparison
    """

    measure: str
    candidate: str
    least: float
    greatest: float
    observed: float
    changes: bool
    exact: bool
    note: str = ""
    baseline: str = ""
