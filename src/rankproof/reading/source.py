"""Source: from a path, a stream or bytes to plain bytes or TOML, or one clear refusal."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any, TypeGuard, TypeVar

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.kernel.libraries import library
from rankproof.reading.opener import OPENER

if TYPE_CHECKING:
    from rankproof.core import TextFile

# How compressed files begin. The content decides: a file name may be wrong, and a pipe has none.
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\x00", "xz"),
)
# The endings of compressed files, for writing.
ENDINGS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz"}


def packing_of(head: bytes) -> str | None:
    """The compression of a file that begins with these bytes, or None."""
    # "BZh" alone could begin a query id: the bytes after the block size must fit as well.
    if head[:3] == b"BZh" and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return "bzip2"
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    return None


def unpack(data: bytes, packing: str, name: str) -> bytes:
    """The plain bytes of a whole archive, all its members one after the other."""
    import bz2
    import gzip
    import lzma
    import zlib

    try:
        if packing == "gzip":
            return gzip.decompress(data)
        if packing == "bzip2":
            return bz2.decompress(data)
        if packing == "xz":
            return lzma.decompress(data)
        return _unpack_zstd(data)
    except EOFError:
        reason = "it ends too early"
    except (OSError, zlib.error, lzma.LZMAError, ValueError) as error:
        reason = "it ends too early" if "end-of-stream" in str(error) else f"it is damaged ({error})"
    raise Unreadable(f"{name} cannot be decompressed ({packing}): {reason}. Copy or make the file again.")


def _unpack_zstd(data: bytes) -> bytes:
    zstd = zstd_library()
    if sys.version_info >= (3, 14):
        try:
            plain: bytes = zstd.decompress(data)
        except zstd.ZstdError as error:
            raise _short_or_damaged(error) from None
        return plain
    pieces: list[bytes] = []
    left = data
    while left:
        reader = zstd.ZstdDecompressor().decompressobj()
        try:
            pieces.append(reader.decompress(left))
        except zstd.ZstdError as error:
            raise _short_or_damaged(error) from None
        if not reader.eof:
            raise EOFError
        left = reader.unused_data
    return b"".join(pieces)


def _short_or_damaged(error: Exception) -> Exception:
    return EOFError() if "incomplete" in str(error) or "ended before" in str(error) else ValueError(str(error))


def zstd_library() -> ModuleType:
    """The standard library's zstd where there is one, else `zstandard`."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd
    return library("zstandard", "A zstd file")


# How much of an input the formats look at to recognize it. Whole lines of a few thousand rows.
HEAD = 1 << 16


