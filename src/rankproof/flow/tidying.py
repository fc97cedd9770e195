"""What reading a text evens out without a word, said as changes: line ends, blanks, marks, comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.checks._words import count
from rankproof.records.change import Change
from rankproof.records.source import Source

if TYPE_CHECKING:
    from rankproof.core._core import Rows
    from rankproof.formats._contract import Layout

MARK = b"\xef\xbb\xbf"
TAB, NEWLINE, RETURN, BLANK = 9, 10, 13, 32
# Bytes looked at in one go: the columns of flags stay small.
PIECE = 1 << 24


def tidied(source: Source, layout: Layout, rows: Rows) -> list[Change]:
    """One change for each kind of thing that is not written back as it was."""
    lines = returns = uneven = 0
    data = np.frombuffer(source.data, dtype=np.uint8)
    begin = 0
    while begin < len(data):
        piece = _whole_lines(data, begin)
        begin += len(piece)
        ends = np.flatnonzero(piece == NEWLINE)
        lines += len(ends) + (len(piece) > 0 and int(piece[-1]) != NEWLINE)
        returns += int(np.count_nonzero(piece[ends[ends > 0] - 1] == RETURN))
        if layout.separator == " ":
            uneven += _uneven(piece, ends)
    changes = []
    if _has_mark(source):
        changes.append(Change("tidied", "byte order mark removed"))
    if returns:
        changes.append(Change("tidied", f"carriage return at the end of {count(returns, 'line')} removed"))
    if uneven:
        changes.append(Change("tidied", f"tabs and repeated blanks made one blank on {count(uneven, 'line')}"))
    silent = lines - layout.skip - len(rows) - rows.fault_count
    if silent > 0:
        changes.append(Change("tidied", f"{count(silent, 'empty or comment line')} removed"))
    return changes


def _whole_lines(data: NDArray[np.uint8], begin: int) -> NDArray[np.uint8]:
    """The next piece, up to the end of a line; a line longer than a piece comes whole."""
    size = PIECE
    while True:
        piece = data[begin : begin + size]
        if begin + size >= len(data):
            return piece
        ends = np.flatnonzero(piece == NEWLINE)
        if len(ends):
            return piece[: int(ends[-1]) + 1]
        size *= 2


def _uneven(piece: NDArray[np.uint8], ends: NDArray[np.int64]) -> int:
    """Lines with a tab, two blanks together, or a blank at their beginning or end."""
    # A carriage return before a newline is part of the line's end, and counted elsewhere.
    before_end = ends[ends > 0] - 1
    piece = piece.copy()
    piece[before_end[piece[before_end] == RETURN]] = NEWLINE
    # White space as the core knows it, without the newline.
    space = (piece == BLANK) | ((piece >= TAB) & (piece <= RETURN) & (piece != NEWLINE))
    edge = np.concatenate(([NEWLINE], piece[:-1])) == NEWLINE
    last = np.concatenate((piece[1:], [NEWLINE])) == NEWLINE
    before = np.concatenate(([False], space[:-1]))
    at = np.flatnonzero(space & ((piece != BLANK) | edge | last | before))
    # An empty line has no columns to part.
    filled = np.unique(np.searchsorted(ends, np.flatnonzero(~space & (piece != NEWLINE))))
    return len(np.intersect1d(np.unique(np.searchsorted(ends, at)), filled, assume_unique=True))


def _has_mark(source: Source) -> bool:
    if source.path is None:
        return False
    with open(source.path, "rb") as file:
        return file.read(len(MARK)) == MARK
