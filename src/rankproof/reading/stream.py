"""Streams: the decompressed bytes of a file or of standard input, piece by piece; and JSON lines."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Protocol

from rankproof.errors import InputError, Unreadable
from rankproof.reading.opener import OPENER
from rankproof.reading.source import NO_STDIN, STDIN, is_directory, opening, packing_of, zstd_library

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from rankproof.core import TextFile

# Enough bytes to recognize a compression or a kind of file.
HEAD = 4096
_PIECE = 1 << 20


@contextmanager
def plain_stream(path: str, name: str) -> Iterator[io.BufferedReader]:
    """The plain bytes of a path, or of standard input for `-`. A damaged file raises Unreadable.

    FileChanged, at the end, for a file that somebody wrote to while it was read.
    """
    import lzma
    import zlib

    from rankproof.core import TextFile

    file = _opened(path, name)
    is_file = not OPENER and path != STDIN and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    known = TextFile(path) if is_file else None
    packing = packing_of(file.peek(HEAD)[:HEAD])
    try:
        yield file if packing is None else unpacked_stream(file, packing)
    except EOFError:
        _check(known)
        raise Unreadable(_damage(name, packing, "it ends too early")) from None
    except (zlib.error, lzma.LZMAError) as error:
        _check(known)
        raise Unreadable(_damage(name, packing, f"it is damaged ({error})")) from None
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"{name} cannot be read: {reason}." if packing is None else _damage(name, packing, reason)
        raise Unreadable(message) from None
    finally:
        if path != STDIN:
            file.close()
    _check(known)


def _check(known: TextFile | None) -> None:
    if known is not None:
        known.check()


def _damage(name: str, packing: str | None, reason: str) -> str:
    return f"{name} cannot be decompressed ({packing}): {reason}. Copy or make the file again."


def _opened(path: str, name: str) -> io.BufferedReader:
    if OPENER:
        return buffered(OPENER[0].read(path))
    if path == STDIN:
        if sys.stdin is None:
            raise Unreadable(NO_STDIN)
        return open(sys.stdin.fileno(), "rb", closefd=False)
    with opening(name):
        if stat.S_ISDIR(os.stat(path).st_mode):
            raise is_directory(name)
        return open(path, "rb")


def buffered(content: bytes) -> io.BufferedReader:
    """Bytes as a stream with `peek`."""
    return io.BufferedReader(io.BytesIO(content), _PIECE)


def unpacked_stream(file: io.BufferedReader, packing: str) -> io.BufferedReader:
    """The plain bytes of a packed stream, all its members one after the other."""
    import bz2
    import gzip
    import lzma

    if packing == "gzip":
        return io.BufferedReader(gzip.GzipFile(fileobj=file, mode="rb"), _PIECE)  # it asks `file` otherwise
    if packing == "bzip2":
        return io.BufferedReader(bz2.BZ2File(file), _PIECE)
    if packing == "xz":
        return io.BufferedReader(lzma.LZMAFile(file), _PIECE)
    return io.BufferedReader(_Zstd(file), _PIECE)


class _Frame(Protocol):
    """The decompressor of one zstd frame, in the standard library and in `zstandard`."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Zstd(io.RawIOBase):
    """Frames of zstd one after the other. The library's own reader takes a truncated frame for the end of the file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._library = zstd_library()
        self._frame: _Frame | None = None
        self._left = b""  # packed bytes of the next frame
        self._plain = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._plain:
            packed = self._left or self._file.read(_PIECE)
            self._left = b""
            if not packed:
                if self._frame is not None:
                    raise EOFError
                return 0
            if self._frame is None:
                self._frame = self._new_frame()
            try:
                self._plain = memoryview(self._frame.decompress(packed))
            except self._library.ZstdError as error:
                raise OSError(f"it is damaged ({error})") from None
            if self._frame.eof:
                self._left, self._frame = self._frame.unused_data, None
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._plain))
        target[:size] = self._plain[:size]
        self._plain = self._plain[size:]
        return size

    def _new_frame(self) -> _Frame:
        reader = self._library.ZstdDecompressor()
        frame: _Frame = reader if sys.version_info >= (3, 14) else reader.decompressobj()
        return frame


def objects(text: str, name: str) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of JSON lines, each with the number of its line; `name` is what messages call the source."""
    # Not splitlines(): a text in JSON may hold the line separators of Unicode as they are.
    return objects_of(enumerate(text.split("\n"), 1), name)


def objects_of(lines: Iterable[tuple[int, str]], name: str) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of numbered lines, for a text too long to be held in memory."""
    for number, line in lines:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}, line {number}: this is not JSON ({error}). Give one object per line.") from None
        if not isinstance(record, dict):
            raise InputError(f"{name}, line {number}: this is not a JSON object. Give one object per line.")
        yield number, record
