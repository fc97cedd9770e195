"""Pieces: a large run read window by window, each piece ending where a query ends.

Pieces can be iterated several times: each time the file is read from its beginning, and no more than one piece is in
memory.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Protocol

import numpy as np

from rankproof.core import Joined, Judgments, Rows, TextFile
from rankproof.reading.formats.contract import TextLayout
from rankproof.reading.records import Order
from rankproof.reading.stream import plain_stream

_BOM = b"\xef\xbb\xbf"
# How much of the end of a piece is looked at first, to find where the last query in it begins.
_TAIL = 1 << 16
NEWLINE = 10


class RunPiece(Protocol):
    """Neighboring rows of a run."""

    def join(self, judgments: Judgments, order: Order, threads: int) -> Joined:
        """The join of its rows, by the fastest way."""

    def rows(self) -> Rows:
        """Its rows, each with its line, in the whole where pieces are numbered."""

    def __len__(self) -> int:
        """About how many bytes it has."""


class Pieces(Protocol):
    """All pieces of a run, in its order."""

    def read(self, numbered: bool = False) -> Iterator[RunPiece]:
        """The pieces, from the first. Only when `numbered` do the lines of text count from the first of the whole."""


@dataclass(frozen=True, slots=True, eq=False)
class TextPiece:
    """Lines of a text that the core reads by itself. `first_line` is the number of the first of them."""

    data: memoryview
    layout: TextLayout
    first_line: int

    def join(self, judgments: Judgments, order: Order, threads: int) -> Joined:
        """Straight from the text."""
        return judgments.join_text(
            self.data, **asdict(self.layout), by=order.by, ties=order.ties, precision=order.precision,
            lower_is_better=order.lower_is_better, threads=threads,
        )  # fmt: skip

    def rows(self) -> Rows:
        """The lines as rows."""
        return Rows.from_text(self.data, **asdict(self.layout), first_line=self.first_line)

    def __len__(self) -> int:
        return len(self.data)


class Window(Protocol):
    """A text of which a part can be seen at a time."""

    def see(self, begin: int, size: int) -> tuple[bytes, int]:
        """`size` bytes from a position on, fewer at the end of the text, and where they begin in the returned bytes.

        The requested positions never decrease.
        """


@dataclass(frozen=True, slots=True, eq=False)
class TextPieces:
    """A text of lines. `opened` opens it at the beginning, `size` is how many bytes are read at a time."""

    opened: Callable[[], AbstractContextManager[Window]]
    layout: TextLayout
    size: int

    def read(self, numbered: bool = False) -> Iterator[TextPiece]:
        """Pieces of whole lines, of whole queries where a query's lines stand together; `numbered` counts lines."""
        inside = replace(self.layout, skip=0)
        at, line, headers, size = 0, 1, self.layout.skip, self.size
        with self.opened() as window:
            while True:
                data, begin = window.see(at, size)
                last = len(data) - begin < size
                end = len(data) if last else _last_query(data, begin, inside)
                if end > begin:
                    yield _text_piece(data, begin, end, replace(inside, skip=headers), line, at > 0)
                    if numbered or headers:
                        seen = np.frombuffer(data, dtype=np.uint8, count=end - begin, offset=begin)
                        lines = int(np.count_nonzero(seen == NEWLINE))
                        line, headers = line + lines, max(0, headers - lines)
                if last:
                    return
                # For a query longer than a piece, the window doubles until the end of the query is in it.
                at, size = at + end - begin, self.size if end > begin else 2 * size


def _text_piece(data: bytes, begin: int, end: int, layout: TextLayout, line: int, inside: bool) -> TextPiece:
    if inside and data[begin : begin + 3] == _BOM:
        # The core takes a byte order mark off the beginning of a text. Here it begins an id: an empty line protects it.
        return TextPiece(memoryview(b"\n" + data[begin:end]), layout, line - 1)
    return TextPiece(memoryview(data)[begin:end], layout, line)


def _last_query(data: bytes, begin: int, layout: TextLayout) -> int:
    """Where the last line begins whose query is not that of the line before it; `begin` where there is none."""
    end, size = data.rfind(b"\n", begin) + 1, _TAIL
    while end > begin:
        first = begin if end - begin <= size else data.find(b"\n", end - size, end) + 1
        tail = memoryview(data)[first:end]
        rows = Rows.from_text(tail, **asdict(layout))
        changes = np.flatnonzero(np.diff(rows.query))
        if len(changes):
            line = int(rows.line[changes[-1] + 1])  # from 1, and not the first
            ends = np.flatnonzero(np.frombuffer(tail, dtype=np.uint8) == NEWLINE)
            return first + int(ends[line - 2]) + 1
        if first == begin:
            return begin
        size *= 8
    return begin


@contextmanager
def streamed(file: TextFile) -> Iterator[Stream]:
    """A packed file, unpacked from its beginning."""
    with plain_stream(file.path, file.path) as stream:
        yield Stream(stream)
    file.check()


class FileWindow:
    """A plain file, of which only the current window takes memory."""

    def __init__(self, file: TextFile) -> None:
        self._file = file

    def see(self, begin: int, size: int) -> tuple[bytes, int]:
        """The bytes from a place on."""
        return self._file.read(begin, size), 0


class Stream:
    """A stream with a buffer of what was read last and is not yet passed."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._buffer = b""
        self._begin = 0

    def see(self, begin: int, size: int) -> tuple[bytes, int]:
        """The bytes from a place on."""
        left = self._buffer[begin - self._begin :]
        self._buffer, self._begin = left + self._stream.read(max(0, size - len(left))), begin
        return self._buffer, 0
