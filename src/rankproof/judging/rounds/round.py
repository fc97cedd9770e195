"""Round: which pair each judge gets next, in memory and up to date with every judgment.

Promises
  * no judge gets a pair again after answering it; "later" comes back when nothing else is left;
  * a pair goes to as many people as it needs, and to no more while others hold it;
  * a judge who holds pairs gets the same again, in the same order: a page that is loaded again keeps its place;
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
from rankproof.judging.rounds.pool import JudgingPool, gold_among, gold_order, is_gold_turn, order_of, turn_of
from rankproof.judging.rounds.progress import JudgeAnswer, JudgeAnswers, JudgingProgress, JudgmentChange, pace_of, since


@dataclass(eq=False)
class JudgeState:
    """What is known of a judge. Pairs are named by their places in the pool.

    arrival   how many judges came before this one
    answers   what this judge is done with, and what was set aside
    holding   pairs given to this judge and not answered yet, in the order of asking
    until     when they are open to others again, in seconds
    passed    what was in others' hands when its turn came, or came back from them
    later     what was set aside, longest ago first
    times     when each answer was given with which the judge is done, in order
    settled   how many of the pairs that anybody may take, and that want more grades, this judge is done with
    at        how far through `order`
    """

    judge: str
    arrival: int
    pool: JudgingPool
    seed: int = 0
    answers: dict[int, JudgeAnswer] = field(default_factory=dict)
    holding: list[int] = field(default_factory=list)
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
        """The pairs assigned to this judge by name, in order."""
        return dict.fromkeys(self.pool.personal.get(self.judge, ()))

    def record(self, i: int, before: JudgeAnswer | None, after: JudgeAnswer | None) -> None:
        """Records that this judge answered about a pair, or withdrew the answer."""
        if before is not None and before.settles:
            self._forget(before.time)
        self.later.pop(i, None)
        if after is None:
            self.answers.pop(i, None)
        else:
            self.answers[i] = after
            if not after.settles:
                self.later[i] = None
        if after is not None and after.settles:
            insort(self.times, after.time)

    def _forget(self, time: str) -> None:
        place = bisect_left(self.times, time)
        if place < len(self.times) and self.times[place] == time:
            del self.times[place]


class PairCounts:
    """Running counts, so that no step goes through all pairs.

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
        self._answered_by: dict[int, set[str]] = {}
        self._holders: dict[int, set[str]] = {}

    def is_open(self, i: int) -> bool:
        """Whether a pair needs more grades. A gold question goes to every judge.

        "Cannot tell" is no grade, so another judge gets the pair, until twice as many as needed have answered.
        """
        if i in self.gold:
            return True
        wanted = self.pool.wanted[i]
        return self._grades[i] < wanted and len(self._answered_by.get(i, ())) < 2 * wanted

    def may(self, i: int, state: JudgeState) -> bool:
        """Whether a judge may get a pair now."""
        answer = state.answers.get(i)
        if answer is not None and answer.settles:
            return False
        if i in self.gold or i in state.personal:
            return True
        if i not in self.shared or not self.is_open(i):
            return False
        holders = self._holders.get(i)
        others = len(holders) - (state.judge in holders) if holders else 0
        return self._grades[i] + others < self.pool.wanted[i]

    def record(
        self,
        i: int,
        judge: str,
        change: tuple[JudgeAnswer | None, JudgeAnswer | None],
        states: Mapping[str, JudgeState],
    ) -> bool:
        """Records a change of answer, before and after; whether the pair opened again by it."""
        before, after = change
        answered = self._answered_by.setdefault(i, set())
        was_open = self.is_open(i)
        counted = self._settled(i, judge)
        self._grades[i] += _is_grade(after) - _is_grade(before)
        if after is not None and after.settles:
            answered.add(judge)
        else:
            answered.discard(judge)
        is_open = self.is_open(i)
        if i not in self.gold:
            self.done += was_open - is_open
        if i in self.shared:
            self.open += is_open - was_open
            states[judge].settled += self._settled(i, judge) - counted
            for other in answered - {judge}:
                states[other].settled += is_open - was_open
        return is_open and not was_open

    def take(self, i: int, state: JudgeState) -> None:
        """A judge has the pair in hand."""
        self._holders.setdefault(i, set()).add(state.judge)

    def let_go(self, i: int, state: JudgeState) -> None:
        """A judge has it no longer."""
        holders = self._holders.get(i, set())
        holders.discard(state.judge)
        if not holders:
            self._holders.pop(i, None)

    def _settled(self, i: int, judge: str) -> bool:
        return self.is_open(i) and judge in self._answered_by[i]


