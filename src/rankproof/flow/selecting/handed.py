"""Handed out: how much each judge was asked by name, and how much of it they have answered."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from rankproof.flow.selecting.words import Pair
from rankproof.records.assignment import Assignment
from rankproof.records.judging import Judgment


@dataclass(frozen=True, slots=True)
class Handed:
    """What one judge was handed. Who cannot tell has answered; who said "later" has not.

    judge   empty for the pairs that anybody may take: those are answered once somebody has
    """

    judge: str
    asked: int
    answered: int

    @property
    def left(self) -> int:
        """Pairs that wait for a word."""
        return self.asked - self.answered

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"judge": self.judge, "asked": self.asked, "answered": self.answered, "left": self.left}


def handed_out(
    assignments: Iterable[Assignment], judgments: Iterable[Judgment], gold: Collection[Pair] = ()
) -> tuple[Handed, ...]:
    """By judge, in alphabetical order. Pairs that have become gold questions are asked as such and not counted."""
    asked: dict[str, set[Pair]] = {}
    for one in assignments:
        if (one.query_id, one.doc_id) not in gold:
            asked.setdefault(one.judge, set()).add((one.query_id, one.doc_id))
    said: dict[str, set[Pair]] = {}
    for act in judgments:
        if act.reason != "later" and act.source.kind == "person":
            for name in (act.judge, ""):
                said.setdefault(name, set()).add((act.query_id, act.doc_id))
    return tuple(
        Handed(judge, len(pairs), len(pairs & said.get(judge, set()))) for judge, pairs in sorted(asked.items())
    )
