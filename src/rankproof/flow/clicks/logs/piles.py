"""Piles: records of arrays put away one after the other while a log is read, out of memory where there are many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Generic, TypeVar, cast

from numpy.typing import NDArray

from rankproof.records.kept import Again, Spool

T = TypeVar("T")


class Pile(Generic[T]):
    """Records of one kind, whose fields are arrays or None, in the order in which they were added."""

    def __init__(self, kind: type[T], spool: Spool | None = None) -> None:
        """`spool` for piles that share one."""
        self._kind = kind
        self._names = [field.name for field in fields(cast("Any", kind))]
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
