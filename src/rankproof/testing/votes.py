"""A few judgments of one pair, for the pages of adjudications and for their tests."""

from __future__ import annotations

from collections.abc import Collection
from string import ascii_lowercase
from typing import Any

from rankproof.judging.records import PERSON, SCALES, SETTLING, Judgment
from rankproof.kernel.specs.calls import configure


def votes(*grades: int, settles: Collection[str] = ()) -> list[Judgment]:
    """A judgment for each grade: by a, b, c, ..., one a second after the other; `settles` names who settles."""
    return [
        Judgment(
            f"{i:032x}",
            judge,
            "q1",
            "d1",
            grade,
            time=f"2031-05-04T03:02:{i:02}.000000Z",
            source=SETTLING if judge in settles else PERSON,
        )
        for i, (grade, judge) in enumerate(zip(grades, ascii_lowercase, strict=False))
    ]


def settled(method: str, *grades: int, settles: Collection[str] = (), **options: Any) -> tuple[int | None, str]:
    """The grade that a method makes of grades from 0 to 3, and how."""
    configured = configure("adjudications", method, options)
    outcome = configured.item.settle(votes(*grades, settles=settles), SCALES["graded"], configured.values)
    return outcome.grade, outcome.how