@dataclass(frozen=True, eq=False)
class Source:
    """The bytes of an input: decompressed, without a byte order mark.

    whole     what the core takes: the bytes; or a plain file, which is read when somebody asks for bytes, and never
              mapped into memory: a mapped file that is truncated meanwhile would end the process
    notes     what was done to the input, such as "decompressed (gzip)"
    skip      bytes of a byte order mark before the text of a file; the core passes over them by itself
    parts     the files of a table that was written in parts; `whole` is then the first of them
    """

    name: str
    whole: bytes | TextFile
    notes: tuple[str, ...] = ()
    skip: int = 0
    parts: tuple[TextFile, ...] = ()

    @property
    def path(self) -> str | None:
        """The path of a plain file."""
        return None if isinstance(self.whole, bytes) else self.whole.path

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.whole) if isinstance(self.whole, bytes) else self.whole.size - self.skip

    def part(self, begin: int, size: int) -> bytes:
        """Bytes from a place on: `size` of them, or as many as there are."""
        if isinstance(self.whole, bytes):
            return self.whole[begin : begin + size]
        return self.whole.read(self.skip + begin, size)

    @property
    def data(self) -> bytes:
        """All bytes. Those of a file are read each time."""
        return self.part(0, self.size)

    @cached_property
    def head(self) -> bytes:
        """The beginning, cut at the end of a line when there is more."""
        head = self.part(0, HEAD + 1)
        if len(head) > HEAD:
            whole_lines = head.rfind(b"\n", 0, HEAD) + 1
            return head[: whole_lines or HEAD]
        return head

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it but white space."""
        return not self.head.strip() and not self.data.strip()

    def check(self) -> None:
        """Raises FileChanged where a file is no longer the same; for readers that open it by its path."""
        for file in self.parts or (self.whole,):
            if not isinstance(file, bytes):
                file.check()

    def text(self) -> str:
        """The whole as text."""
        data = self.data
        try:
            return str(data, "utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(not_utf8(self.name, line, data[error.start])) from None


def not_utf8(name: str, line: int, byte: int) -> str:
    """The message for a byte that is not UTF-8."""
    return f"{name}, line {line}: byte 0x{byte:02x} is not UTF-8. Write the file anew as UTF-8."


STDIN = "-"
NO_STDIN = "There is no standard input to read. Name a file instead of '-'."


@contextmanager
def opening(name: str) -> Iterator[None]:
    """Errors of the operating system become Unreadable; `name` is what its message calls the file."""
    try:
        yield
    except FileNotFoundError:
        raise Unreadable(f"{name}: there is no such file. Check the path.") from None
    except PermissionError:
        raise Unreadable(f"{name} cannot be read: no permission.") from None
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise Unreadable(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def is_directory(name: str) -> Unreadable:
    """The error for a directory where a file is needed."""
    return Unreadable(f"{name} is a directory. Name a file in it.")


# Files of one table, as Spark, Hadoop and Dask name them: part-00000-<id>.snappy.parquet, part.0.parquet.
_PART = re.compile(r"part[-._]?\d+.*\.(parquet|pq)", re.IGNORECASE)


def is_hidden(name: str) -> bool:
    """Whether a file of this name is no data: hidden files, and what programs leave, such as `_SUCCESS`."""
    return name.startswith((".", "_"))


def parquet_parts(folder: str) -> list[str]:
    """The parts of one Parquet table, in the order of their names; none where the folder holds anything else."""
    with opening(folder):
        names = sorted(name for name in os.listdir(folder) if not is_hidden(name))
    if not all(map(_PART.fullmatch, names)):
        return []
    return [os.path.join(folder, name) for name in names]


_UTF8_BOM = b"\xef\xbb\xbf"
# Longest first: the mark of UTF-32 begins with that of UTF-16.
_WIDE_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# Files that are not text but are often given by mistake, by how they begin.
_KNOWN = (
    (b"PK\x03\x04", "a zip archive", "Unpack it first."),
    (b"PK\x05\x06", "an empty zip archive", "Nothing is in it."),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "Unpack it first."),
    (
        b"\x04\x22\x4d\x18",
        "an lz4 file",
        "Decompress it first (lz4 -d); gzip, zstd, bzip2 and xz are read as they are.",
    ),
    (b"ARROW1", "an Arrow (Feather) file", "Write it as Parquet, or read it in Python and pass the table."),
    (b"SQLite format 3\x00", "an SQLite database", "Export the table as CSV or Parquet."),
    (b"%PDF-", "a PDF document", "Give the data it was made from."),
    (
        b"\x80\x04\x95",
        "a Python pickle",
        "Pickles are not read: they can run code. Write it as JSON or Parquet.",
    ),
)


FileLike = str | os.PathLike[str] | bytes | bytearray | memoryview | Source | IO[str] | IO[bytes]
T = TypeVar("T")


def is_file_like(what: object) -> TypeGuard[FileLike]:
    """Whether a value is the name or the content of a file, and not rows in memory."""
    kinds = (str, os.PathLike, bytes, bytearray, memoryview, Source)
    return isinstance(what, kinds) or hasattr(what, "read")


def once(what: T) -> T | Source:
    """What can be read more than once: standard input, pipes and open files as a Source, all else as it is."""
    if isinstance(what, str | os.PathLike):
        try:
            mode = os.stat(what).st_mode
        except (OSError, ValueError):
            is_stream = what == STDIN
        else:
            is_stream = stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)  # a shell's <(command)
        return open_source(what) if is_stream else what
    if is_file_like(what) and hasattr(what, "read"):
        return open_source(what)
    return what


def open_source(what: FileLike, name: str = "") -> Source:
    """The plain bytes of a path, of standard input (`-`), of bytes, or of an open file.

    Compression is recognized by content, not by name. A plain file is read when its bytes are needed.
    """
    if isinstance(what, Source):
        return what
    if isinstance(what, bytes | bytearray | memoryview):
        return _plain(name or "<bytes>", bytes(what))
    if isinstance(what, str | os.PathLike):
        path = os.fspath(what)
        if OPENER:
            return _plain(name or path, OPENER[0].read(path))
        if path == STDIN:
            if sys.stdin is None:
                raise Unreadable(NO_STDIN)
            return _plain(name or "<stdin>", _read(sys.stdin.buffer, "<stdin>"))
        return _file(path, name or path)
    if hasattr(what, "read"):
        given = str(getattr(what, "name", "") or "<stream>")
        return _plain(name or given, _read(what, name or given))
    raise UsageError(f"Cannot read {type(what).__name__} as a file. Give a path, '-', bytes or an open file.")


def _file(path: str, name: str) -> Source:
    from rankproof.core import TextFile

    with opening(name):
        about = os.stat(path)
        if stat.S_ISDIR(about.st_mode):
            parts = tuple(map(TextFile, parquet_parts(path)))
            if not parts:
                raise is_directory(name)
            return Source(name.rstrip(os.sep), parts[0], (f"{len(parts)} parts of one table",), parts=parts)
        if not stat.S_ISREG(about.st_mode) or about.st_size == 0:
            # A pipe, a device, or a file of /proc, whose size says nothing.
            with open(path, "rb") as file:
                return _plain(name, file.read())
        content = TextFile(path)
    return _plain(name, content)


def _read(stream: IO[str] | IO[bytes], name: str) -> bytes:
    """All bytes of a stream; text streams give their text as UTF-8."""
    try:
        content = stream.read()
    except (OSError, ValueError, EOFError) as error:
        raise Unreadable(f"{name} cannot be read: {error}.") from None
    return content.encode("utf-8", "surrogateescape") if isinstance(content, str) else bytes(content)


def _plain(name: str, whole: bytes | TextFile) -> Source:
    """Takes off compression and byte order marks."""
    source = Source(name, whole)
    # Twice at most: an archive can be made that holds itself.
    for _ in range(2):
        packing = packing_of(source.part(0, 10))
        if packing is not None:
            notes = (*source.notes, f"decompressed ({packing})")
            source = Source(name, unpack(source.data, packing, name), notes)
    head = source.part(0, 8)
    for mark, encoding in _WIDE_BOMS:
        if head.startswith(mark):
            notes = (*source.notes, f"decoded from {encoding.upper()}")
            source = Source(name, _decoded(source.data, encoding, name), notes)
            break
    if source.part(0, len(_UTF8_BOM)) != _UTF8_BOM:
        return source
    if isinstance(source.whole, bytes):
        return Source(name, source.whole[len(_UTF8_BOM) :], source.notes)
    return Source(name, source.whole, source.notes, len(_UTF8_BOM))


def _decoded(data: bytes, encoding: str, name: str) -> bytes:
    try:
        return str(data, encoding).encode()
    except UnicodeError:
        raise Unreadable(
            f"{name} begins as {encoding.upper()}, but goes on as something else. Write it anew as UTF-8."
        ) from None


def require_text(source: Source) -> None:
    """Raises Unreadable for a source that is not text, and says what it seems to be."""
    head = source.head
    for magic, what, remedy in _KNOWN:
        if head.startswith(magic):
            raise Unreadable(f"{source.name} is {what}, not text. {remedy}")
    if head[257:262] == b"ustar":
        raise Unreadable(f"{source.name} is a tar archive, not text. Unpack it first.")
    if b"\0" in head:
        half = head[1::2].count(0) > len(head) // 3 or head[::2].count(0) > len(head) // 3
        hint = (
            "It may be UTF-16 without its mark: write it anew as UTF-8." if half else "Check that it is the right file."
        )
        raise Unreadable(f"{source.name} is a binary file, not text. {hint}")
    if b"\r" in head and b"\n" not in head:
        raise Unreadable(
            f"{source.name} ends its lines with a carriage return alone, as old Macintosh files do. "
            "Convert it first, such as with: tr '\\r' '\\n'"
        )


def read_toml(path: str, remedy: str = "") -> dict[str, Any]:
    """The TOML document in a file; `remedy` is added to the error for a file that is not TOML."""
    import tomllib

    source = open_source(path)
    require_text(source)
    try:
        return tomllib.loads(source.text())
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}. {remedy}".rstrip()) from None
