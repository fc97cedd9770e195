"""Adjudicated: the grades that judgments were settled to, how each was, and what was left open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankproof.records.qrels import Qrels


@dataclass(frozen=True, slots=True)
class SettledPair:
    """A document for a query: its grade, or None where it stays unresolved; how; and who said what, by name."""

    query_id: str
    doc_id: str
    grade: int | None
    how: str
    votes: tuple[tuple[str, int], ...]

    @property
    def agreed(self) -> bool:
        """Whether all who graded it gave the same grade."""
        return len({grade for _, grade in self.votes}) == 1

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "query_id": self.query_id,
            "doc_id": self.doc_id,
            "grade": self.grade,
            "how": self.how,
            "votes": dict(self.votes),
        }


@dataclass(frozen=True)
class Adjudicated:
    """What became of the judgments that hold. The same acts and the same method give the same, in any order.

    method      the adjudication, as text
    sources     whose judgments counted: person, model, clicks
    acts        SHA-256 of the acts that counted
    n_acts      how many they were
    set_aside   judgments that are no grade, by reason; and grades that the scale does not have
    left_out    judgments of other sources, by source
    pairs       every pair with a grade from somebody, by query and document
    qrels       the settled grades
    """

    method: str
    sources: tuple[str, ...]
    acts: str
    n_acts: int
    set_aside: dict[str, int]
    left_out: dict[str, int]
    pairs: tuple[SettledPair, ...]
    qrels: Qrels

    @cached_property
    def unresolved(self) -> tuple[SettledPair, ...]:
        """Pairs with grades but without one that holds."""
        return tuple(pair for pair in self.pairs if pair.grade is None)

    @cached_property
    def settled_how(self) -> dict[str, int]:
        """How many pairs were settled, or not, in which way; the most common first."""
        counts = Counter(pair.how for pair in self.pairs)
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    @cached_property
    def agreement(self) -> dict[str, int]:
        """Pairs by how many judges graded them and whether they agreed."""
        several = [pair for pair in self.pairs if len(pair.votes) > 1]
        return {
            "pairs": len(self.pairs),
            "one_judge": len(self.pairs) - len(several),
            "several_judges": len(several),
            "agreed": sum(pair.agreed for pair in several),
            "disagreed": sum(not pair.agreed for pair in several),
        }

    def to_dict(self) -> dict[str, Any]:
        """For JSON, without the pairs that everybody agreed on."""
        return {
            "method": self.method,
            "sources": list(self.sources),
            "acts": {"sha256": self.acts, "count": self.n_acts},
            "set_aside": self.set_aside,
            "left_out": self.left_out,
            "agreement": self.agreement,
            "settled_how": self.settled_how,
            "qrels": {
                "sha256": self.qrels.content_hash,
                "queries": len(self.qrels),
                "pairs": len(self.qrels.rows),
                "grades": {str(grade): count for grade, count in self.qrels.grades.items()},
            },
            "disagreements": [pair.to_dict() for pair in self.pairs if not pair.agreed and pair.grade is not None],
            "unresolved": [pair.to_dict() for pair in self.unresolved],
        }
