"""JudgingSummary: who judged how much, which grades they gave, and where they disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class JudgeCounts:
    """What one judge has said. `grades` counts by grade; `last` is when they judged last."""

    judge: str
    source: str
    grades: dict[int, int]
    cannot_tell: int
    later: int
    last: str

    @property
    def judged(self) -> int:
        """Pairs with a grade."""
        return sum(self.grades.values())

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "judge": self.judge,
            "source": self.source,
            "judged": self.judged,
            "grades": {str(grade): count for grade, count in self.grades.items()},
            "cannot_tell": self.cannot_tell,
            "later": self.later,
            "last": self.last,
        }


@dataclass(frozen=True, slots=True)
class SplitPair:
    """A document on which judges disagree, and who gave which grade."""

    query_id: str
    doc_id: str
    votes: tuple[tuple[str, int], ...]

    @property
    def spread(self) -> int:
        """From the least grade to the greatest."""
        grades = [grade for _, grade in self.votes]
        return max(grades) - min(grades)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"query_id": self.query_id, "doc_id": self.doc_id, "votes": dict(self.votes)}


@dataclass(frozen=True, slots=True)
class JudgingSummary:
    """What judgments say together.

    pairs      pairs with a grade from anybody
    several    pairs with grades from two judges or more
    split      those of them on which grades differ, the widest apart first
    """

    judges: tuple[JudgeCounts, ...]
    pairs: int
    several: int
    split: tuple[SplitPair, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "judges": [judge.to_dict() for judge in self.judges],
            "pairs": self.pairs,
            "several_judges": self.several,
            "agreed": self.several - len(self.split),
            "disagreements": [pair.to_dict() for pair in self.split],
        }
