"""Decompress bytes. A damaged or truncated archive is refused, never half read."""

from __future__ import annotations

import sys
from types import ModuleType

from rankproof.errors import MissingExtra, Unreadable

# How compressed files begin. The content decides: a name may be wrong, and a pipe has none.
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
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def unpack(data: bytes | memoryview, packing: str, name: str) -> bytes:
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


def _unpack_zstd(data: bytes | memoryview) -> bytes:
    zstd = zstd_library()
    if sys.version_info >= (3, 14):
        try:
            plain: bytes = zstd.decompress(data)
        except zstd.ZstdError as error:
            raise _short_or_damaged(error) from None
        return plain
    pieces: list[bytes] = []
    left = bytes(data)
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
    try:
        import zstandard
    except ModuleNotFoundError:
        raise MissingExtra("A zstd file", "zstandard", "zstd") from None
    return zstandard
