"""Paths: the files below one folder, opened so that no name leads out of it.

A name is taken apart before anything is opened: addresses, absolute names, names of other systems and names that climb
out of the folder are refused as texts. Then the folders on the way are opened one by one, each from the one before and
never through a link, and the file from the last. What is between the look and the opening cannot be changed to lead
elsewhere: nothing is opened by a path of more than one part.
"""

from __future__ import annotations

import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from rankproof.errors import FileChanged, Unreadable
from rankproof.integrations.mcp.limits import LONGEST_WORD, MIB, ServerLimits, size
from rankproof.reading.detect import by_prefix
from rankproof.reading.source import packing_of, zstd_library
from rankproof.reading.stream import buffered, unpacked_stream

INSIDE = "Name a file below the folder that is served, such as runs/bm25.run."
# Archives are unpacked twice at most: one can be made that holds itself.
LAYERS = 2
_PIECE = 1 << 20
# Windows opens files by whole paths only, and has no O_NOFOLLOW.
BY_PARTS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_DIRECTORY = _FLAGS | getattr(os, "O_DIRECTORY", 0)
# A pipe without a writer must not stop us, nor a terminal take us over.
_FILE = _FLAGS | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a name below the folder; Unreadable for one that could mean anything else."""
    shown = f"{name!r:.100}"
    if not name.strip():
        raise Unreadable(f"A name of a file is empty. {INSIDE}")
    if len(name) > LONGEST_WORD:
        raise Unreadable(f"{shown}: this name has {len(name):,} characters, and {LONGEST_WORD:,} are the most.")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in name):
        raise Unreadable(f"{shown}: names with control characters are not read. {INSIDE}")
    try:
        os.fsencode(name)
    except UnicodeError:
        raise Unreadable(f"{shown}: this is no text that a name can be written in. {INSIDE}") from None
    if "://" in name or by_prefix(name) is not None:
        raise Unreadable(f"{shown} is an address, and nothing is fetched here. {INSIDE}")
    if name == "-":
        raise Unreadable(f"'-' is standard input, and there is none here. {INSIDE}")
    if "\\" in name or name[1:2] == ":":
        raise Unreadable(f"{shown}: write names with / between their parts, without a drive. {INSIDE}")
    if name.startswith(("/", "~")):
        raise Unreadable(f"{shown} is not a name from the folder on. {INSIDE}")
    parts: list[str] = []
    for part in name.split("/"):
        if part == ".." and not parts:
            raise Unreadable(f"{shown} leads out of the folder that is served. {INSIDE}")
        if part == "..":  # no part is a link, so that this is what it looks like
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts or name.endswith("/"):
        raise Unreadable(f"{shown} is a folder. Name the files in it.")
    return tuple(parts)


class ServedFolder:
    """Reads files below a folder, within the limits. An opener, as `rankproof.reading.opener` knows it.

    folder   a descriptor of the open folder, which stays the same folder when its path becomes another; its path
             where the system cannot open files from a descriptor
    """

    def __init__(self, folder: int | str, limits: ServerLimits) -> None:
        self.folder, self.limits = folder, limits
        # Whether a file is being opened right now, for the guard of the process.
        self.is_opening = False
        self._read: dict[tuple[str, ...], bytes] = {}

    def read(self, path: str) -> bytes:
        """The bytes of a file, read once for a call."""
        parts = parts_of(path)
        if parts not in self._read:
            name = "/".join(parts)
            room = self.limits.files - sum(map(len, self._read.values()))
            content = self._content(parts, name, room)
            refuse_growth(content, name, self.limits.file)
            self._read[parts] = content
        return self._read[parts]

    def _content(self, parts: tuple[str, ...], name: str, room: int) -> bytes:
        most = self.limits.file
        with self._opened(parts, name) as (descriptor, about):
            if about.st_size > most:
                raise Unreadable(
                    f"{name} has {size(about.st_size)}, and {size(most)} are the most that is read of a file here. "
                    "Cut it by query, or use the command line."
                )
            pieces, left = [], min(most, room) + 1
            while left and (piece := os.read(descriptor, min(left, _PIECE))):
                pieces.append(piece)
                left -= len(piece)
            after = os.fstat(descriptor)
        if not left:
            raise Unreadable(
                f"{name}: the files of this call have more than {size(self.limits.files)} together, or one more than "
                f"{size(most)}. Name fewer of them."
            )
        if (after.st_size, after.st_mtime_ns) != (about.st_size, about.st_mtime_ns):
            raise FileChanged(name)
        return b"".join(pieces)

    @contextmanager
    def _opened(self, parts: tuple[str, ...], name: str) -> Iterator[tuple[int, os.stat_result]]:
        """A descriptor of a plain file, and what the system says about it."""
        self.is_opening = True
        try:
            descriptor = self._by_parts(parts, name) if isinstance(self.folder, int) else self._by_path(parts, name)
        except OSError as error:
            raise Unreadable(f"{name} cannot be read: {error.strerror or 'the system refuses it'}.") from None
        finally:
            self.is_opening = False
        try:
            about = os.fstat(descriptor)
            refuse_special(about, name)  # what was looked at before may have been replaced since
            yield descriptor, about
        finally:
            os.close(descriptor)

    def _by_parts(self, parts: tuple[str, ...], name: str) -> int:
        assert isinstance(self.folder, int)
        here = os.dup(self.folder)
        try:
            for i, part in enumerate(parts):
                last = i == len(parts) - 1
                try:
                    about = os.stat(part, dir_fd=here, follow_symlinks=False)
                except FileNotFoundError:
                    raise _missing(name, part, os.listdir(here), parts[:i]) from None
                refuse_special(about, "/".join(parts[: i + 1]), folder=not last)
                inner = os.open(part, _FILE if last else _DIRECTORY, dir_fd=here)
                if last:
                    return inner
                os.close(here)
                here = inner
        finally:
            os.close(here)
        raise AssertionError("a name has parts")

    def _by_path(self, parts: tuple[str, ...], name: str) -> int:
        """For systems without descriptors of folders: looks at every part, opens, and looks whether it is the same."""
        path = os.path.realpath(str(self.folder))
        for i, part in enumerate(parts):
            above, path = path, os.path.join(path, part)
            try:
                about = os.lstat(path)
            except FileNotFoundError:
                raise _missing(name, part, os.listdir(above), parts[:i]) from None
            refuse_special(about, "/".join(parts[: i + 1]), folder=i < len(parts) - 1)
        if os.path.normcase(os.path.realpath(path)) != os.path.normcase(path):  # a junction, or a name of a device
            raise Unreadable(f"{name} leads elsewhere. Links are not followed: name the file itself.")
        descriptor = os.open(path, _FILE)
        if not os.path.samestat(os.fstat(descriptor), about):
            os.close(descriptor)
            raise FileChanged(name)
        return descriptor


def _missing(name: str, part: str, there: list[str], above: tuple[str, ...]) -> Unreadable:
    near = ["/".join((*above, file)) for file in get_close_matches(part, sorted(there), n=3, cutoff=0.5)]
    hint = f" The nearest: {', '.join(near)}." if near else ""
    return Unreadable(f"{name}: there is no such file.{hint} {INSIDE}")


def refuse_special(about: os.stat_result, name: str, folder: bool = False) -> None:
    """Unreadable for what is no plain file, or no folder where one is needed."""
    mode = about.st_mode
    if stat.S_ISLNK(mode):
        raise Unreadable(f"{name} is a symbolic link. Links are not followed: name the file itself.")
    if folder and not stat.S_ISDIR(mode):
        raise Unreadable(f"{name} is no folder, so there is nothing below it. {INSIDE}")
    if not folder and stat.S_ISDIR(mode):
        raise Unreadable(f"{name} is a folder. Name the files in it.")
    if not folder and not stat.S_ISREG(mode):
        raise Unreadable(f"{name} is a device, a pipe or a socket, and no file with data. {INSIDE}")


def refuse_growth(content: bytes, name: str, most: int) -> None:
    """Unreadable for an archive that would unpack to more than that; one that is damaged is for the reader to report.

    The archive is unpacked piece by piece here and nothing is kept, so that no archive takes memory before it is known
    how large it is.
    """
    try:
        total, stream = 0, _plain_stream(content, name, most)
        while stream is not None and (piece := stream.read(_PIECE)):
            total += len(piece)
            if total > most:
                raise Unreadable(
                    f"{name} is packed and would unpack to more than {size(most)}, the most that is read of a file "
                    "here. Cut it by query, or use the command line."
                )
    except (OSError, EOFError, lzma.LZMAError, zlib.error):  # it is damaged: the reader reports it
        return
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # a library that may not be there
            raise


def _plain_stream(content: bytes, name: str, most: int) -> io.BufferedReader | None:
    """What is in an archive, piece by piece; None for what is none."""
    stream, layers = buffered(content), 0
    while layers < LAYERS and (packing := packing_of(stream.peek(16)[:16])) is not None:
        if packing == "xz":
            _refuse_window(stream.peek(4096), name, most)
        stream, layers = _zstd(stream) if packing == "zstd" else unpacked_stream(stream, packing), layers + 1
    return stream if layers else None


def _zstd(stream: io.BufferedReader) -> io.BufferedReader:
    """Unlike the usual reader, which may make thirty gigabytes of the first megabyte, as much at a time as is read."""
    library = zstd_library()
    if sys.version_info >= (3, 14):
        return io.BufferedReader(library.ZstdFile(stream), _PIECE)
    return io.BufferedReader(library.ZstdDecompressor().stream_reader(stream, read_across_frames=True), _PIECE)


def _refuse_window(head: bytes, name: str, most: int) -> None:
    """Unreadable for an xz archive that asks for more memory at once than a file may have."""
    try:
        lzma.LZMADecompressor(memlimit=most + 64 * MIB).decompress(head[:4096], max_length=1)
    except lzma.LZMAError as error:
        if "limit" in str(error).casefold():
            raise Unreadable(f"{name} takes too much memory to unpack (xz). Pack it anew with less.") from None
