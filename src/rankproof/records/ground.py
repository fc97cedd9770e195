"""Ground: what engines and stages stand on: documents, a cache, a folder that paths are named from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rankproof.errors import UsageError
from rankproof.records.collection import Corpus
from rankproof.records.run import Run


class Cache(Protocol):
    """Bytes by key, kept between runs. A key says everything the bytes depend on: a stale entry cannot be found."""

    def get(self, key: str) -> bytes | None:
        """What was kept; None where nothing is, or where it is damaged."""

    def put(self, key: str, data: bytes) -> None:
        """Keeps it, whole or not at all."""


class NoCache:
    """Keeps nothing."""

    def get(self, key: str) -> bytes | None:
        """Nothing."""
        return None

    def put(self, key: str, data: bytes) -> None:
        """Forgets it."""


NO_CACHE = NoCache()

# Told while something long is made: what ("dense: encoding document"), how many are done, how many there are.
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """`corpus` is None where only live engines answer; `folder` is what relative paths are named from.

    read_run   reads a run file by its path: reading lies outside the shelves, so it comes in from there
    progress   told while documents are encoded or an index is built
    """

    corpus: Corpus | None = None
    cache: Cache = NO_CACHE
    folder: str = "."
    threads: int = 0
    read_run: Callable[[str], Run] | None = None
    progress: Progress = silent

    def documents(self, who: str) -> Corpus:
        """The corpus; UsageError for an item that needs one where there is none."""
        if self.corpus is None:
            raise UsageError(f"{who} needs the texts of the documents. Name a corpus in the configuration.")
        return self.corpus
