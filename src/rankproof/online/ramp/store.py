"""State of a ramp on disk: JSON lines that only ever grow, one for each decision, each sealed to the one before.

An entry is on the disk, file and folder, before it is reported. A process that is killed while it writes leaves half a
line at the end, which was never reported and is cut off; a last line that lacks only its newline gets it. All other
lines that are not as they were written are refused: a ramp continues only from its own record. A lock keeps a
second process from deciding at the same time.

An entry is on the disk, file and folder, before its decision is reported. A process that is killed while it writes
leaves half a line at the end, which was never reported and is cut off; a last line that lacks nothing but its end gets
it. Any other line that is not as it was written is refused: a ramp goes on from nothing but its own record. A lock
keeps a second process from deciding at the same time.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from importlib import import_module

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.kernel.atomic import refuse
from rankproof.kernel.jsontext import to_json
from rankproof.online.ramp.records import RampEntry


class RampState:
    """The state file of one ramp, held by one process. Used as a context; `entries` are those on record."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        refuse(self.path)
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror or error}. Name another file.") from None
        try:
            self._lock()
            self.entries = self._settled()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> RampState:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._file)

    def append(self, entry: RampEntry) -> None:
        """Keeps an entry. When this returns it is on the disk."""
        before = self.entries[-1].seal if self.entries else ""
        if (entry.n, entry.before) != (len(self.entries) + 1, before):
            raise ValueError("an entry follows the last one on record")
        line = f"{to_json(entry.to_dict())}\n".encode()
        self._write(line)
        self.entries = (*self.entries, entry)

    # ---- the file ------------------------------------------------------------------------------

    def _lock(self) -> None:
        with suppress(ModuleNotFoundError):  # Windows, where files have no such locks
            fcntl = import_module("fcntl")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(
                    f"{self.path} is in use: this ramp is being decided by another process. Wait for it to end."
                ) from None

    def _settled(self) -> tuple[RampEntry, ...]:
        """What is on record, with the end of the file brought in order and everything on the disk."""
        content = _content(self.path)
        entries, whole, complete = parse(content, self.path)
        try:
            if whole < len(content):
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
            with suppress(PermissionError):  # Windows opens no folders
                folder = os.open(os.path.dirname(os.path.realpath(self.path)), os.O_RDONLY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)
        except OSError as error:
            raise self._cannot(error) from None

    def _cannot(self, error: OSError) -> InputError:
        return InputError(
            f"{self.path} cannot be written: {error.strerror or error}. Nothing was decided; make room, then run the "
            "same command again."
        )


def read_entries(path: str | os.PathLike[str]) -> tuple[RampEntry, ...]:
    """The entries on record, for those who only look; none where there is no file. Nothing is written or locked."""
    where = os.fspath(path)
    return parse(_content(where), where)[0] if os.path.lexists(where) else ()


def parse(content: bytes, source: str) -> tuple[tuple[RampEntry, ...], int, bool]:
    """The entries, how many bytes of the content are theirs, and whether the last line has its end."""
    *lines, rest = content.split(b"\n")
    whole, complete = len(content) - len(rest), True
    if rest and _is_entry(rest):
        lines.append(rest)
        whole, complete = len(content), False
    entries: list[RampEntry] = []
    for number, line in enumerate(lines, start=1):
        place = f"{source}, line {number}"
        entry = RampEntry.from_dict(_json(line), place)
        before = entries[-1].seal if entries else ""
        if (entry.n, entry.before) != (number, before):
            raise InputError(
                f"{place}: the entry does not follow the one before it: a line was taken out, put in or moved. Bring "
                "the file back from a copy."
            )
        entries.append(entry)
    return tuple(entries), whole, complete


def _is_entry(line: bytes) -> bool:
    try:
        RampEntry.from_dict(_json(line), "")
    except InputError:
        return False
    return True


def _json(line: bytes) -> object:
    """What a line says; None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from None
