"""Write runs, qrels and topics in any format: whole or not at all, compressed where the file's ending says so."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.atomic import replace_file
from rankproof.reading.formats.contract import Format, Noun
from rankproof.reading.records import Qrels, Run
from rankproof.reading.source import ENDINGS, zstd_library

Record = Run | Qrels | Mapping[str, str]


def write(record: Record, path: str | os.PathLike[str], format: str | None = None) -> str:
    """Writes a run, qrels or topics; the format is the one named, or the one that the ending names.

    An ending of .gz, .zst, .bz2 or .xz compresses. The file appears when it is whole: an error leaves
    nothing, and leaves an older file as it was. Returns the name of the format.
    """
    name = os.fspath(path)
    noun = noun_of(record)
    form = format_for(name, noun, format)
    packing = ENDINGS.get(os.path.splitext(name)[1].casefold())
    replace_file(name, _packed(pieces(record, form), packing))
    return form.name


def noun_of(record: object) -> Noun:
    """The noun of a record: run, qrels or topics."""
    if isinstance(record, Run):
        return "run"
    if isinstance(record, Qrels):
        return "qrels"
    if isinstance(record, Mapping) and all(isinstance(text, str) for text in record.values()):
        return "topics"
    raise UsageError(
        f"Cannot write a {type(record).__name__}. Give a Run (read_run), Qrels (read_qrels), or topics as a "
        "dict of query_id to text."
    )


def format_for(path: str, noun: Noun, format: str | None = None) -> Format:
    """The format to write in: by name, or by the ending of the path."""
    writers: list[Format] = [form for form in shelf.everything("formats").values() if noun in form.writes]
    names = ", ".join(form.name for form in writers)
    if format is not None:
        form: Format = shelf.find("formats", format)
        if noun not in form.writes:
            raise UsageError(f"The format {format} cannot be written for {noun}. Possible: {names}.")
        return form
    plain = _without_packing(path).casefold()
    fitting = [form for form in writers if plain.endswith(form.endings)]
    if not fitting:
        raise UsageError(
            f"The ending of {path!r} names no format for {'a run' if noun == 'run' else noun}. Name one of: {names}."
        )
    return fitting[0]


def pieces(record: Record, form: Format) -> Iterator[bytes]:
    """The content of the file. The format must be one that can be written for the record (see `format_for`)."""
    if isinstance(record, Run):
        assert form.write_run is not None
        return _as_text(form.write_run(record))
    if isinstance(record, Qrels):
        assert form.write_qrels is not None
        if record.without_documents and form.name != "json":
            first, many = record.without_documents[0], len(record.without_documents)
            raise InputError(
                f"{many} judged {'query names' if many == 1 else 'queries name'} no document (such as {first!r:.80}); "
                f"{form.name} has a line for each document only. Write json, or leave them out with `filter`."
            )
        return _as_text(form.write_qrels(record))
    assert form.write_topics is not None
    return _as_text(form.write_topics(dict(record)))


def _as_text(content: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from content
    except UnicodeEncodeError as error:  # bytes that were no UTF-8, or half of a surrogate pair
        odd = error.object[max(0, error.start - 20) : error.end + 20]
        raise InputError(
            f"{odd!r} has a character that no UTF-8 file can hold. Correct the source, or convert it to UTF-8 first."
        ) from None


def _without_packing(path: str) -> str:
    stem, ending = os.path.splitext(path)
    return stem if ending.casefold() in ENDINGS else path


class _Compressor(Protocol):
    """What zlib, bz2, lzma and zstd have in common."""

    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


def _packed(content: Iterable[bytes], packing: str | None) -> Iterator[bytes]:
    """The pieces, compressed as they come."""
    if packing is None:
        yield from content
        return
    pack: _Compressor
    if packing == "gzip":
        import zlib

        pack = zlib.compressobj(6, zlib.DEFLATED, 31)  # 31: with gzip's header and no time in it
    elif packing == "bzip2":
        import bz2

        pack = bz2.BZ2Compressor()
    elif packing == "xz":
        import lzma

        pack = lzma.LZMACompressor()
    else:
        library = zstd_library()
        pack = library.ZstdCompressor() if sys.version_info >= (3, 14) else library.ZstdCompressor().compressobj()
    for piece in content:
        yield pack.compress(piece)
    yield pack.flush()
