"""Windows: a part of a file at a time. A plain file is mapped, a packed one is unpacked as it is read."""

from __future__ import annotations

import io
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

from rankproof.errors import Unreadable
from rankproof.flow.unpackstream import plain_stream


@contextmanager
def mapped(path: str) -> Iterator[MappedFile]:
    """A plain file. Only what is seen takes memory, and only until something else is."""
    try:
        with open(path, "rb", buffering=0) as file:
            yield MappedFile(file)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from None


@contextmanager
def streamed(path: str) -> Iterator[Stream]:
    """A packed file, unpacked from its beginning."""
    with plain_stream(path, path) as stream:
        yield Stream(stream)


class MappedFile:
    """A file of which a window is mapped at a time."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self._size = os.fstat(file.fileno()).st_size

    def see(self, begin: int, size: int) -> tuple[bytes | mmap.mmap, int]:
        """The bytes from a place on, and where they begin: what is mapped begins with a page."""
        size = min(size, self._size - begin)
        if size <= 0:
            return b"", 0
        before = begin % mmap.ALLOCATIONGRANULARITY
        window = mmap.mmap(self._file.fileno(), before + size, access=mmap.ACCESS_READ, offset=begin - before)
        return window, before


class Stream:
    """A stream of which what was read last, and not yet passed, is kept."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._kept = b""
        self._begin = 0

    def see(self, begin: int, size: int) -> tuple[bytes, int]:
        """The bytes from a place on."""
        left = self._kept[begin - self._begin :]
        self._kept, self._begin = left + self._stream.read(max(0, size - len(left))), begin
        return self._kept, 0
