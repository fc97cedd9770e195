"""Writing: rows become pieces of a file, a query at a time, and ids that a format cannot hold are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from rankproof.errors import InputError

# Bytes gathered before a piece is handed on.
PIECE = 1 << 18


class Holds(Protocol):
    """Whether a text fits into a format."""

    def __call__(self, text: str) -> str:
        """The text; InputError when the format cannot hold it."""


def guard(pattern: str, what: str, instead: str) -> Holds:
    """Refuses texts in which the pattern is found: they would read back as something else."""
    bad = re.compile(pattern)

    def hold(text: str) -> str:
        if bad.search(text) or not text:
            raise InputError(f"{text!r} cannot be written in the {what} format. Write it as {instead}.")
        return text

    return hold


def gathered(lines: Iterable[str]) -> Iterator[bytes]:
    """The lines as UTF-8, many in one piece."""
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= PIECE:
            yield "".join(held).encode()
            held, size = [], 0
    if held:
        yield "".join(held).encode()
