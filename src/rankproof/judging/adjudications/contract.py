"""What an item on the adjudications shelf is: Adjudication, which makes one grade of several judges' words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.judging.records import Judgment, Scale
from rankproof.kernel.specs.kinds import Param


@dataclass(frozen=True, slots=True)
class Settled:
    """The grade that a pair gets, or None where it stays unresolved; and how, in words that can be counted."""

    grade: int | None
    how: str


# The values of an item's parameters by name, as its parameters read them.
Values = Mapping[str, Any]
# Graded judgments of one pair, every grade on the scale, in the order of the store: each judge once, and each who
# settled the pair once more where the item counts such words. Where the item is not `by_order`, the order of what
# judges gave alone must not matter.
Settle = Callable[[Sequence[Judgment], Scale, Values], Settled]


def last_settling(votes: Sequence[Judgment]) -> Judgment | None:
    """The word that settles a pair: the last one in the order of the store, which no clock can change."""
    return next((vote for vote in reversed(votes) if vote.settles), None)


def given_alone(votes: Sequence[Judgment]) -> list[Judgment]:
    """The judgments that settle nothing: what each judge gave alone."""
    return [vote for vote in votes if not vote.settles]


@dataclass(frozen=True, slots=True, eq=False)
class Adjudication:
    """One item of the shelf. `page` is the module's docstring: the rule, what happens on a tie, source, example.

    settlings  whether it counts words that settle a pair; elsewhere only what judges gave alone is counted
    by_order   whether it asks which judgment came last
    """

    name: str
    page: str
    settle: Settle
    params: tuple[Param, ...] = ()
    settlings: bool = False
    by_order: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
