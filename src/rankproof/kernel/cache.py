"""Cache: bytes by key, stored in a folder between runs and shared by processes.

An entry is a file with a checksum before its content. It is written beside its place and moved there, so another
process sees all of it or none; one that is damaged counts as missing and is written anew. Deleting the folder is always
safe.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Protocol

from rankproof.errors import InputError
from rankproof.kernel.atomic import replace_file

_MARK = b"rankproof cache 1\n"
_HEAD = len(_MARK) + 32


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
        return data if content[:_HEAD] == _MARK + _checksum(key, data) else None

    def put(self, key: str, data: bytes) -> None:
        """Stores the bytes, whole or not at all."""
        path = self._path(key)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError as error:
            raise InputError(f"The cache {self._folder} cannot be written: {error.strerror or error}.") from None
        replace_file(path, [_MARK, _checksum(key, data), data])

    def _path(self, key: str) -> str:
        name = sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
        return os.path.join(self._folder, name[:2], name)


def _checksum(key: str, data: bytes) -> bytes:
    """A checksum of content and key, so that an entry under the wrong key counts as damaged."""
    return sha256(len(key).to_bytes(8, "little") + key.encode("utf-8", "surrogateescape") + data).digest()


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
