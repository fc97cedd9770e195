"""Lines: a long text line by line, so that a file of gigabytes is never held whole as text."""

from __future__ import annotations

from collections.abc import Iterator

from rankproof.errors import InputError
from rankproof.records.source import Source

# Bytes taken at once: large enough that cutting costs nothing, small beside the texts that stay.
PIECE = 1 << 22


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Every line without its end, with its number from 1. Only a line feed ends a line."""
    number, rest = 0, b""
    for begin in range(0, len(source.data), PIECE):
        pieces = (rest + bytes(source.data[begin : begin + PIECE])).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            number += 1
            yield number, _text(piece, number, source)
    if rest:
        yield number + 1, _text(rest, number + 1, source)


def _text(line: bytes, number: int, source: Source) -> str:
    try:
        return line.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source.name}, line {number}: byte 0x{line[error.start]:02x} is not UTF-8. Write the file anew as UTF-8."
        ) from None
