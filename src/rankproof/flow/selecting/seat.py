"""Seat: one judge's place in a round: what is in hand, how far through the pool, what was set aside for later."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rankproof.flow.selecting.gold import gold_order
from rankproof.flow.selecting.orders import order_of
from rankproof.flow.selecting.pool import Pool
from rankproof.flow.selecting.words import Word


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
    pool: Pool
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
