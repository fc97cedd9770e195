"""Progress of a round, and the judgments in force, up to date with every judgment.

The rule is the store's: the newest act of a judge about a pair holds, unless it was withdrawn; then the one before it
holds again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from rankproof.judging.records import Judgment, Reason

# Of a judge's last answers these count for the pace; a longer gap than this is a break, not work.
LAST = 40
BREAK = timedelta(minutes=3)
FEWEST = 5


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """Counts of pairs.

    pairs    in the pool
    done     of them, how many have all the grades they should have
    mine     how many this judge is done with, also outside the pool
    left     how many are still open to this judge, with those set aside
    later    how many this judge set aside for later
    today    how many this judge is done with since a moment
    pace     grades an hour while at work; None where there are too few to tell
    undecided  pairs on which people could not tell: nobody gave a grade, or nobody else is going to be asked
    assigned   whether anything is handed out to this judge; otherwise all pairs are assigned to others by name
    """

    pairs: int
    done: int
    mine: int
    left: int
    later: int
    today: int
    pace: int | None
    undecided: int = 0
    assigned: bool = True

    @property
    def minutes(self) -> int | None:
        """How long what is left takes at this pace; None where there is none."""
        return max(1, round(60 * self.left / self.pace)) if self.pace and self.left else None


def pace_of(times: Sequence[str], now: str) -> int | None:
    """Answers an hour, from the gaps between the last answers that are no breaks; None after a break or for too few."""
    moments = [datetime.fromisoformat(text) for text in times[-LAST - 1 :]]
    if not moments or datetime.fromisoformat(now) - moments[-1] > 10 * BREAK:
        return None
    gaps = [after - before for before, after in pairwise(moments) if after - before <= BREAK]
    if len(gaps) < FEWEST:
        return None
    mean = sum(gaps, timedelta()) / len(gaps)
    return round(timedelta(hours=1) / max(mean, timedelta(milliseconds=100)))


def since(times: Sequence[str], moment: str) -> int:
    """How many of the times, which are in order, lie at a moment or after it."""
    return len(times) - bisect_left(times, moment)


Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class UndecidedPair:
    """A pair on which people could not tell, for a reviewer.

    judges   who cannot tell, in alphabetical order
    grades   how many people gave a grade all the same
    waits    whether somebody else is going to be asked
    """

    query_id: str
    doc_id: str
    judges: tuple[str, ...]
    grades: int
    waits: bool


class JudgeAnswer(NamedTuple):
    """A judge's answer about a pair: a grade, or a reason for having none."""

    key: str
    grade: int | None
    reason: Reason
    time: str

    @property
    def settles(self) -> bool:
        """Whether the judge is done with the pair; not so for "later"."""
        return self.reason != "later"


class JudgmentChange(NamedTuple):
    """What an act changed: the answer in force before it, and the one after it."""

    judge: str
    pair: Pair
    before: JudgeAnswer | None
    after: JudgeAnswer | None


class JudgeAnswers:
    """The answers of people, by judge in the order of their first act; and the words that settle each pair, by key."""

    def __init__(self) -> None:
        self._answers: dict[str, dict[Pair, list[JudgeAnswer]]] = {}
        self.settled: dict[Pair, list[str]] = {}

    def record(self, act: Judgment) -> JudgmentChange | None:
        """Records an act; None where it changes nothing. Judgments by models and words that settle are no answers."""
        if act.source.kind != "person":
            return None
        pair = (act.query_id, act.doc_id)
        if act.withdraws in self.settled.get(pair, ()):
            words = [key for key in self.settled.pop(pair) if key != act.withdraws]
            if words:
                self.settled[pair] = words
            return None
        if act.settles:
            if not act.withdraws:
                self.settled.setdefault(pair, []).append(act.key)
            return None
        answers = self._answers.setdefault(act.judge, {}).setdefault(pair, [])
        before = answers[-1] if answers else None
        if act.withdraws:
            answers[:] = [answer for answer in answers if answer.key != act.withdraws]
        else:
            answers.append(JudgeAnswer(act.key, act.grade, act.reason, act.time))
        after = answers[-1] if answers else None
        return None if before is after else JudgmentChange(act.judge, pair, before, after)

    def of(self, judge: str, pair: Pair) -> JudgeAnswer | None:
        """What holds of a judge about a pair."""
        answers = self._answers.get(judge, {}).get(pair)
        return answers[-1] if answers else None

    def __iter__(self) -> Iterator[tuple[str, Pair, JudgeAnswer]]:
        for judge, pairs in self._answers.items():
            for pair, answers in pairs.items():
                if answers:
                    yield judge, pair, answers[-1]