def _is_grade(answer: JudgeAnswer | None) -> bool:
    return answer is not None and answer.grade is not None


# Seconds after which pairs that a judge holds without an answer may be given to others.
HELD = 900.0


@dataclass(frozen=True, slots=True)
class NextPair:
    """A pair for a judge; `again`: it was set aside for later."""

    query_id: str
    doc_id: str
    again: bool = False


class Round:
    """A pool of pairs, the answers about them, and which judge holds which pairs. Safe for several threads."""

    def __init__(self, pool: JudgingPool, answers: JudgeAnswers | None = None, seed: int = 0) -> None:
        self.pool, self.answers, self._seed = pool, answers if answers is not None else JudgeAnswers(), seed
        self._place = {pair: i for i, pair in enumerate(pool.pairs)}
        self._by_query: dict[str, list[int]] = {}
        for i in range(len(pool.pairs) - len(pool.gold)):
            self._by_query.setdefault(pool.pairs[i][0], []).append(i)
        self._every_query = list(self._by_query)
        for query in dict.fromkeys(pool.pairs[i][0] for i in pool.gold):
            if query not in self._by_query:  # somewhere among the others: at the end it would say what it is
                at = int.from_bytes(turn_of(seed, "gold", (query, ""))[:4], "big")
                self._every_query.insert(at % (len(self._every_query) + 1), query)
        self._counts = PairCounts(pool)
        self._states: dict[str, JudgeState] = {}
        self._lock = RLock()
        for judge, pair, answer in self.answers:
            self._apply(JudgmentChange(judge, pair, None, answer))

    def resume(self, before: Round) -> None:
        """Takes over the judges of an earlier round, in order, and the pairs they hold that are still open."""
        with before._lock, self._lock:
            for judge, old in before._states.items():
                state = self._state_of(judge)
                state.until = old.until
                for there in old.holding:
                    i = self._place.get(before.pool.pairs[there])
                    if i is not None and i not in state.holding and self._counts.may(i, state):
                        self._take(i, state)

    # ---- answers -------------------------------------------------------------------------------

    def record(self, act: Judgment) -> None:
        """Records an act, in the order of the store."""
        with self._lock:
            change = self.answers.record(act)
            if change is not None:
                self._apply(change)

    def _apply(self, change: JudgmentChange) -> None:
        state = self._state_of(change.judge)
        i = self._place.get(change.pair)
        if i is None:
            return
        state.record(i, change.before, change.after)
        opened = self._counts.record(i, state.judge, (change.before, change.after), self._states)
        if opened:
            for other in self._states.values():
                other.passed.append(i)
        if i in state.holding:
            state.holding.remove(i)
            self._counts.let_go(i, state)
        if change.after is None:  # withdrawn: its judge gets it again, and first
            state.holding.insert(0, i)
            self._counts.take(i, state)

    # ---- asking --------------------------------------------------------------------------------

    def next_pairs(self, judge: str, n: int, now: float) -> list[NextPair]:
        """The next pairs for a judge, `n` at most; they are reserved for a while after `now`, in seconds."""
        with self._lock:
            state = self._present(judge, now)
            while len(state.holding) < n:
                i = self._draw(state)
                if i is None:
                    break
                self._take(i, state)
            return [self._next_pair(i, state) for i in state.holding[:n]]

    def query(self, judge: str, query_id: str, now: float) -> list[tuple[NextPair, JudgeAnswer | None]]:
        """All pairs of a query that a judge may answer or has answered, each with the answer, in the judge's order.

        Those that are open to the judge are in hand from now on, and nothing else is: who leafs through the queries
        keeps nobody from them.
        """
        with self._lock:
            state = self._present(judge, now)
            self._drop([i for i in state.holding if self.pool.pairs[i][0] != query_id], state)
            state.at = 0  # what was put back comes again in its turn
            # Gold questions stand among the others once they have come up; those of a query that has no others, always.
            of_query = [i for i in self.pool.gold if self.pool.pairs[i][0] == query_id]
            alone = query_id not in self._by_query
            met = [i for i in of_query if alone or i in state.answers or i in state.holding]
            places = [*self._by_query.get(query_id, ()), *met]
            mine = [i for i in places if i in state.answers or self._counts.may(i, state)]
            for i in mine:
                if i not in state.answers and i not in state.holding:
                    self._take(i, state)
            ordered = sorted(mine, key=lambda i: turn_of(self._seed, judge, self.pool.pairs[i]))
            return [(self._next_pair(i, state), state.answers.get(i)) for i in ordered]

    def progress(self, judge: str, now: str, day: str) -> JudgingProgress:
        """How far a judge is, and everybody; `day` is when today began."""
        with self._lock:
            state, counts = self._state_of(judge), self._counts
            mine = (i for i in state.personal if i not in counts.shared)
            personal = sum(i not in state.answers or not state.answers[i].settles for i in mine)
            return JudgingProgress(
                pairs=len(self.pool.pairs) - len(counts.gold),
                done=counts.done,
                mine=len(state.times),
                left=self._left(state, counts.open - state.settled + personal),
                later=len(state.later),
                today=since(state.times, day),
                pace=pace_of(state.times, now),
            )

    def _left(self, state: JudgeState, plain: int) -> int:
        """How many questions are to come: `plain` pairs, and the gold ones that come up among them.

        Whatever a judge answers is one less, gold or not: nothing in the numbers tells which of the questions was gold.
        """
        known = self.pool.gold
        if not known:
            return plain
        done = sum(i in state.answers and state.answers[i].settles for i in known)
        asked = gold_among(self.pool.share, state.judge, plain + len(state.times) - done, len(known), self._seed)
        return max(plain + asked - done, len(state.holding))

    def queries(self) -> tuple[str, ...]:
        """The queries of the pool, in its order; those that only gold questions have stand among them."""
        return tuple(self._every_query)

    def _present(self, judge: str, now: float) -> JudgeState:
        """The state of an active judge; pairs held for longer than `HELD` seconds by others become free."""
        for other in self._states.values():
            if other.holding and other.until <= now and other.judge != judge:
                self._drop(list(other.holding), other)
        state = self._state_of(judge)
        self._drop([i for i in state.holding if not self._counts.may(i, state)], state)
        state.until = now + HELD
        return state

    def _draw(self, state: JudgeState) -> int | None:
        """The next pair for a judge that is not in hand yet; None where nothing is left."""
        number = len(state.answers) + len(state.holding)
        if is_gold_turn(self.pool.share, state.judge, number, self._seed):
            for i in state.gold:
                if i not in state.answers and i not in state.holding:
                    return i
        return next((i for i in self._in_line(state) if i not in state.holding), None)

    def _in_line(self, state: JudgeState) -> Iterator[int]:
        """What is open to a judge: by name, in order, what was passed over before, what was set aside."""
        counts = self._counts
        yield from [i for i in state.personal if i not in state.answers]
        while state.at < len(state.order):
            i = state.order[state.at]
            state.at += 1
            if i in state.answers or i in state.holding or not counts.is_open(i):
                continue  # if it opens again, it comes back through `passed`
            if counts.may(i, state):
                yield i
            else:
                state.passed.append(i)
        state.passed = [i for i in dict.fromkeys(state.passed) if i not in state.answers and counts.is_open(i)]
        yield from [i for i in state.passed if counts.may(i, state)]
        yield from [i for i in state.later if counts.may(i, state)]

    # ---- states of judges ----------------------------------------------------------------------

    def _state_of(self, judge: str) -> JudgeState:
        if judge not in self._states:
            self._states[judge] = JudgeState(judge, len(self._states), self.pool, self._seed)
        return self._states[judge]

    def _take(self, i: int, state: JudgeState) -> None:
        state.holding.append(i)
        self._counts.take(i, state)

    def _drop(self, places: list[int], state: JudgeState) -> None:
        """Takes pairs from a judge without an answer; those still open to the judge come again."""
        for i in places:
            state.holding.remove(i)
            state.passed.append(i)
            self._counts.let_go(i, state)

    def _next_pair(self, i: int, state: JudgeState) -> NextPair:
        return NextPair(*self.pool.pairs[i], again=i in state.later)
