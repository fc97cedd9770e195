"""Round: which pair each judge gets next, kept in memory and up to date with every judgment.

Promises
  * nobody is asked about a pair that they are done with; "later" comes back when nothing else is left;
  * a pair is asked of as many people as are wanted for it, and not of more while others have it in hand;
  * who has something in hand gets the same again, in the same order: a page that is loaded again keeps its place;
  * the same acts and the same questions give the same answers.
Every step costs about the same, however large the pool: nothing goes through all pairs.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock

from rankproof.judging.records import Judgment
from rankproof.judging.rounds.pool import JudgingPool, gold_order, is_gold_turn, order_of, turn_of
from rankproof.judging.rounds.progress import JudgingProgress, JudgmentChange, Word, Words, pace_of, since


@dataclass(eq=False)
class Seat:
    """What is known of a judge. Pairs are named by their places in the pool.

    arrival   how many judges came before this one
    said      what this judge is done with, and what was set aside
    hand      what this judge was given and has said nothing about, in the order of asking
    until     when the hand is open to others again, in seconds
    passed    what was in others' hands when its turn came, or came back from them
    later     what was set aside, longest ago first
    times     when each word was given with which the judge is done, in order
    settled   how many of the pairs that anybody may take, and that want more grades, this judge is done with
    at        how far through `order`
    """

    judge: str
    arrival: int
    pool: JudgingPool
    seed: int = 0
    said: dict[int, Word] = field(default_factory=dict)
    hand: list[int] = field(default_factory=list)
    until: float = 0.0
    passed: list[int] = field(default_factory=list)
    later: dict[int, None] = field(default_factory=dict)
    times: list[str] = field(default_factory=list)
    settled: int = 0
    at: int = 0

    @cached_property
    def order(self) -> Sequence[int]:
        """The pairs that anybody may take, in this judge's order."""
        mine: list[int] = order_of(self.pool, self.judge, self.arrival, self.seed).tolist()
        return mine

    @cached_property
    def gold(self) -> Sequence[int]:
        """The gold questions in this judge's order."""
        return gold_order(tuple(self.pool.gold), self.judge, self.seed)

    @cached_property
    def personal(self) -> Mapping[int, None]:
        """What this judge is asked by name, in order."""
        return dict.fromkeys(self.pool.personal.get(self.judge, ()))

    def hear(self, i: int, before: Word | None, after: Word | None) -> None:
        """This judge said something about a pair, or took it back."""
        if before is not None and before.settles:
            self._forget(before.time)
        self.later.pop(i, None)
        if after is None:
            self.said.pop(i, None)
        else:
            self.said[i] = after
            if not after.settles:
                self.later[i] = None
        if after is not None and after.settles:
            insort(self.times, after.time)

    def _forget(self, time: str) -> None:
        place = bisect_left(self.times, time)
        if place < len(self.times) and self.times[place] == time:
            del self.times[place]


class Ledger:
    """Counts that are kept up to date, so that nothing has to go through all pairs.

    done   pairs with all the grades they should have; gold questions are not counted
    open   pairs that anybody may take and that want more grades
    """

    def __init__(self, pool: JudgingPool) -> None:
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


# Seconds after which what somebody has in hand, and says nothing about, may be taken by others.
HELD = 900.0


@dataclass(frozen=True, slots=True)
class NextPair:
    """A pair that a judge is asked about; `again`: it was set aside for later."""

    query_id: str
    doc_id: str
    again: bool = False


class Round:
    """One body of judging: a pool, the words about it, and who has what in hand. Several threads may use it."""

    def __init__(self, pool: JudgingPool, words: Words | None = None, seed: int = 0) -> None:
        self.pool, self.words, self._seed = pool, words if words is not None else Words(), seed
        self._place = {pair: i for i, pair in enumerate(pool.pairs)}
        self._by_query: dict[str, list[int]] = {}
        for i in range(len(pool.pairs) - len(pool.gold)):
            self._by_query.setdefault(pool.pairs[i][0], []).append(i)
        self._ledger = Ledger(pool)
        self._seats: dict[str, Seat] = {}
        self._lock = RLock()
        for judge, pair, word in self.words:
            self._apply(JudgmentChange(judge, pair, None, word))

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

    def _apply(self, change: JudgmentChange) -> None:
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

    def hand(self, judge: str, n: int, now: float) -> list[NextPair]:
        """The next pairs for a judge, `n` at most; they are kept for this judge for a while after `now`, in seconds."""
        with self._lock:
            seat = self._at_the_table(judge, now)
            while len(seat.hand) < n:
                i = self._draw(seat)
                if i is None:
                    break
                self._take(i, seat)
            return [self._asked(i, seat) for i in seat.hand[:n]]

    def query(self, judge: str, query_id: str, now: float) -> list[tuple[NextPair, Word | None]]:
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

    def progress(self, judge: str, now: str, day: str) -> JudgingProgress:
        """How far a judge is, and everybody; `day` is when today began."""
        with self._lock:
            seat, ledger = self._seat(judge), self._ledger
            personal = sum(i not in ledger.shared and i not in seat.said for i in seat.personal)
            return JudgingProgress(
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

    def _asked(self, i: int, seat: Seat) -> NextPair:
        return NextPair(*self.pool.pairs[i], again=i in seat.later)
