"""Parts of a log in columns while it is read: pieces of pages, keys as 16-byte hashes, records spilled to disk.

Layouts write parts; nothing of the file itself stays in memory but the ids of queries and documents, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.column_files import Again, Spool

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Digests = NDArray[np.uint64]
# Stands for no id. A text with this digest is as improbable as two texts with the same digest.
NONE = bytes(16)
# Put in order so many at a time, more or less, so that what this takes beside them stays small.
KEYS_AT_ONCE = 1_000_000


def digests(ids: Iterable[str | None]) -> Digests:
    """Two numbers for each id; zeros where there is none."""
    joined = b"".join(NONE if key is None else blake2b(_bytes(key), digest_size=16).digest() for key in ids)
    return np.frombuffer(joined, dtype=np.uint64).reshape(-1, 2)


def numbered(keys: Digests) -> NDArray[np.int64]:
    """A number for each key, from 0 in the order in which keys first appear. Each without an id has its own."""
    first = np.zeros(len(keys), dtype=np.int64)
    shares = len(keys) // KEYS_AT_ONCE + 1
    for share in range(shares):
        at = np.flatnonzero((keys[:, 0] ^ keys[:, 1]) % np.uint64(shares) == share)
        some = keys[at]
        order = np.lexsort((some[:, 1], some[:, 0]))
        ordered, at = some[order], at[order]
        new = np.ones(len(at), dtype=np.bool_)
        new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1) | ~ordered[1:].any(axis=1)
        # lexsort keeps equal keys in their order, so that the first of a run is where the key appeared first.
        first[at] = np.repeat(at[new], np.diff(np.flatnonzero(new), append=len(at)))
    appeared = np.zeros(len(keys), dtype=np.bool_)
    appeared[first] = True
    numbers: NDArray[np.int64] = np.cumsum(appeared, dtype=np.int64)[first]
    numbers -= 1
    return numbers


def _bytes(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")


T = TypeVar("T", bound="DataclassInstance")
Scalar = TypeVar("Scalar", bound=np.generic)


class RecordSpool(Generic[T]):
    """Records of one kind, whose fields are arrays or None, in the order in which they were added."""

    def __init__(self, kind: type[T], spool: Spool | None = None) -> None:
        """`spool` for piles that share one."""
        self._kind = kind
        self._names = [field.name for field in fields(kind)]
        self._spool = spool or Spool()
        self._put: list[list[Again | None]] = []

    def add(self, record: T) -> None:
        """One more."""
        columns = (getattr(record, name) for name in self._names)
        self._put.append([None if column is None else self._spool.put(column) for column in columns])

    def __len__(self) -> int:
        return len(self._put)

    def __iter__(self) -> Iterator[T]:
        """Each of them, read anew."""
        for put in self._put:
            yield self._kind(*(None if again is None else again() for again in put))

    def has(self, name: str) -> bool:
        """Whether any of them has this field."""
        at = self._names.index(name)
        return any(put[at] is not None for put in self._put)

    def column(self, name: str) -> Iterator[NDArray[Any] | None]:
        """One field of each of them."""
        at = self._names.index(name)
        for put in self._put:
            again = put[at]
            yield None if again is None else again()


Ints = NDArray[np.int32]

# Beside the deeds of a log, in the same number: the user's page had the document; the engine answered it; its rank is a
# place on the screen.
SHOWN, ANSWERED, PLACED = 16, 32, 64
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class PageParts:
    """Pieces of pages: all of a page, or as much as stands together in the file.

    queries    of each piece; UNKNOWN where another piece of the page says it
    keys       which pieces are of one page; None where each is a page of its own
    sessions   who saw it, as keys; None where the log does not say
    times      when it was shown; NaN where it is unknown
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
            numbers: list[int | None] = list(map(self._known.get, values))
        except TypeError:  # a list or an object, which is no id
            numbers = [None] * len(values)
        known = self._known
        for at, number in enumerate(numbers):
            if number is None:
                numbers[at] = known.setdefault(text_of(at), len(known))
        return np.array(numbers, dtype=np.int32)

    def texts(self) -> tuple[str, ...]:
        """All of them, by number."""
        return tuple(self._known)

    def __len__(self) -> int:
        return len(self._known)


def in_columns(parts: list[PageParts]) -> PageParts:
    """The rows of several parts as those of one, whose pieces have the same numbers in all of them."""
    row_starts = np.cumsum([0, *(len(part.docs) for part in parts[:-1])])
    timed = [p.timed + start for p, start in zip(parts, row_starts, strict=True) if p.timed is not None]
    clicked_at = [part.clicked_at for part in parts if part.clicked_at is not None]
    return PageParts(
        parts[0].queries,
        np.concatenate([part.piece for part in parts]),
        np.concatenate([part.docs for part in parts]),
        np.concatenate([part.ranks for part in parts]),
        np.concatenate([part.deeds for part in parts]),
        timed=np.concatenate([np.zeros(0, dtype=np.int64), *timed]),
        clicked_at=np.concatenate([np.zeros(0), *clicked_at]),
    )


def all_of(name: str, parts: RecordSpool[PageParts], otherwise: NDArray[Scalar]) -> NDArray[Scalar] | None:
    """A column of all pieces; `otherwise` for the pieces of parts without; None where no part has any."""
    if not parts.has(name):
        return None
    sizes = [0 if queries is None else len(queries) for queries in parts.column("queries")]
    column_of_all = np.empty((sum(sizes), *otherwise.shape[1:]), dtype=otherwise.dtype)
    start = 0
    for column, size in zip(parts.column(name), sizes, strict=True):
        column_of_all[start : start + size] = otherwise if column is None else column
        start += size
    return column_of_all


def all_keys(name: str, parts: RecordSpool[PageParts]) -> Digests | None:
    """The keys of all pieces, of pages or sessions; zeros for parts without; None where no part has any."""
    return all_of(name, parts, np.frombuffer(NONE, dtype=np.uint64)[None])


def all_times(parts: RecordSpool[PageParts]) -> NDArray[np.float64] | None:
    """The times of all pieces; None where no part has any."""
    return all_of("times", parts, np.array([np.nan]))


def all_robots(parts: RecordSpool[PageParts]) -> NDArray[np.bool_] | None:
    """The flags of all pieces; None where no part has any."""
    return all_of("robots", parts, np.array([False]))


def all_queries(parts: RecordSpool[PageParts]) -> Ints:
    """The queries of all pieces."""
    return np.concatenate([column for column in parts.column("queries") if column is not None])
