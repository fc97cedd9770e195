"""Round: which pair each judge gets next, in memory and up to date with every judgment.

Promises
  * no judge gets a pair again after answering it; "later" comes back when nothing else is left;
  * a pair goes to as many people as it needs, and to no more while others hold it;
  * a judge who holds pairs gets the same again, in the same order: a page that is loaded again keeps its place;
  * the same acts and the same questions give the same answers.
Every step costs about the same, however large the pool: nothing goes through all pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from threading import RLock

from rankproof.judging.records import Judgment
from rankproof.judging.rounds.counts import JudgeState, PairCounts
from rankproof.judging.rounds.pool import JudgingPool, gold_among, is_gold_turn, turn_of
from rankproof.judging.rounds.progress import (
    JudgeAnswer,
    JudgeAnswers,
    JudgingProgress,
    JudgmentChange,
    Pair,
    UndecidedPair,
    pace_of,
    since,
)

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

    def __init__(
        self, pool: JudgingPool, answers: JudgeAnswers | None = None, seed: int = 0, held: float = HELD
    ) -> None:
        self.pool, self.answers, self._seed = pool, answers if answers is not None else JudgeAnswers(), seed
        self._held = held
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
        for pair in self.answers.settled:
            self._settle(pair)

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
            else:
                self._settle((act.query_id, act.doc_id))

    def _settle(self, pair: Pair) -> None:
        i = self._place.get(pair)
        if i is not None and self._counts.settle(i, pair in self.answers.settled, self._states):
            self._pass(i)

    def _pass(self, i: int) -> None:
        """A pair opened again: whoever went past it may get it."""
        for other in self._states.values():
            other.passed.append(i)

    def _apply(self, change: JudgmentChange) -> None:
        state = self._state_of(change.judge)
        i = self._place.get(change.pair)
        if i is None:
            return
        state.record(i, change.before, change.after)
        opened = self._counts.record(i, state.judge, (change.before, change.after), self._states)
        if opened:
            self._pass(i)
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
                undecided=len(counts.undecided),
                assigned=bool(counts.shared or state.personal) or not self.pool.personal,
            )

    def undecided(self) -> list[UndecidedPair]:
        """The pairs on which people could not tell, longest ago first; see `PairCounts.undecided`."""
        with self._lock:
            counts = self._counts
            return [
                UndecidedPair(
                    *self.pool.pairs[i],
                    tuple(sorted(j for j in counts.answered_by(i) if self._states[j].answers[i].grade is None)),
                    counts.grades(i),
                    counts.waits(i),
                )
                for i in counts.undecided
            ]

    # ---- what other processes hand out ---------------------------------------------------------

    def hands(self, judge: str) -> dict[Pair, int]:
        """The pairs that a judge has in hand, each with how many people are to grade it; 0 where that is no limit."""
        with self._lock:
            state, counts = self._state_of(judge), self._counts
            return {
                self.pool.pairs[i]: self.pool.wanted[i] if i in counts.shared and i not in state.personal else 0
                for i in state.holding
            }

    def lend(self, judge: str, pair: Pair, until: float) -> None:
        """Another process gave a pair to a judge, who has it in hand until then."""
        with self._lock:
            state, i = self._state_of(judge), self._place.get(pair)
            if i is None:
                return
            state.until = max(state.until, until)
            answer = state.answers.get(i)
            if i not in state.holding and (answer is None or not answer.settles):
                self._take(i, state)

    def give_back(self, judge: str, pairs: Collection[Pair]) -> None:
        """A judge has these pairs in hand no longer."""
        with self._lock:
            state = self._state_of(judge)
            self._drop([i for i in state.holding if self.pool.pairs[i] in pairs], state)

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
        """The state of an active judge; pairs that others have held for too long become free."""
        for other in self._states.values():
            if other.holding and other.until <= now and other.judge != judge:
                self._drop(list(other.holding), other)
        state = self._state_of(judge)
        self._drop([i for i in state.holding if not self._counts.may(i, state)], state)
        state.until = now + self._held
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
