"""What an item on the engines shelf is: Engine, which opens something that answers queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from rankproof.kernel.specs.kinds import Param
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.filling import Fills
from rankproof.stack.records import Ground, Values


class Searcher(Protocol):
    """A local engine, opened: all queries at once.

    identity   what the answers depend on besides the engine's parameters: hashes of corpus and model, versions
    One that must build something first does so in `prepare()`, where it has one, and else with the first query:
    whoever times queries calls it before. `notes`, where it has them, say what to know of the answers so far, such as
    the recall of an approximate search.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """By what it is: {"corpus": sha256, "model": sha256, "bm25s": version}."""

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        """A ranking for each query, at most `depth` long."""


class Asker(Protocol):
    """A live engine, opened: one query at a time, perhaps from several threads at once.

    Waiting, retrying, limits and storing answers are not its business: `stack/asking` does that for every engine.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """What the answers depend on, as far as the server says: its version, index, mapping."""

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        """The answer; AskFailed when there is none."""

    def close(self) -> None:
        """Gives connections back."""


# The kind of an AskFailed that only says "later": the server lives.
TOO_MANY: Final = "too many requests"


class AskFailed(Exception):
    """No answer came. `again` says whether asking again may help, `wait` how many seconds the server asked for."""

    def __init__(self, kind: str, message: str, again: bool, wait: float | None = None) -> None:
        super().__init__(message)
        self.kind, self.again, self.wait = kind, again, wait


@dataclass(frozen=True, slots=True, eq=False)
class Engine:
    """One item of the shelf. `page` is the module's docstring: what it does, on what it was shown,
    what it needs, its parameters, an example.

    params   what a configuration may set; tuning may vary each of them
    open     gives a Searcher (or an Asker when `live`); cheap things are checked here, before anything runs
    live     asked over a network
    needs    "corpus" where it searches texts it is given
    extra    the extra that brings its library, for the install line; "" for none
    opaque   what happens inside is not seen: whether a language model was asked is not known
    replays  its answers were made elsewhere: how long it takes to read them is no time of a search
    fills    how `rankproof index` makes and fills its indexes; None where it has none to be filled
    """

    name: str
    page: str
    params: tuple[Param, ...]
    open: Callable[[Values, Ground], Searcher | Asker]
    live: bool = False
    needs: frozenset[str] = frozenset()
    extra: str = ""
    opaque: bool = False
    replays: bool = False
    fills: Fills | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    @property
    def shown(self) -> str:
        """On what it was shown, as `shown on:` of the page says; "" where the page does not."""
        said = re.search(r"^shown on: (.+(?:\n    .+)*)", self.page, re.MULTILINE)
        return "" if said is None else " ".join(said[1].split())
