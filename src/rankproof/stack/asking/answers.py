"""Answers of live engines on disk, stored as they arrive: a fetch that was killed continues where it was.

A file of JSON lines that only ever grows. Each line carries a checksum, so that half a line (the process was killed,
the disk was full) is known for what it is, and one line is written by one call: what `put` returned from survives the
process. The file is synced to the disk once a second at most, and at the end; a machine that loses its power loses the
last second, which is then asked again.
"""

from __future__ import annotations

import json
import os
import time
from hashlib import sha256
from typing import Any

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.system import append_only, lock
from rankproof.reading.ranking import Answered, Ranking

SCHEMA = "answers/1"
SECONDS_BETWEEN_SYNCS = 1.0
# A line is {"check": "<16 hex digits>", "answer": {...}}, and the digits are of the bytes of {...}.
_BEFORE, _BETWEEN, _AFTER = b'{"check": "', b'", "answer": ', b"}\n"
_BODY = len(_BEFORE) + 16 + len(_BETWEEN)


class Answers:
    """The answers in one file, by key. Used as a context: the file is closed, and nobody else writes to it meanwhile.

    damaged   lines that could not be trusted and are asked again
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.damaged = 0
        self._places: dict[str, tuple[int, int]] = {}
        self._synced = time.monotonic()
        try:
            self._file = append_only(self.path)
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror or error}. Name another file.") from None
        try:
            self._lock()
            self._read()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Answers:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: str) -> Answered | None:
        """The answer that is stored under a key."""
        place = self._places.get(key)
        if place is None:
            return None
        os.lseek(self._file, place[0], os.SEEK_SET)
        document = _checked(os.read(self._file, place[1])) or {}
        try:
            ranking = Ranking(
                tuple(document["doc_ids"]),
                np.array(document["scores"], dtype=np.float64),
                hit_fields=document.get("hit_fields", {}),
            )
            return Answered(
                document["query_id"],
                ranking,
                document["milliseconds"],
                document["attempts"],
                day=document.get("day", ""),
            )
        except (KeyError, TypeError, ValueError):
            return None

    def put(self, key: str, answered: Answered) -> None:
        """Stores an answer."""
        told = answered.ranking.hit_fields
        line = _line(
            {
                "key": key,
                "query_id": answered.query_id,
                "doc_ids": list(answered.ranking.doc_ids),
                "scores": answered.ranking.scores.tolist(),
                "milliseconds": answered.milliseconds,
                "attempts": answered.attempts,
                "day": time.strftime("%Y-%m-%d", time.gmtime()),
                **({"hit_fields": {doc: dict(fields) for doc, fields in told.items()}} if told else {}),
            }
        )
        start = os.lseek(self._file, 0, os.SEEK_END)
        self._write(line)
        self._places[key] = (start, len(line))

    def drop(self, beginning: str) -> None:
        """Drops the answers whose keys begin so: a line says it, by which they stay dropped."""
        self._write(_line({"dropped": beginning, "day": time.strftime("%Y-%m-%d", time.gmtime())}))
        self._drop(beginning)

    def _drop(self, beginning: str) -> None:
        self._places = {key: place for key, place in self._places.items() if not key.startswith(beginning)}

    def forget(self) -> None:
        """Drops every answer: what they were answers of has changed."""
        self._places.clear()
        os.ftruncate(self._file, len(_HEAD))

    def close(self) -> None:
        """Closes the file, with everything on the disk."""
        os.fsync(self._file)
        os.close(self._file)

    # ---- the file ------------------------------------------------------------------------------

    def _lock(self) -> None:
        """One fetch at a time: two would ask everything twice."""
        if not lock(self._file):
            raise UsageError(f"{self.path} is in use by another fetch. Wait for it, or name another file.")

    def _read(self) -> None:
        """Finds every answer that can be trusted, and cuts off the half line at the end."""
        place = end = 0
        with open(self.path, "rb") as lines:
            for number, line in enumerate(lines):
                document = _checked(line)
                if number == 0 and line != _HEAD[: len(line)]:
                    raise InputError(f"{self.path} holds something else than answers of an engine. Name another file.")
                if document is None and line.endswith(b"\n"):
                    self.damaged += 1
                elif document is not None and "dropped" in document:
                    self._drop(document["dropped"])
                elif document is not None and number > 0:
                    self._places[document["key"]] = (place, len(line))
                place += len(line)
                if line.endswith(b"\n"):
                    end = place
        if end < place:
            os.ftruncate(self._file, end)
            self.damaged += 1
        if end == 0:
            self._write(_HEAD)

    def _write(self, line: bytes) -> None:
        try:
            written = os.write(self._file, line)
            if written < len(line):
                raise OSError(0, "the disk is full")
            if time.monotonic() - self._synced >= SECONDS_BETWEEN_SYNCS:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            raise InputError(
                f"{self.path} cannot be written: {error.strerror or error}. Answers so far are kept; make room, then "
                "run the same command again."
            ) from None


def _line(document: dict[str, object]) -> bytes:
    body = to_json(document).encode()
    return _BEFORE + sha256(body).hexdigest()[:16].encode() + _BETWEEN + body + _AFTER


def _checked(line: bytes) -> dict[str, Any] | None:
    """What a line says; None where it is not as it was written."""
    body = line[_BODY : -len(_AFTER)]
    if line[: len(_BEFORE)] != _BEFORE or line[-len(_AFTER) :] != _AFTER:
        return None
    if line[len(_BEFORE) : len(_BEFORE) + 16] != sha256(body).hexdigest()[:16].encode():
        return None
    document: dict[str, Any] = json.loads(body)
    return document


_HEAD = _line({"schema": SCHEMA})
