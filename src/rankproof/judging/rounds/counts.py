"""What is known of each judge of a round, and running counts of its pairs, so that no step goes through all pairs."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rankproof.judging.rounds.pool import JudgingPool, gold_order, order_of
from rankproof.judging.rounds.progress import JudgeAnswer


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

    done       pairs with all the grades they should have, or settled; gold questions are not counted
    open       pairs that anybody may take and that want more grades
    undecided  pairs without the grades they should have on which somebody could not tell, and nobody gave a grade or
               nobody else is going to be asked
    """

    def __init__(self, pool: JudgingPool) -> None:
        self.pool = pool
        self.shared = frozenset(pool.shared)
        self.gold = frozenset(pool.gold)
        self.done = 0
        self.open = len(pool.shared)
        self.undecided: dict[int, None] = {}
        self._grades = [0] * len(pool.pairs)
        self._settled_pairs: set[int] = set()
        self._answered_by: dict[int, set[str]] = {}
        self._holders: dict[int, set[str]] = {}

    @cached_property
    def named(self) -> Mapping[int, Sequence[str]]:
        """The judges to whom each pair was assigned by name."""
        named: dict[int, list[str]] = {}
        for judge, places in self.pool.personal.items():
            for i in places:
                named.setdefault(i, []).append(judge)
        return named

    def is_done(self, i: int) -> bool:
        """Whether a pair has its grades, or somebody has settled it."""
        return i in self._settled_pairs or self._grades[i] >= self.pool.wanted[i]

    def waits(self, i: int) -> bool:
        """Whether somebody else is going to be asked about a pair."""
        answered = self._answered_by.get(i, ())
        return (i in self.shared and self.is_open(i)) or any(judge not in answered for judge in self.named.get(i, ()))

    def answered_by(self, i: int) -> frozenset[str]:
        """Who has answered about a pair: by a grade, or that they cannot tell."""
        return frozenset(self._answered_by.get(i, ()))

    def grades(self, i: int) -> int:
        """How many people have graded a pair."""
        return self._grades[i]

    def is_open(self, i: int) -> bool:
        """Whether a pair needs more grades. A gold question goes to every judge.

        "Cannot tell" is no grade, so another judge gets the pair, until twice as many as needed have answered.
        """
        if i in self.gold:
            return True
        if i in self._settled_pairs:
            return False
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
        was_open, was_done = self.is_open(i), self.is_done(i)
        counted = self._settled(i, judge)
        self._grades[i] += _is_grade(after) - _is_grade(before)
        if after is not None and after.settles:
            answered.add(judge)
        else:
            answered.discard(judge)
        if i in self.shared:
            states[judge].settled += self._settled(i, judge) - counted
        return self._changed(i, was_open, was_done, answered - {judge}, states)

    def settle(self, i: int, settled: bool, states: Mapping[str, JudgeState]) -> bool:
        """Records that somebody settled a pair, or took that back; whether the pair opened again by it."""
        was_open, was_done = self.is_open(i), self.is_done(i)
        (self._settled_pairs.add if settled else self._settled_pairs.discard)(i)
        return self._changed(i, was_open, was_done, self._answered_by.get(i, set()), states)

    def _changed(
        self, i: int, was_open: bool, was_done: bool, others: Collection[str], states: Mapping[str, JudgeState]
    ) -> bool:
        """Counts what a change to a pair has made of it; `others` have answered about it before."""
        is_open = self.is_open(i)
        if i not in self.gold:
            self.done += self.is_done(i) - was_done
            if self._is_undecided(i):
                self.undecided[i] = None
            else:
                self.undecided.pop(i, None)
        if i in self.shared:
            self.open += is_open - was_open
            for other in others:
                states[other].settled += is_open - was_open
        return is_open and not was_open

    def _is_undecided(self, i: int) -> bool:
        graded, answered = self._grades[i], len(self._answered_by.get(i, ()))
        return not self.is_done(i) and answered > graded and (not graded or not self.waits(i))

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
        return self.is_open(i) and judge in self._answered_by.get(i, ())


def _is_grade(answer: JudgeAnswer | None) -> bool:
    return answer is not None and answer.grade is not None
