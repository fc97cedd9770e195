"""Where a command's answer goes: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from rankproof.errors import UsageError


def give(text: str, path: str | None) -> None:
    """Writes the text to a file, or to standard output for None and `-`."""
    if path is None or path == "-":
        say(text)
        return
    with written(path) as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def say(text: str) -> None:
    """Writes to standard output at once. What its encoding cannot hold is written out, never refused."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        data = text.encode(encoding, "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode(encoding, "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()  # now, so that a reader that is gone is noticed while someone listens


@contextmanager
def written(path: str) -> Iterator[BinaryIO]:
    """A file to write into that takes its place only when all is written; after an error, nothing changed."""
    goal = os.path.realpath(path)  # a link stays a link; what it points to is replaced
    refuse(path)
    if os.path.exists(goal) and not os.path.isfile(goal):
        with open(goal, "wb") as stream:  # a pipe or a device: there is nothing to put in place
            yield stream
        return
    part = f"{goal}.{os.getpid()}.part"
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(goal):
            os.chmod(part, os.stat(goal).st_mode & 0o7777)
        os.replace(part, goal)
    except BaseException:
        with suppress(FileNotFoundError):
            os.remove(part)
        raise


def refuse(path: str) -> None:
    """An error when nothing can be written there; asked before the work, not after it."""
    goal = os.path.realpath(path)
    if os.path.isdir(goal):
        raise UsageError(f"{path} is a folder. Name a file in it to write to.")
    folder = os.path.dirname(goal)
    if not os.path.isdir(folder):
        raise UsageError(f"{path} cannot be written: the folder {folder} does not exist. Create it first.")
    if not os.access(goal if os.path.exists(goal) else folder, os.W_OK):
        raise UsageError(f"{path} cannot be written: no permission. Name another file with -o.")
