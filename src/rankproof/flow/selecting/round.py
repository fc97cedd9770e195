"""Round: which pair each judge is asked about next, kept in memory and up to date act by act.

Promises
  * nobody is asked about a pair that they are done with; "later" comes back when nothing else is left;
  * a pair is asked of as many people as are wanted for it, and not of more while others have it in hand;
  * who has something in hand gets the same again, in the same order: a page that is loaded again keeps its place;
  * the same acts and the same questions give the same answers.
Every step costs about the same, however large the pool: nothing goes through all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import RLock

from rankproof.flow.selecting.gold import is_gold_turn
from rankproof.flow.selecting.ledger import Ledger
from rankproof.flow.selecting.orders import turn_of
from rankproof.flow.selecting.pool import Pool
from rankproof.flow.selecting.progress import Progress, pace_of, since
from rankproof.flow.selecting.seat import Seat
from rankproof.flow.selecting.words import Change, Word, Words
from rankproof.records.judging import Judgment

# Seconds after which what somebody has in hand, and says nothing about, may be taken by others.
HELD = 900.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A pair that a judge is asked about; `again`: it was set aside for later."""

    query_id: str
    doc_id: str
    again: bool = False


class Round:
    """One body of judging: a pool, the words about it, and who has what in hand. Several threads may use it."""

    def __init__(self, pool: Pool, words: Words | None = None, seed: int = 0) -> None:
        self.pool, self.words, self._seed = pool, words if words is not None else Words(), seed
        self._place = {pair: i for i, pair in enumerate(pool.pairs)}
        self._by_query: dict[str, list[int]] = {}
        for i in range(len(pool.pairs) - len(pool.gold)):
            self._by_query.setdefault(pool.pairs[i][0], []).append(i)
        self._ledger = Ledger(pool)
        self._seats: dict[str, Seat] = {}
        self._lock = RLock()
        for judge, pair, word in self.words:
            self._apply(Change(judge, pair, None, word))

    def resume(self, before: Round) -> None:
        """Takes over who sat where in a round before this one, and what they have in hand, as far as it is asked."""
        with before._lock, self._lock:
            for judge, old in before._seats.items():
                seat = self._seat(judge)
                seat.until = old.until
                for there in old.hand:
                    i = self._place.get(before.pool.pairs[there])
                    if i is not None and i not in seat.hand and self._ledger.may(i, seat):
                        self._take(i, seat)

    # ---- hearing -------------------------------------------------------------------------------

    def tell(self, act: Judgment) -> None:
        """Takes an act in, in the order of the store."""
        with self._lock:
            change = self.words.tell(act)
            if change is not None:
                self._apply(change)

    def _apply(self, change: Change) -> None:
        seat = self._seat(change.judge)
        i = self._place.get(change.pair)
        if i is None:
            return
        seat.hear(i, change.before, change.after)
        opened = self._ledger.hear(i, seat.judge, (change.before, change.after), self._seats)
        if opened:
            for other in self._seats.values():
                other.passed.append(i)
        if i in seat.hand:
            seat.hand.remove(i)
            self._ledger.let_go(i, seat)
        if change.after is None:  # taken back: its judge is asked again, and first
            seat.hand.insert(0, i)
            self._ledger.take(i, seat)

    # ---- asking --------------------------------------------------------------------------------

    def hand(self, judge: str, n: int, now: float) -> list[Asked]:
        """The next pairs for a judge, `n` at most; they are kept for this judge for a while after `now`, in seconds."""
        with self._lock:
            seat = self._at_the_table(judge, now)
            while len(seat.hand) < n:
                i = self._draw(seat)
                if i is None:
                    break
                self._take(i, seat)
            return [self._asked(i, seat) for i in seat.hand[:n]]

    def query(self, judge: str, query_id: str, now: float) -> list[tuple[Asked, Word | None]]:
        """All pairs of a query that a judge may say something about, or has, each with the word; in the judge's order.

        Those that are open to the judge are in hand from now on, and nothing else is: who leafs through the queries
        keeps nobody from them.
        """
        with self._lock:
            seat = self._at_the_table(judge, now)
            self._drop([i for i in seat.hand if self.pool.pairs[i][0] != query_id], seat)
            seat.at = 0  # what was put back comes again in its turn
            # Gold questions stand among the others once they have come up.
            met = [
                i for i in self.pool.gold if self.pool.pairs[i][0] == query_id and (i in seat.said or i in seat.hand)
            ]
            places = [*self._by_query.get(query_id, ()), *met]
            mine = [i for i in places if i in seat.said or self._ledger.may(i, seat)]
            for i in mine:
                if i not in seat.said and i not in seat.hand:
                    self._take(i, seat)
            ordered = sorted(mine, key=lambda i: turn_of(self._seed, judge, self.pool.pairs[i]))
            return [(self._asked(i, seat), seat.said.get(i)) for i in ordered]

    def progress(self, judge: str, now: str, day: str) -> Progress:
        """How far a judge is, and everybody; `day` is when today began."""
        with self._lock:
            seat, ledger = self._seat(judge), self._ledger
            personal = sum(i not in ledger.shared and i not in seat.said for i in seat.personal)
            return Progress(
                pairs=len(self.pool.pairs) - len(ledger.gold),
                done=ledger.done,
                mine=len(seat.times),
                left=ledger.open - seat.settled + personal,
                later=len(seat.later),
                today=since(seat.times, day),
                pace=pace_of(seat.times, now),
            )

    def queries(self) -> tuple[str, ...]:
        """The queries of the pool, in its order."""
        return tuple(self._by_query)

    def _at_the_table(self, judge: str, now: float) -> Seat:
        """The seat of a judge who is here; who has been away for long loses what they had in hand."""
        for other in self._seats.values():
            if other.hand and other.until <= now and other.judge != judge:
                self._drop(list(other.hand), other)
        seat = self._seat(judge)
        self._drop([i for i in seat.hand if not self._ledger.may(i, seat)], seat)
        seat.until = now + HELD
        return seat

    def _draw(self, seat: Seat) -> int | None:
        """The next pair for a judge that is not in hand yet; None where nothing is left."""
        number = len(seat.said) + len(seat.hand)
        if is_gold_turn(self.pool.share, seat.judge, number, self._seed):
            for i in seat.gold:
                if i not in seat.said and i not in seat.hand:
                    return i
        return next((i for i in self._in_line(seat) if i not in seat.hand), None)

    def _in_line(self, seat: Seat) -> Iterator[int]:
        """What is open to a judge: by name, in order, what was passed over before, what was set aside."""
        ledger = self._ledger
        yield from [i for i in seat.personal if i not in seat.said]
        while seat.at < len(seat.order):
            i = seat.order[seat.at]
            seat.at += 1
            if i in seat.said or i in seat.hand or not ledger.is_open(i):
                continue  # if it opens again, it comes back through `passed`
            if ledger.may(i, seat):
                yield i
            else:
                seat.passed.append(i)
        seat.passed = [i for i in dict.fromkeys(seat.passed) if i not in seat.said and ledger.is_open(i)]
        yield from [i for i in seat.passed if ledger.may(i, seat)]
        yield from [i for i in seat.later if ledger.may(i, seat)]

    # ---- seats ---------------------------------------------------------------------------------

    def _seat(self, judge: str) -> Seat:
        if judge not in self._seats:
            self._seats[judge] = Seat(judge, len(self._seats), self.pool, self._seed)
        return self._seats[judge]

    def _take(self, i: int, seat: Seat) -> None:
        seat.hand.append(i)
        self._ledger.take(i, seat)

    def _drop(self, places: list[int], seat: Seat) -> None:
        """Out of a judge's hand, without a word: what is open to the judge comes again."""
        for i in places:
            seat.hand.remove(i)
            seat.passed.append(i)
            self._ledger.let_go(i, seat)

    def _asked(self, i: int, seat: Seat) -> Asked:
        return Asked(*self.pool.pairs[i], again=i in seat.later)
