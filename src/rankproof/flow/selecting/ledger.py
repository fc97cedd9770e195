"""Ledger: for each pair of a pool, how many grades it has, who is done with it, and who has it in hand."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.flow.selecting.pool import Pool
from rankproof.flow.selecting.seat import Seat
from rankproof.flow.selecting.words import Word


class Ledger:
    """Counts that are kept up to date, so that nothing has to go through all pairs.

    done   pairs with all the grades they should have; gold questions are not counted
    open   pairs that anybody may take and that want more grades
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.shared = frozenset(pool.shared)
        self.gold = frozenset(pool.gold)
        self.done = 0
        self.open = len(pool.shared)
        self._grades = [0] * len(pool.pairs)
        self._sayers: dict[int, set[str]] = {}
        self._holders: dict[int, set[str]] = {}

    def is_open(self, i: int) -> bool:
        """Whether more grades are wanted for a pair. A gold question is asked of everybody.

        "Cannot tell" is no grade, so another judge is asked; after twice as many as wanted, nobody is.
        """
        if i in self.gold:
            return True
        wanted = self.pool.wanted[i]
        return self._grades[i] < wanted and len(self._sayers.get(i, ())) < 2 * wanted

    def may(self, i: int, seat: Seat) -> bool:
        """Whether a judge may be asked about a pair now."""
        word = seat.said.get(i)
        if word is not None and word.settles:
            return False
        if i in self.gold or i in seat.personal:
            return True
        if i not in self.shared or not self.is_open(i):
            return False
        holders = self._holders.get(i)
        others = len(holders) - (seat.judge in holders) if holders else 0
        return self._grades[i] + others < self.pool.wanted[i]

    def hear(self, i: int, judge: str, word: tuple[Word | None, Word | None], seats: Mapping[str, Seat]) -> bool:
        """A judge said something about a pair: the word before and after. Whether the pair opened again by it."""
        before, after = word
        sayers = self._sayers.setdefault(i, set())
        was_open = self.is_open(i)
        counted = self._settled(i, judge)
        self._grades[i] += _is_grade(after) - _is_grade(before)
        if after is not None and after.settles:
            sayers.add(judge)
        else:
            sayers.discard(judge)
        is_open = self.is_open(i)
        if i not in self.gold:
            self.done += was_open - is_open
        if i in self.shared:
            self.open += is_open - was_open
            seats[judge].settled += self._settled(i, judge) - counted
            for other in sayers - {judge}:
                seats[other].settled += is_open - was_open
        return is_open and not was_open

    def take(self, i: int, seat: Seat) -> None:
        """A judge has the pair in hand."""
        self._holders.setdefault(i, set()).add(seat.judge)

    def let_go(self, i: int, seat: Seat) -> None:
        """A judge has it no longer."""
        holders = self._holders.get(i, set())
        holders.discard(seat.judge)
        if not holders:
            self._holders.pop(i, None)

    def _settled(self, i: int, judge: str) -> bool:
        return self.is_open(i) and judge in self._sayers[i]


def _is_grade(word: Word | None) -> bool:
    return word is not None and word.grade is not None
