"""Columns: rows of several pieces as one, and rows set aside in unnamed temporary files."""

from __future__ import annotations

import io
import json
import tempfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rankproof.core import Rows

_ARRAYS = ("query", "doc_data", "doc_start", "number", "state", "rank", "line", "label")
_KINDS = (np.int32, np.uint8, np.int64, np.float64, np.uint8, np.int64, np.int64, np.int32)


def concatenated(pieces: Iterable[Rows]) -> Rows:
    """The rows of all pieces, one after the other, each with its line."""
    return _joined([_columns(rows) for rows in pieces])


def of_queries(rows: Rows, queries: Collection[str]) -> NDArray[np.bool_]:
    """For each row, whether its query is one of these."""
    known = np.array([query in queries for query in rows.query_ids], dtype=np.bool_)
    return known[rows.query] if len(known) else np.zeros(len(rows), dtype=np.bool_)


def taken(rows: Rows, mask: NDArray[np.bool_]) -> Rows:
    """The rows that a mask keeps."""
    return rows.take(np.flatnonzero(mask).astype(np.int64))


def with_lines(rows: Rows, lines: NDArray[np.int64]) -> Rows:
    """The rows with other lines; 0 for a row that has none."""
    columns = {name: getattr(rows, name) for name in _ARRAYS} | {"line": lines}
    return Rows.from_buffers(query_ids=rows.query_ids, labels=rows.labels, **columns)


def dealt(rows: Rows, hands: int) -> Iterator[tuple[int, bytes]]:
    """Rows as bytes, distributed by query: all rows of a query go to the same one of `hands` partitions."""
    if not len(rows):
        return
    at = np.array([_hand_of(query, hands) for query in rows.query_ids])[rows.query]
    turn = np.argsort(at, kind="stable")
    bounds = [0, *(np.flatnonzero(np.diff(at[turn])) + 1).tolist(), len(turn)]
    for begin, end in pairwise(bounds):
        yield int(at[turn[begin]]), _packed(rows.take(turn[begin:end].astype(np.int64)))


def gathered(packed: Iterable[bytes]) -> Rows:
    """The distributed rows, one after the other."""
    return _joined([columns for one in packed for columns in _unpacked(io.BytesIO(one))])


@contextmanager
def put_aside(files: int) -> Iterator[PutAside]:
    """Temporary files for rows that are set aside. They have no name, so that nothing is left of them after a crash."""
    with ExitStack() as stack:
        yield PutAside([stack.enter_context(tempfile.TemporaryFile()) for _ in range(files)])


class PutAside:
    """Rows set aside by query: all rows of a query are in the same file of a few."""

    def __init__(self, files: Sequence[IO[bytes]]) -> None:
        self._files = files

    def add(self, rows: Rows) -> None:
        """Writes rows to their files."""
        for at, packed in dealt(rows, len(self._files)):
            self._files[at].write(packed)

    def __iter__(self) -> Iterator[Rows]:
        """The rows of each file, those of a query in the order of writing; files without rows are skipped."""
        for file in self._files:
            file.seek(0)
            parts = list(_unpacked(file))
            if parts:
                yield _joined(parts)


Columns = tuple[list[str], list[str], Sequence[NDArray[Any]]]


def _hand_of(query: str, hands: int) -> int:
    return zlib.crc32(query.encode("utf-8", "surrogateescape")) % hands


def _columns(rows: Rows) -> Columns:
    return rows.query_ids, rows.labels, [getattr(rows, name) for name in _ARRAYS]


def _packed(rows: Rows) -> bytes:
    query_ids, labels, arrays = _columns(rows)
    head = json.dumps([query_ids, labels, [len(array) for array in arrays]]).encode("ascii")
    return b"".join([len(head).to_bytes(8, "little"), head, *(np.ascontiguousarray(array).data for array in arrays)])


def _unpacked(file: IO[bytes]) -> Iterator[Columns]:
    while size := file.read(8):
        query_ids, labels, lengths = json.loads(file.read(int.from_bytes(size, "little")))
        arrays = [
            np.frombuffer(file.read(length * np.dtype(kind).itemsize), dtype=kind)
            for length, kind in zip(lengths, _KINDS, strict=True)
        ]
        yield query_ids, labels, arrays


def _joined(pieces: Sequence[Columns]) -> Rows:
    """The pieces as one: indices into their names become indices into the names of all, and texts are concatenated."""
    queries: dict[str, int] = {}
    labels: dict[str, int] = {}
    columns: list[list[NDArray[Any]]] = [[np.zeros(0, dtype=kind)] for kind in _KINDS]
    columns[_ARRAYS.index("doc_start")] = [np.zeros(1, dtype=np.int64)]
    bytes_before = 0
    for names, tags, arrays in pieces:
        places = np.array([queries.setdefault(name, len(queries)) for name in names], dtype=np.int32)
        # -1, for no label, stays -1: it indexes the last entry.
        tagged = np.array([*(labels.setdefault(tag, len(labels)) for tag in tags), -1], dtype=np.int32)
        for name, array, column in zip(_ARRAYS, arrays, columns, strict=True):
            if name == "query":
                column.append(places[array] if len(array) else array)
            elif name == "label":
                column.append(tagged[array])
            elif name == "doc_start":
                column.append(array[1:] - array[0] + bytes_before)
            else:
                column.append(array)
        bytes_before += len(arrays[_ARRAYS.index("doc_data")])
    whole = {name: np.concatenate(column) for name, column in zip(_ARRAYS, columns, strict=True)}
    return Rows.from_buffers(query_ids=list(queries), labels=list(labels), **whole)
