"""Limits: how much one call of a tool may read, take and answer."""

from __future__ import annotations

from dataclasses import dataclass

# Of one argument that takes several files, and several words.
MOST_FILES = 50
MOST_WORDS = 100
LONGEST_WORD = 1_000
# Calls that may wait for the one that runs.
MOST_WAITING = 8
# Of the text beside a document, in characters.
LONGEST_TEXT = 8_000
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What `rankproof mcp` was started with.

    file     bytes of one file, as it lies there and unpacked
    files    bytes of all files of one call together
    memory   bytes that a call may take beside what Python and its libraries take, where the system can hold it to that
    seconds  until a call is ended
    answer   bytes of the document that a tool answers with
    """

    file: int = 256 * MIB
    files: int = 512 * MIB
    memory: int = 4096 * MIB
    seconds: float = 120.0
    answer: int = MIB


def size(count: int) -> str:
    """A number of bytes, in words."""
    for unit, scale in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count} bytes"
