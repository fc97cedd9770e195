"""Chunk maps: which document each chunk belongs to, by a pattern, a file, a mapping or a function.

    "#"                        a separator: the document's id stands before its first occurrence
    "(.*)_[0-9]+"              a regular expression with a group: the group is the document's id
    "chunks.csv"               a file with a chunk and its document in each row: CSV, TSV, JSON or JSON lines
    {"c1": "d1", "c2": "d1"}   the same from Python; so is a function from a chunk's id to its document's

A text is a file where it ends as one does (FILES); a path from `pathlib` always is. A chunk that no document was found
for is `unmapped`: "refuse" it (the default of files, mappings and functions, which are meant to have every chunk),
"keep" it as a document of its own (the default of patterns: ids without a separator are documents already), or "drop"
it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import some
from rankproof.reading.formats._gather import id_text
from rankproof.reading.formats._names import place, plain
from rankproof.reading.formats.contract import Collapse, Unmapped

# How the name of a mapping file ends; compressed ones have one more ending.
FILES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")
_PACKED = (".gz", ".bz2", ".xz", ".zst")
CHUNK = ("chunk_id", "chunkid", "passage_id", "passageid", "pid", "node_id", "nodeid", "context_id", "contextid",
         "segment_id", "chunk", "passage", "node", "context", "segment")  # fmt: skip
DOCUMENT = ("doc_id", "docid", "docno", "doc_no", "document_id", "documentid", "parent_id", "source_id", "product_id",
            "corpus_id", "document", "doc", "parent", "source")  # fmt: skip
UNMAPPED: tuple[Unmapped, ...] = ("refuse", "keep", "drop")
EXAMPLE = 'Give it a header `chunk_id,doc_id` and a row for each chunk, or JSON: {"c1": "d1"}'


@dataclass(frozen=True, slots=True, eq=False)
class ChunkMap:
    """Which document a chunk belongs to: `chunk_map("chunks.csv")("c1")`.

    name       what messages call it: the pattern in quotes, or the file
    document   the id of a chunk's document; None where it has none
    unmapped   what happens to chunks without a document
    identity   SHA-256 of the pairs of a mapping, or the pattern; "" for a function, which cannot be known
    remedy     what to do about chunks without a document, in words
    """

    name: str
    document: Callable[[str], str | None]
    unmapped: Unmapped
    identity: str
    remedy: str

    def __call__(self, chunk: str) -> str | None:
        """The id of its document; None where it has none."""
        return self.document(chunk)

    def documents(self, chunks: Sequence[str], source: str) -> list[str | None]:
        """The document of each chunk; None for one to drop. Refused where none has one, or where one must and has not.

        `source` is where the chunks come from, for messages.
        """
        found = [self.document(chunk) for chunk in chunks]
        lacking = list(dict.fromkeys(chunk for chunk, doc in zip(chunks, found, strict=True) if doc is None))
        if chunks and len(lacking) == len(set(chunks)):
            raise InputError(
                f"{source}: no id has a document by {self.name}; the first is {chunks[0]!r:.80}. {self.remedy}"
            )
        if lacking and self.unmapped == "refuse":
            which = some([f"{chunk!r:.80}" for chunk in lacking], 3)
            have, them = ("has", "it") if len(lacking) == 1 else ("have", "them")
            count = f"{len(lacking):,} of {len(set(chunks)):,} chunks {have}"
            raise InputError(
                f"{source}: {count} no document by {self.name}: {which}. "
                f"{self.remedy} Or say what happens to {them}: --unmapped keep (each is a document of its own) or "
                '--unmapped drop; in Python unmapped="keep" or "drop".'
            )
        if not lacking or self.unmapped == "drop":
            return found
        return [chunk if doc is None else doc for chunk, doc in zip(chunks, found, strict=True)]


def chunk_map(what: Collapse, unmapped: Unmapped | None = None) -> ChunkMap:
    """The map that a pattern, a file, a mapping or a function makes; one that is made keeps its own `unmapped`."""
    if unmapped is not None and unmapped not in UNMAPPED:
        raise UsageError(f"unmapped is one of {', '.join(UNMAPPED)}; got {unmapped!r:.40}.")
    if isinstance(what, ChunkMap):
        return what
    if isinstance(what, os.PathLike) or (isinstance(what, str) and is_mapping_file(what)):
        return _of_pairs(*_read(what), unmapped)
    if isinstance(what, str):
        return _of_pattern(what, unmapped)
    if isinstance(what, Mapping):
        return _of_pairs(_pairs(((f"chunk {chunk!r:.80}", chunk, doc) for chunk, doc in what.items()), "the mapping"),
                         "the mapping", unmapped)  # fmt: skip
    if callable(what):
        remedy = "Let the function return the id of the document."
        return ChunkMap("the function", _checked(what), unmapped or "refuse", "", remedy)
    raise UsageError(
        "Chunks become documents by a pattern, the path of a mapping file, {chunk_id: doc_id} or a function; "
        f"got {type(what).__name__}."
    )


def is_mapping_file(text: str) -> bool:
    """Whether a text names a mapping file and is no pattern: it ends as one, with a name before, and has no group."""
    stem = text.casefold()
    for ending in _PACKED:
        stem = stem.removesuffix(ending)
    return "(" not in text and any(stem.endswith(end) and os.path.basename(stem) != end for end in FILES)


# ---- patterns and functions -----------------------------------------------------------------------


def _of_pattern(pattern: str, unmapped: Unmapped | None) -> ChunkMap:
    remedy = "Give a separator that is in the ids, or a regular expression with a group around the document's id."
    if "(" not in pattern and set(pattern) & set("*+?[]\\^$|"):
        remedy += " Without a group every sign stands for itself."
    return ChunkMap(repr(pattern), document_of(pattern), unmapped or "keep", f"pattern {pattern}", remedy)


def document_of(pattern: str) -> Callable[[str], str | None]:
    """From a passage's id to its document's, or None where the pattern does not fit.

    A pattern with a group is a regular expression, matched from the beginning; the group is the document's
    id. Every other pattern is a separator: the document's id is what stands before its first occurrence.
    """
    if not pattern:
        raise UsageError("The pattern is empty. Give a separator such as '#', or a regular expression.")
    if "(" not in pattern:

        def before(passage: str) -> str | None:
            document, separator, _ = passage.partition(pattern)
            return document if separator and document else None

        return before
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"The pattern {pattern!r} is not a regular expression: {error}.") from None
    if expression.groups < 1:
        raise UsageError(f"The pattern {pattern!r} has no group. Put the document's id in brackets: '(.*)_[0-9]+'.")

    def matched(passage: str) -> str | None:
        match = expression.match(passage)
        return match[1] or None if match else None

    return matched


def _checked(function: Callable[[str], object]) -> Callable[[str], str | None]:
    def document(chunk: str) -> str | None:
        doc = function(chunk)
        if doc is not None and (not isinstance(doc, str) or not doc):
            raise UsageError(
                f"The function of collapse gave {doc!r:.60} for {chunk!r:.80}. It must return the id of the document, "
                "a text that is not empty, or None where there is none."
            )
        return doc

    return document


# ---- files and mappings ---------------------------------------------------------------------------


def _of_pairs(pairs: Mapping[str, str], name: str, unmapped: Unmapped | None) -> ChunkMap:
    from hashlib import sha256  # loads a library that reading needs not

    digest = sha256(b"rankproof chunk map 1\n")
    for pair in sorted(pairs.items()):
        for each in pair:
            data = each.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(8, "little") + data)
    return ChunkMap(
        name, pairs.get, unmapped or "refuse", f"sha256:{digest.hexdigest()}", f"Add what is missing to {name}."
    )


def _pairs(rows: Iterable[tuple[str, object, object]], name: str) -> dict[str, str]:
    """{chunk: document} of (place, chunk, document); refused where a chunk is in two documents, or nothing is there."""
    pairs: dict[str, str] = {}
    for where, chunk, doc in rows:
        own, whole = id_text(chunk, f"{name}, {where}"), id_text(doc, f"{name}, {where}")
        if pairs.setdefault(own, whole) != whole:
            raise InputError(
                f"{name}, {where}: the chunk {own!r:.80} belongs to {whole!r:.80} here and to {pairs[own]!r:.80} "
                "before. A chunk belongs to one document: keep one of the two rows."
            )
    if not pairs:
        raise InputError(f"{name} has no chunks. {EXAMPLE}.")
    return pairs


def _read(what: str | os.PathLike[str]) -> tuple[dict[str, str], str]:
    """The pairs in a file, and its name."""
    from rankproof.reading.source import open_source, require_text

    source = open_source(what)
    require_text(source)
    text = source.text().removeprefix("\ufeff")
    start = text.lstrip()[:1]
    if start == "{":
        rows = _of_objects(text, source.name)
    elif start == "[":
        rows = _of_table(_json(text, source.name), source.name, "row", 1)
    else:
        from rankproof.reading.segments import delimited

        table = [{c.strip(): v.strip() for c, v in row.items()} for row in delimited(text, source.name, "chunk")]
        rows = _of_table(table, source.name, "line", 2)
    return _pairs(rows, source.name), source.name


def _json(text: str, name: str) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is no JSON: {error}. {EXAMPLE}.") from None


def _of_objects(text: str, name: str) -> Iterable[tuple[str, object, object]]:
    """Of one object {chunk: document}, or of JSON lines with a row each."""
    from rankproof.reading.stream import objects

    first = text.lstrip().partition("\n")[0].rstrip()
    records = [(line, record) for line, record in objects(text, name)] if first.endswith("}") else []
    if len(records) > 1 or (records and _columns(list(records[0][1])) is not None):
        for line, record in records:
            columns = _columns(list(record))
            if columns is None:
                raise _no_columns(list(record), f"{name}, line {line}")
            yield f"line {line}", record[columns[0]], record[columns[1]]
        return
    for chunk, doc in _whole_object(text, name):
        yield f"chunk {chunk!r:.80}", chunk, doc


def _whole_object(text: str, name: str) -> list[tuple[str, object]]:
    """The pairs of one JSON object as they are written: a chunk that stands there twice comes twice."""
    import json

    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is no JSON: {error}. {EXAMPLE}.") from None
    return list(pairs)


def _of_table(table: Any, name: str, noun: str, first: int) -> Iterable[tuple[str, object, object]]:
    for number, row in enumerate(table, first):
        if not isinstance(row, Mapping):
            raise InputError(
                f"{name}, {noun} {number}: {row!r:.60} is no row with a chunk and its document. {EXAMPLE}."
            )
        columns = _columns(list(row))
        if columns is None:
            raise _no_columns(list(row), name if noun == "line" else f"{name}, {noun} {number}")
        yield f"{noun} {number}", row[columns[0]], row[columns[1]]


def _columns(header: Sequence[str]) -> tuple[str, str] | None:
    """The names of the columns with the chunk and with its document; None where one of them is not there."""
    names = [plain(name) for name in header]
    chunk, doc = place(names, CHUNK), place(names, DOCUMENT)
    return None if chunk < 0 or doc < 0 else (header[chunk], header[doc])


def _no_columns(header: Sequence[str], where: str) -> InputError:
    shown = ", ".join(f"{name!s:.40}" for name in header[:12]) or "no columns"
    return InputError(
        f"{where} has: {shown}. A mapping needs a column for the chunk (chunk_id, passage_id, node_id, ...) and one "
        f"for its document (doc_id, document_id, parent_id, ...). {EXAMPLE}."
    )
