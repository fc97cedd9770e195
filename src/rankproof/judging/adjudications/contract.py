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
# Graded judgments of one pair, each judge once, every grade on the scale; in any order, which must not matter.
Settle = Callable[[Sequence[Judgment], Scale, Values], Settled]


@dataclass(frozen=True, slots=True, eq=False)
class Adjudication:
    """One item of the shelf. `page` is the module's docstring: the rule, what happens on a tie, source, example."""

    name: str
    page: str
    settle: Settle
    params: tuple[Param, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
