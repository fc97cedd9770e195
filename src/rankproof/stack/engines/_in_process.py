"""In process: what engines share that build an index of the documents with a library and search it in this process.

Ids of documents never reach the library. It knows a document by its number, which is its place when ids descend: of
documents with equal scores the one with the smaller number stands first, as everything here orders ties.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankproof.reading.ranking import Ranking

NOTHING = Ranking((), np.empty(0))
Index = TypeVar("Index")
# Numbers of documents, best first, and their scores.
Hits = tuple[Sequence[int], Sequence[float]]
Scores = NDArray[np.float64]


def numbered(doc_ids: tuple[str, ...]) -> tuple[int, ...]:
    """The places of the documents when ids descend: the document with the number n stands at numbered(...)[n].

    >>> numbered(("b", "a", "c"))
    (2, 0, 1)
    """
    return tuple(sorted(range(len(doc_ids)), key=lambda i: doc_ids[i].encode("utf-8", "surrogateescape"), reverse=True))


def holdable(text: str) -> str:
    """The text without what libraries in C cannot hold: bytes that are no UTF-8, and the character 0."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def significant(scores: Iterable[float], digits: int) -> NDArray[np.float64]:
    """Scores rounded to so many significant digits: further ones depend on the order in which parts were added.

    >>> significant([123.45678, 0.0123456, 0.0], 4).tolist()
    [123.5, 0.01235, 0.0]
    """
    return np.array([float(f"{score:.{digits - 1}e}") for score in scores], dtype=np.float64)


def best(
    find: Callable[[int], Hits], depth: int, count: int, rounded: Callable[[Sequence[float]], Scores]
) -> list[tuple[int, float]]:
    """The `depth` best of `count` documents as (number, score); of equal scores the smaller number comes first.

    find   the so many best, best first, in an order of its own where they tie; fewer where no more match
    """
    limit = min(depth + 1, count)
    while True:
        numbers, found = find(limit)
        scores = rounded(found)
        if len(scores) < limit or limit == count or scores[-1] < scores[depth - 1]:
            break
        # All that tie with the last one must be at hand.
        limit = min(4 * limit, count)
    return [(number, -score) for score, number in sorted(zip((-scores).tolist(), numbers, strict=True))[:depth]]


@dataclass(frozen=True, slots=True)
class Built(Generic[Index]):
    """An index, and the seconds it took to build."""

    index: Index
    seconds: float


class Once(Generic[Index]):
    """Builds an index when it is first wanted. Threads that want it meanwhile wait for that one."""

    def __init__(self, build: Callable[[], Index]) -> None:
        self._build, self._lock = build, Lock()
        self._built: Built[Index] | None = None

    def __call__(self) -> Index:
        """The index."""
        with self._lock:
            if self._built is None:
                began = time.perf_counter()
                index = self._build()
                self._built = Built(index, time.perf_counter() - began)
            return self._built.index

    @property
    def built(self) -> Built[Index] | None:
        """The index with its time; None while it is not built."""
        return self._built


def told(documents: int, size: int) -> str:
    """The note on an index: how many documents, and its bytes."""
    return f"{documents:,} documents, {size:,} bytes"
