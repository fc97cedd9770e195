"""Words: what people said about pairs and still holds, kept up to date act by act.

The rule is the store's: the newest act of a judge about a pair holds, unless it was withdrawn; then the one before it
holds again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rankproof.records.judging import Judgment, Reason

Pair = tuple[str, str]


class Word(NamedTuple):
    """What a judge said about a pair: a grade, or a reason for having none."""

    key: str
    grade: int | None
    reason: Reason
    time: str

    @property
    def settles(self) -> bool:
        """Whether the judge is done with the pair; not so for "later"."""
        return self.reason != "later"


class Change(NamedTuple):
    """What an act changed: the word that held before it, and the one that holds after it."""

    judge: str
    pair: Pair
    before: Word | None
    after: Word | None


class Words:
    """The words of people, by judge in the order of their first act."""

    def __init__(self) -> None:
        self._said: dict[str, dict[Pair, list[Word]]] = {}

    def tell(self, act: Judgment) -> Change | None:
        """Takes an act in; None where it changes nothing. What models say is no word of people."""
        if act.source.kind != "person":
            return None
        pair = (act.query_id, act.doc_id)
        said = self._said.setdefault(act.judge, {}).setdefault(pair, [])
        before = said[-1] if said else None
        if act.withdraws:
            said[:] = [word for word in said if word.key != act.withdraws]
        else:
            said.append(Word(act.key, act.grade, act.reason, act.time))
        after = said[-1] if said else None
        return None if before is after else Change(act.judge, pair, before, after)

    def of(self, judge: str, pair: Pair) -> Word | None:
        """What holds of a judge about a pair."""
        said = self._said.get(judge, {}).get(pair)
        return said[-1] if said else None

    def __iter__(self) -> Iterator[tuple[str, Pair, Word]]:
        for judge, pairs in self._said.items():
            for pair, said in pairs.items():
                if said:
                    yield judge, pair, said[-1]
