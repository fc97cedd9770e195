"""Cache: bytes by key, stored in a folder between runs and shared by processes.

An entry is a file with a checksum before its content. It is written beside its place and moved there, so another
process sees all of it or none; one that is damaged counts as missing and is written anew. Deleting the folder is always
safe.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from rankproof.errors import InputError
from rankproof.kernel.atomic import replace_file

if TYPE_CHECKING:
    from hashlib import _Hash as HASH

_MARK = b"rankproof cache 1\n"
_HEAD = len(_MARK) + 32
# Bytes of an entry that are in memory at once while it is checked.
_PIECE = 1 << 22

Part = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Entry:
    """Where the bytes of an entry lie, for one that is too large to be read at once; or that they are damaged."""

    path: str
    begin: int
    size: int
    damaged: bool = False


class FolderCache:
    """The cache in `folder`, which is created when the first entry is stored."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.abspath(folder)

    def get(self, key: str) -> bytes | None:
        """The stored bytes; None when there are none or they are damaged."""
        try:
            with open(self._path(key), "rb") as file:
                content = file.read()
        except OSError:
            return None  # missing; an entry that cannot be read counts as missing
        data = content[_HEAD:]
        return data if content[:_HEAD] == _MARK + _checksum(key, [data]) else None

    def find(self, key: str, check: bool = True) -> Entry | None:
        """Where the stored bytes lie; None when there are none. They are read once, piece by piece, to check them."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                head, size = file.read(_HEAD), os.fstat(file.fileno()).st_size
                digest = _begun(key)
                while check and (piece := file.read(_PIECE)):
                    digest.update(piece)
        except OSError:
            return None
        whole = len(head) == _HEAD and (not check or head == _MARK + digest.digest())
        return Entry(path, _HEAD, max(size - _HEAD, 0), damaged=not whole)

    def put(self, key: str, data: bytes) -> None:
        """Stores the bytes, whole or not at all."""
        self.put_parts(key, [data])

    def put_parts(self, key: str, parts: Sequence[Part]) -> None:
        """Stores bytes that lie in several places, one part after the other."""
        path = self._path(key)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError as error:
            raise InputError(f"The cache {self._folder} cannot be written: {error.strerror or error}.") from None
        replace_file(path, [_MARK, _checksum(key, parts), *parts])

    def _path(self, key: str) -> str:
        name = sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
        return os.path.join(self._folder, name[:2], name)


def _checksum(key: str, parts: Sequence[Part]) -> bytes:
    """A checksum of content and key, so that an entry under the wrong key counts as damaged."""
    digest = _begun(key)
    for part in parts:
        digest.update(part)
    return digest.digest()


def _begun(key: str) -> HASH:
    return sha256(len(key).to_bytes(8, "little") + key.encode("utf-8", "surrogateescape"))


class Cache(Protocol):
    """Bytes by key, stored between runs. A key covers everything the bytes depend on, so an entry is never stale."""

    def get(self, key: str) -> bytes | None:
        """The stored bytes; None when there are none or they are damaged."""

    def put(self, key: str, data: bytes) -> None:
        """Stores the bytes, whole or not at all."""


class NoCache:
    """A cache that stores nothing."""

    def get(self, key: str) -> bytes | None:
        """None: nothing is stored."""
        return None

    def put(self, key: str, data: bytes) -> None:
        """Does nothing."""


NO_CACHE = NoCache()
