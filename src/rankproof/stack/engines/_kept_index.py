"""Kept indexes: a folder that holds an index of an engine in this process, filled by `rankproof index`."""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Final

from rankproof.errors import InputError, UsageError
from rankproof.kernel.atomic import replace_file
from rankproof.kernel.jsontext import from_json, to_json
from rankproof.kernel.specs.kinds import Param, Path
from rankproof.kernel.system import append_only, lock
from rankproof.stack.engines._in_process import numbered
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.filling import (
    FILLING,
    WHOLE,
    FillRequest,
    IndexContent,
    IndexDocument,
    IndexFound,
    differences,
    marker_of,
)

PATH: Final = Param(
    "path", Path(), None, "folder that keeps the index, filled by `rankproof index`; none: built for each benchmark"
)
_MARKER, _LOCK, _DATA = "rankproof-index.json", "lock", "data"


class KeptFiller(ABC):
    """A folder, to be filled. A document is known in it by its number, as in every index in this process."""

    content: IndexContent
    # Errors of the library: of a disk that is full, of files that somebody changed.
    errors: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, request: FillRequest) -> None:
        path: str = request.first["path"]
        self.folder = os.path.abspath(os.path.join(request.ground.folder, os.path.expanduser(path)))
        self.name = f"{request.engine}: the folder {path!r}"
        self.data = os.path.join(self.folder, _DATA)
        self._corpus = request.corpus
        self._lock: int | None = None

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each document."""
        return {self._corpus.doc_ids[place]: number for number, place in enumerate(numbered(self._corpus.doc_ids))}

    # ---- what is made ----------------------------------------------------------------------------

    @property
    @abstractmethod
    def plan(self) -> Mapping[str, object]:
        """What is made."""

    def found(self) -> IndexFound | None:
        """By the marker, a file beside the index."""
        if not os.path.lexists(self.folder):
            return None
        if not os.path.isdir(self.folder):
            return IndexFound(None, "file", "a file")
        names = sorted(set(os.listdir(self.folder)) - {_LOCK})
        if not names:
            return None
        marker = None
        with (
            suppress(OSError, InputError, UnicodeDecodeError),
            open(os.path.join(self.folder, _MARKER), encoding="utf-8") as file,
        ):
            marker = from_json(file.read(), _MARKER)
        return IndexFound(marker if isinstance(marker, dict) else None, "folder", f"files {', '.join(names[:4])}")

    def create(self, marker: Mapping[str, object]) -> None:
        """Makes the folder, with the marker in it before anything else."""
        with self.failing():
            os.makedirs(self.folder, exist_ok=True)
        self.hold()
        self.mark(marker)

    def mark(self, marker: Mapping[str, object]) -> None:
        """Writes the marker, whole or not at all."""
        replace_file(os.path.join(self.folder, _MARKER), [f"{to_json(dict(marker), indent=2)}\n".encode()])

    def remove(self) -> None:
        """Removes the index and then its marker, which says meanwhile that it is no index."""
        self.hold()
        self.close_index()
        self.mark({"state": FILLING, "plan": "being removed"})
        with self.failing():
            shutil.rmtree(self.data, ignore_errors=True)
            os.remove(os.path.join(self.folder, _MARKER))

    # ---- one process at a time -------------------------------------------------------------------

    def hold(self) -> None:
        """Locks the folder for this process until it is closed; InputError where another one fills it."""
        if self._lock is None:
            with self.failing():
                self._lock = append_only(os.path.join(self.folder, _LOCK))
            if not lock(self._lock):
                os.close(self._lock)
                self._lock = None
                raise InputError(
                    f"{self.name} is being filled by another process. Wait until it is done, then run the same "
                    "command again."
                )

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Makes an AskFailed of what the library and the disk refuse."""
        try:
            yield
        except self.errors as error:
            message = getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__
            raise AskFailed("refused", f"It cannot be written or read: {message}.", again=False) from None

    def close(self) -> None:
        """Ends the lock."""
        self.close_index()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @abstractmethod
    def close_index(self) -> None:
        """Gives back what the library holds."""

    # ---- documents -------------------------------------------------------------------------------

    @abstractmethod
    def there(self, doc_ids: Sequence[str]) -> set[str]:
        """Which of these documents it has."""

    @abstractmethod
    def put(self, documents: Sequence[IndexDocument]) -> None:
        """Puts documents into it, all or none."""

    @abstractmethod
    def finish(self) -> None:
        """Makes everything searchable."""

    @abstractmethod
    def count(self) -> int:
        """How many documents it has."""

    @abstractmethod
    def read(self, doc_ids: Sequence[str]) -> dict[str, IndexDocument]:
        """Documents as it has them now."""

    def size(self) -> int | None:
        """Bytes of its files."""
        return folder_size(self.data)

    # ---- searching -------------------------------------------------------------------------------

    def require(self) -> Mapping[str, object]:
        """The marker of an index that is whole and fits; UsageError that says what is there, and what makes it."""
        found = self.found()
        fill = "Make and fill it: rankproof index CONFIG"
        if found is None:
            raise UsageError(f"{self.name} holds no index. {fill}")
        if found.marker is None:
            raise UsageError(
                f"{self.name} was not made by `rankproof index`: it has {found.what}. Name another folder."
            )
        marker = marker_of(self.content, self._corpus.content_hash, dict(self.plan), WHOLE)
        if wrong := differences(found, marker):
            raise UsageError(f"{self.name} was made from {' and '.join(wrong)}. {fill} --replace")
        if found.marker.get("state") != WHOLE:
            raise UsageError(f"{self.name} holds an index that is not whole. {fill}, which goes on from what is there.")
        return found.marker


def folder_size(folder: str) -> int:
    """Bytes of the files in a folder."""
    with os.scandir(folder) as entries:
        return sum(entry.stat().st_size for entry in entries if entry.is_file())
