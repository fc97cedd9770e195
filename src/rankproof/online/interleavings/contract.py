"""What an item on the interleavings shelf is: Interleaving, which makes one list of the rankings of several systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.kernel.specs.kinds import Param
from rankproof.online.interleavings._key_rng import KeyRng

# The documents of each system, best first, each once; systems in the order of their names.
Rankings = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Drafted:
    """The part of the list that carries credit: documents, what a click earns each system, and teams if there are any.

    At every rank the expected credit is the same for all systems, whatever the rankings: who clicks without reading,
    however much more often at the top, prefers nobody.
    """

    docs: list[str]
    credits: list[tuple[float, ...]]
    teams: list[str | None]


# The same rankings, size, rng and values give the same list. `size` is at most the length of the shortest ranking,
# so that every system has a document left at every rank; what is shown below it earns nothing (online/interleaving).
Draft = Callable[[Rankings, int, KeyRng, Mapping[str, Any]], Drafted]


@dataclass(frozen=True, slots=True, eq=False)
class Interleaving:
    """One item of the shelf. `page` is the module's docstring: what it shows, what a click is worth, source, example.

    most        how many systems it takes at most; None has no limit
    even_wins   whether, for who clicks without reading, each side also wins as often as any other. All methods are
                even in what they earn on average; where credits differ in size, one side may win often by little and
                the other rarely by much, and the share of wins then says nothing
    """

    name: str
    page: str
    draft: Draft
    params: tuple[Param, ...] = ()
    most: int | None = 2
    even_wins: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
