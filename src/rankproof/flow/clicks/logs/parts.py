"""Parts: what was read of a log so far, in columns. A part has pieces of pages, and rows that belong to pieces.

Layouts write parts; nothing of the file itself is kept but the ids of queries and documents, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.clicks.logs.keys import NONE, Digests
from rankproof.flow.clicks.logs.piles import Pile

Ints = NDArray[np.int32]

# Beside the deeds of records.clicklog, in the same number: the user's page had the document; the engine answered it.
SHOWN, ANSWERED = 16, 32
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Part:
    """Pieces of pages: all of a page, or as much as stands together in the file.

    queries    of each piece; UNKNOWN where another piece of the page says it
    keys       which pieces are of one page; None where each is a page of its own
    sessions   who saw it, as keys; None where the log does not say
    times      when it was shown; NaN where this is not said
    robots     whether the user agent calls itself a robot
    piece, docs, ranks, deeds    the rows; ranks from 1, or from 0 on all of a page; UNKNOWN where a row is no showing
    timed, clicked_at            the rows of clicks whose time is known, and these times
    """

    queries: Ints
    piece: Ints
    docs: Ints
    ranks: Ints
    deeds: NDArray[np.uint8]
    keys: Digests | None = None
    sessions: Digests | None = None
    times: NDArray[np.float64] | None = None
    robots: NDArray[np.bool_] | None = None
    timed: NDArray[np.int64] | None = None
    clicked_at: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.queries)


class Ids:
    """The texts of queries or documents, each once, by number."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def numbers(self, texts: Iterable[str]) -> Ints:
        """The number of each; a new text gets the next one."""
        known = self._known
        return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int32)

    def of_values(self, values: Sequence[Any], text_of: Callable[[int], str]) -> Ints:
        """The number of each value of a file; `text_of` makes a text of the value at a place, or an error."""
        try:
            found: list[int | None] = list(map(self._known.get, values))
        except TypeError:  # a list or an object, which is no id
            found = [None] * len(values)
        known = self._known
        for at, number in enumerate(found):
            if number is None:
                found[at] = known.setdefault(text_of(at), len(known))
        return np.array(found, dtype=np.int32)

    def texts(self) -> tuple[str, ...]:
        """All of them, by number."""
        return tuple(self._known)

    def __len__(self) -> int:
        return len(self._known)


def in_columns(parts: list[Part]) -> Part:
    """The rows of several parts as those of one, whose pieces have the same numbers in all of them."""
    row_starts = np.cumsum([0, *(len(part.docs) for part in parts[:-1])])
    timed = [p.timed + start for p, start in zip(parts, row_starts, strict=True) if p.timed is not None]
    clicked_at = [part.clicked_at for part in parts if part.clicked_at is not None]
    return Part(
        parts[0].queries,
        np.concatenate([part.piece for part in parts]),
        np.concatenate([part.docs for part in parts]),
        np.concatenate([part.ranks for part in parts]),
        np.concatenate([part.deeds for part in parts]),
        timed=np.concatenate([np.zeros(0, dtype=np.int64), *timed]),
        clicked_at=np.concatenate([np.zeros(0), *clicked_at]),
    )


def all_of(name: str, parts: Pile[Part], otherwise: NDArray[Any]) -> NDArray[Any] | None:
    """A column of all pieces; `otherwise` for the pieces of parts without; None where no part has any."""
    if not parts.has(name):
        return None
    sizes = [0 if queries is None else len(queries) for queries in parts.column("queries")]
    found = np.empty((sum(sizes), *otherwise.shape[1:]), dtype=otherwise.dtype)
    start = 0
    for column, size in zip(parts.column(name), sizes, strict=True):
        found[start : start + size] = otherwise if column is None else column
        start += size
    return found


def all_keys(name: str, parts: Pile[Part]) -> Digests | None:
    """The keys of all pieces, of pages or sessions; zeros for parts without; None where no part has any."""
    return all_of(name, parts, np.frombuffer(NONE, dtype=np.uint64)[None])


def all_times(parts: Pile[Part]) -> NDArray[np.float64] | None:
    """The times of all pieces; None where no part has any."""
    return all_of("times", parts, np.array([np.nan]))


def all_robots(parts: Pile[Part]) -> NDArray[np.bool_] | None:
    """The flags of all pieces; None where no part has any."""
    return all_of("robots", parts, np.array([False]))


def all_queries(parts: Pile[Part]) -> Ints:
    """The queries of all pieces."""
    return np.concatenate([column for column in parts.column("queries") if column is not None])
