"""Sealed lines: a file of JSON lines that only ever grows, each line sealed to the one before, held by one process.

A line is on the disk, file and folder, before anybody is told of it. A process that is killed while it writes leaves
half a line at the end, which was never reported and is cut off; a last line that lacks only its newline gets it. All
other lines that are not as they were written are refused: what follows from such a file follows from its own record. A
lock keeps a second process from writing at the same time.
"""

from __future__ import annotations

import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Generic, Self, TypeVar

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.kernel.atomic import refuse
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.system import append_only, lock, sync_folder

# How often a process that waits for the lock looks again, in seconds.
PAUSE = 0.05


class SealedEntry(ABC):
    """What one line holds: its number from 1, the seal of the line before ("" for the first), and its own seal.

    `observed` has what differs from one time to the next; no seal covers it.
    """

    __slots__ = ()

    n: int
    before: str
    observed: Mapping[str, object]

    @property
    @abstractmethod
    def body(self) -> dict[str, object]:
        """All that the seal covers, `n` and `before` included."""

    @property
    def seal(self) -> str:
        """The SHA-256 of the body."""
        return sha256(to_json(self.body).encode()).hexdigest()

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**self.body, "seal": self.seal, "observed": dict(self.observed)}


Entry = TypeVar("Entry", bound=SealedEntry)
# Reads the JSON of a line; `InputError`, beginning with the place, where it is no entry or its seal does not fit.
ReadEntry = Callable[[object, str], Entry]


class SealedLines(Generic[Entry]):
    """The file, held by one process. Used as a context; `entries` are those on record.

    torn   whether the file ended in half a line, which was cut off
    """

    def __init__(
        self, path: str | os.PathLike[str], read: ReadEntry[Entry], *, in_use: str, nothing: str, wait: float = 0.0
    ) -> None:
        """`in_use` says who holds it and what to do, `nothing` what did not happen where it cannot be written.

        A file that another process holds is waited for, so many seconds.
        """
        self.path = os.fspath(path)
        self._read, self._in_use, self._nothing = read, in_use, nothing
        self.torn = False
        refuse(self.path)
        try:
            self._file = append_only(self.path)
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror or error}. Name another file.") from None
        try:
            self._lock(wait)
            self.entries = self._settled()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._file)

    def append(self, entry: Entry) -> None:
        """Keeps an entry. When this returns it is on the disk."""
        before = self.entries[-1].seal if self.entries else ""
        if (entry.n, entry.before) != (len(self.entries) + 1, before):
            raise ValueError("an entry follows the last one on record")
        self._write(f"{to_json(entry.to_dict())}\n".encode())
        self.entries = (*self.entries, entry)

    def require(self, entries: tuple[Entry, ...]) -> None:
        """Refuses entries that are whole and not all that was written; called before the file is touched."""

    # ---- the file ------------------------------------------------------------------------------

    def _lock(self, wait: float) -> None:
        until = time.monotonic() + wait
        while not lock(self._file):
            if time.monotonic() >= until:
                raise UsageError(f"{self.path} is in use: {self._in_use}")
            time.sleep(PAUSE)

    def _settled(self) -> tuple[Entry, ...]:
        """What is on record, with the end of the file brought in order and everything on the disk."""
        content = content_of(self.path)
        entries, whole, complete = parse_lines(content, self.path, self._read)
        self.require(entries)
        self.torn = whole < len(content)
        try:
            if self.torn:
                os.ftruncate(self._file, whole)
            if not complete:
                os.write(self._file, b"\n")
        except OSError as error:
            raise self._cannot(error) from None
        # Whoever wrote the last entry may have been killed before it was safe, or the file may be new.
        self._sync()
        return entries

    def _write(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            raise self._cannot(error) from None
        self._sync()

    def _sync(self) -> None:
        try:
            os.fsync(self._file)
            sync_folder(os.path.dirname(os.path.realpath(self.path)))
        except OSError as error:
            raise self._cannot(error) from None

    def _cannot(self, error: OSError) -> InputError:
        return InputError(
            f"{self.path} cannot be written: {error.strerror or error}. {self._nothing}; make room, then run the same "
            "command again."
        )


def read_lines(path: str | os.PathLike[str], read: ReadEntry[Entry]) -> tuple[Entry, ...]:
    """The entries on record, for those who only look; none where there is no file. Nothing is written or locked."""
    where = os.fspath(path)
    return parse_lines(content_of(where), where, read)[0] if os.path.lexists(where) else ()


def parse_lines(content: bytes, source: str, read: ReadEntry[Entry]) -> tuple[tuple[Entry, ...], int, bool]:
    """The entries, how many bytes of the content are theirs, and whether the last line has its end."""
    *lines, rest = content.split(b"\n")
    whole, complete = len(content) - len(rest), True
    if rest and _is_entry(rest, read):
        lines.append(rest)
        whole, complete = len(content), False
    entries: list[Entry] = []
    for number, line in enumerate(lines, start=1):
        place = f"{source}, line {number}"
        entry = read(_json(line), place)
        before = entries[-1].seal if entries else ""
        if (entry.n, entry.before) != (number, before):
            raise InputError(
                f"{place}: the entry does not follow the one before it: a line was taken out, put in or moved. Bring "
                "the file back from a copy."
            )
        entries.append(entry)
    return tuple(entries), whole, complete


def _is_entry(line: bytes, read: ReadEntry[Entry]) -> bool:
    try:
        read(_json(line), "")
    except InputError:
        return False
    return True


def _json(line: bytes) -> object:
    """What a line says; None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def content_of(path: str) -> bytes:
    """The bytes of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from None
