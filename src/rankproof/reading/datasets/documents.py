"""Documents: gather records into a corpus of columns; read long files line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from rankproof.errors import InputError, UnknownName
from rankproof.kernel.sections import counted
from rankproof.reading.collection import Corpus
from rankproof.reading.formats._gather import id_text
from rankproof.reading.formats._names import DOC, plain
from rankproof.reading.source import FileLike, Source, open_source, require_text
from rankproof.reading.stream import objects_of

# Bytes taken at once: large enough that cutting costs nothing, small beside the texts that stay.
PIECE = 1 << 22


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Every line without its end, with its number from 1. Only a line feed ends a line."""
    number, rest = 0, b""
    for begin in range(0, source.size, PIECE):
        pieces = (rest + source.part(begin, PIECE)).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            number += 1
            yield number, _text(piece, number, source)
    if rest:
        yield number + 1, _text(rest, number + 1, source)


def _text(line: bytes, number: int, source: Source) -> str:
    try:
        return line.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source.name}, line {number}: byte 0x{line[error.start]:02x} is not UTF-8. Write the file anew as UTF-8."
        ) from None


# What the field with a document's id may be called; BEIR's own first.
ID_FIELDS = ("_id", "id", *DOC[:11])
# Half of a surrogate pair: JSON can spell it, no encoding can hold it.
_LONE = re.compile(r"[\ud800-\udfff]")


class DocumentReader:
    """Gathers documents into a corpus: only the ids in `keep` and only the `fields`, which must exist."""

    def __init__(self, name: str, keep: Container[str] | None = None, fields: Sequence[str] | None = None) -> None:
        self.name, self.keep, self.fields = name, keep, fields
        self._ids: list[str] = []
        self._columns: dict[str, list[str]] = {field: [] for field in fields or ()}
        self._left_out: Counter[str] = Counter()
        self._seen: set[str] = set()

    def add(self, doc_id: str, values: Iterable[tuple[str, object]]) -> None:
        """One document: its fields, as far as they are texts or lists of texts."""
        if self.keep is not None and doc_id not in self.keep:
            return
        place = len(self._ids)
        self._ids.append(doc_id)
        for field, value in values:
            self._seen.add(field)
            if self.fields is not None and field not in self._columns:
                continue
            text = self._text(field, value)
            if text is None:
                continue
            column = self._columns.setdefault(field, [])
            column.extend([""] * (place - len(column)))
            column.append(text)

    def _text(self, field: str, value: object) -> str | None:
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
            return "\n".join(value)
        # A number is text only in a field that was named: a price or a year is not searched by default.
        if self.fields is not None and isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        self._left_out[field] += 1
        return None

    def corpus(self) -> tuple[Corpus, tuple[str, ...]]:
        """The corpus, and what was left out."""
        for field in self.fields or ():
            if self._ids and field not in self._seen:
                raise UnknownName("field of the documents", field, self._seen)
        if not self._ids and self.keep is None:
            raise InputError(f"{self.name} has no documents. Check that it is the right file.")
        size = len(self._ids)
        columns = {}
        for field, column in self._columns.items():
            column.extend([""] * (size - len(column)))
            columns[field] = tuple(column)
        notes = [
            f"field {field!r} left out of {counted(count, 'document')}: no text there"
            for field, count in self._left_out.items()
        ]
        return Corpus(tuple(self._ids), columns, self.name), tuple(notes)


def read_json_lines(
    path: FileLike, keep: Container[str] | None = None, fields: Sequence[str] | None = None
) -> tuple[Corpus, tuple[str, ...]]:
    """The corpus in JSON lines, such as BEIR's corpus.jsonl: an id and any fields; texts are not changed."""
    source = open_source(path)
    require_text(source)
    reader = DocumentReader(source.name, keep, fields)
    mended = 0
    for number, record in objects_of(lines_of(source), source.name):
        where = f"{source.name}, line {number}"
        named = _id_field(record)
        if named is None:
            shown = ", ".join(f"{name!r:.40}" for name in list(record)[:8])
            raise InputError(f"{where}: the fields are {shown}; a document needs an id ({', '.join(ID_FIELDS[:3])}).")
        doc_id = id_text(record.pop(named), where)
        whole = {name: _whole(value) for name, value in record.items()}
        mended += whole != record
        if wrong := [name for name in record if _whole(name) != name]:
            raise InputError(f"{where}: the name of the field {wrong[0]!r:.80} holds half a character. Rename it.")
        reader.add(doc_id, whole.items())
    corpus, notes = reader.corpus()
    if mended:
        notes = (*notes, f"{mended:,} documents hold half a character, which became U+FFFD")
    return corpus, notes


def _whole(value: object) -> object:
    """The value, a text or a list, with the sign for what cannot be read in place of half a character."""
    if isinstance(value, str):
        # The test for ASCII is cheap, and an ASCII text has no lone surrogates.
        return value if value.isascii() else _LONE.sub("\ufffd", value)
    return [_whole(part) for part in value] if isinstance(value, list) else value


def titles_in(path: str) -> Callable[[Iterable[str]], dict[str, str]]:
    """From ids to titles, by a file of documents as JSON lines: read when titles are looked up, for those ids alone."""
    open_source(path)  # a path that leads nowhere is refused before the work

    def titles(doc_ids: Iterable[str]) -> dict[str, str]:
        wanted = dict.fromkeys(doc_ids)
        corpus, _ = read_json_lines(path, keep=wanted)
        return corpus.titles(wanted)

    return titles


def _id_field(record: Mapping[str, object]) -> str | None:
    if "_id" in record:
        return "_id"
    names = {plain(name): name for name in record}
    return next((names[name] for name in ID_FIELDS if name in names), None)
