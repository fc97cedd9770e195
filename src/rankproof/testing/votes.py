"""Votes: small sets of judgments of one pair, for the pages of adjudications and for their tests."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any

from rankproof.flow.calls import call
from rankproof.records.judging import Judgment
from rankproof.records.scale import SCALES


def votes(*grades: int) -> list[Judgment]:
    """A judgment for each grade: by a, b, c, ..., one a second after the other."""
    return [
        Judgment(f"{i:032x}", ascii_lowercase[i], "q1", "d1", grade, time=f"2031-05-04T03:02:{i:02}.000000Z")
        for i, grade in enumerate(grades)
    ]


def settled(method: str, *grades: int, **said: Any) -> tuple[int | None, str]:
    """The grade that a method makes of grades from 0 to 3, and how."""
    asked = call("adjudications", method, said)
    found = asked.item.settle(votes(*grades), SCALES["graded"], asked.values)
    return found.grade, found.how
