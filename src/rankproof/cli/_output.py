"""Where a command's answer goes: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import sys
from typing import BinaryIO

from rankproof.errors import UsageError
from rankproof.store.atomic import replace_file


def give(text: str, path: str | None) -> None:
    """Writes the text to a file, or to standard output for None and `-`."""
    if path is None or path == "-":
        say(text)
        return
    replace_file(path, [text.encode("utf-8", "surrogateescape")])


def say(text: str) -> None:
    """Writes to standard output at once. What its encoding cannot hold is written out, never refused."""
    stream = output()
    encoding = sys.stdout.encoding or "utf-8"
    try:
        data = text.encode(encoding, "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode(encoding, "backslashreplace")
    sys.stdout.flush()
    stream.write(data)
    stream.flush()  # now, so that a reader that is gone is noticed while someone listens


def output() -> BinaryIO:
    """Standard output, for bytes. A program may be started without one."""
    if sys.stdout is None:
        raise UsageError("There is no standard output to write to. Name a file to write to.")
    return sys.stdout.buffer
