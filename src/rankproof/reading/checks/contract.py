"""What an item on the checks shelf is: Check; and its result: CheckResult, a few Spots and a count."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.reading.check_subject import Subject
from rankproof.reading.finding import Finding, Severity

Noun = Literal["run", "qrels"]

# How many findings of one code are listed with their places; the rest are only counted.
FEW = 3


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a fault. `remedy` only where there is a better one than the check's general remedy."""

    message: str
    line: int | None = None
    query_id: str | None = None
    doc_id: str | None = None
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The first few spots, in the order of the source, and how many there are in all."""

    spots: tuple[Spot, ...]
    count: int


NOTHING = CheckResult((), 0)


def found(spots: Iterable[Spot], count: int | None = None) -> CheckResult:
    """The first few of the spots; `count` says how many there are when the spots are not all made."""
    if count is None:
        spots = tuple(spots)
        count = len(spots)
    return CheckResult(tuple(islice(spots, FEW)), count)


def found_rows(subject: Subject, rows: NDArray[np.int64], say: Callable[[int], str]) -> CheckResult:
    """One spot per row; `say` writes the message of a row. Rows beyond the first few cost nothing."""
    return found((spot(subject, int(row), say(int(row))) for row in rows[:FEW]), len(rows))


def spot(subject: Subject, row: int, message: str, remedy: str | None = None) -> Spot:
    """The place of a row: its line, query and document."""
    return Spot(message, subject.line(row), subject.query_id(row), subject.doc_id(row), remedy)


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """One item of the shelf. `page` is the module's docstring: fault, severity, remedy, example.

    of        what it looks at: runs, qrels or both
    severity  "error" for what makes a result indefensible
    look      finds the fault; without what it needs (qrels, cutoffs, ranks, scores) it finds nothing
    remedy    what to do, in general
    weigh     the severity, where it depends on the request
    firm      what is refused even when the fault is allowed: no correct value could replace it
    """

    name: str
    page: str
    of: tuple[Noun, ...]
    severity: Severity
    look: Callable[[Subject], CheckResult]
    remedy: str
    weigh: Callable[[Subject], Severity] | None = None
    firm: tuple[Noun, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def severity_for(self, subject: Subject) -> Severity:
        """How grave the fault is for this subject."""
        return self.severity if self.weigh is None else self.weigh(subject)

    def findings(self, subject: Subject) -> tuple[Finding, ...]:
        """What the check finds, folded: the last finding carries the count of those not listed."""
        seen = self.look(subject)
        last = len(seen.spots) - 1
        return tuple(
            Finding(
                code=self.name,
                severity=self.severity_for(subject),
                source=subject.source,
                message=at.message,
                remedy=self.remedy if at.remedy is None else at.remedy,
                line=at.line,
                query_id=at.query_id,
                doc_id=at.doc_id,
                unit=subject.unit,
                further=seen.count - len(seen.spots) if place == last else 0,
            )
            for place, at in enumerate(seen.spots)
        )
