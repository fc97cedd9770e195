"""Records of other tools: what their formats share. What a file begins with, its records one by one, and names.

Records of RAG tools seldom have ids. A question or a document that has none is named by its text, so that the same text
has the same id in every file, and gold contexts meet retrieved ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from weakref import WeakKeyDictionary

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._files import document, line_records
from rankproof.reading.formats._gather import id_text
from rankproof.reading.formats._jsontext import refuse_repeated
from rankproof.reading.source import Source

# How ids of texts begin, and how many hexadecimal digits follow: 64 bits, so that two of a billion texts meet once in
# forty collections.
TEXT_ID, DIGITS = "text:", 16
# The note of a format that names documents by their texts.
BY_TEXT = "documents without ids are named by their texts (text:...): equal texts, white space apart, are one document"
QUERY_BY_TEXT = "queries without ids are named by their texts (text:...)"
# What stands between the id of a document that is in a ranking again and its number: ids of chunks have a # there.
AGAIN = "\u00d7"
# How far a file is read to see its first record whole: contexts of a retriever can be long.
FIRST = 4 << 20
# First records, which several formats look at to recognize a source.
_first: WeakKeyDictionary[Source, Mapping[str, object] | None] = WeakKeyDictionary()
_START = re.compile(r"[\s\ufeff]*\[?\s*(?=\{)")


def text_id(text: str, where: str) -> str:
    """The id of a document that has none: a hash of its text, in which any run of white space counts as one blank.

    The same text has the same id in every file, so that gold contexts meet retrieved ones.
    """
    folded = " ".join(text.split())
    if not folded:
        raise InputError(f"{where}: a document has neither an id nor a text. Give it one of the two.")
    return TEXT_ID + sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


# ---- what a file begins with ----------------------------------------------------------------------


def begins_as_json(source: Source) -> bool:
    """Whether a source begins as a JSON list or object does; bytes only, nothing is parsed."""
    return source.head.lstrip()[:1] in (b"{", b"[")


def first_record(source: Source) -> Mapping[str, object] | None:
    """The first object of JSON lines or of a JSON list, or the object that the whole source is.

    None where there is none, or where it is longer than 4 MB: use `has_keys` for documents of one object.
    """
    if not begins_as_json(source):
        return None
    if source not in _first:
        _first[source] = _first_object(source)
    return _first[source]


def _first_object(source: Source) -> Mapping[str, object] | None:
    head = source.head
    for size in (len(head), FIRST):
        text = (head if size == len(head) else source.part(0, size)).decode("utf-8", errors="replace")
        start = _START.match(text)
        if start is None:
            return None
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start.end())
        except (ValueError, RecursionError):
            if size >= source.size:
                return None
            continue
        return value if isinstance(value, dict) else None
    return None


def has_keys(source: Source, *keys: str) -> bool:
    """Whether the head has each of these as a key of some JSON object: for documents longer than their head."""
    head = source.head
    return begins_as_json(source) and all(re.search(rb'"%b"\s*:' % re.escape(key.encode()), head) for key in keys)


# ---- records one by one ---------------------------------------------------------------------------


def records(source: Source, kind: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The objects of JSON lines or of a JSON list, each with its place; `kind` says what they are ("ragas samples")."""
    if source.head.lstrip()[:1] != b"[":
        yield from line_records(source)
        return
    listed = document(source, f"a JSON list of {kind}", "Write JSON lines, which are read one by one.")
    for number, record in enumerate(listed if isinstance(listed, list) else [listed], 1):
        where = f"{source.name}, record {number}"
        refuse_repeated(record, where)
        if not isinstance(record, Mapping):
            raise InputError(f"{where}: {kind} are JSON objects; got {record!r:.60}.")
        yield where, record


def texts_of(value: object, key: str, where: str) -> list[str]:
    """A list of texts, as contexts are; refused where it is anything else."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{where}: {key} must be a list of texts; got {value!r:.60}.")
    return value


@dataclass(slots=True)
class Naming:
    """Names the queries and documents of one source, and keeps count for the notes.

    texts    documents that were named by their texts
    queries  queries that were named by their texts
    repeats  documents that stood again in one ranking
    """

    texts: int = 0
    queries: int = 0
    repeats: int = 0

    def query(self, given: object, text: object, where: str) -> str:
        """A query's id: the one that it has, or its text's."""
        if given is not None and given != "":
            return id_text(given, where)
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{where}: a query has neither an id nor a text. Give it one of the two.")
        self.queries += 1
        return text_id(text, where)

    def doc(self, given: object, text: object, where: str) -> str:
        """A document's id: the one that it has, or its text's."""
        if given is not None and given != "":
            return id_text(given, where)
        if not isinstance(text, str):
            raise InputError(f"{where}: a document has neither an id nor a text; got {text!r:.60}.")
        self.texts += 1
        return text_id(text, where)

    def ranking(self, ids: Iterable[str]) -> list[str]:
        """The documents of one ranking. One that stands there again keeps its place, under a name that nothing judges.

        Chunks repeat in what retrievers return. Dropping the second would move the others up, and the list that the
        model was given is longer than that.
        """
        docs = list(ids)
        own = frozenset(docs)
        counts: dict[str, int] = {}
        named: list[str] = []
        for doc in docs:
            counts[doc] = counts.get(doc, 0) + 1
            if counts[doc] == 1:
                named.append(doc)
                continue
            self.repeats += 1
            while f"{doc}{AGAIN}{counts[doc]}" in own:  # the name of another document
                counts[doc] += 1
            named.append(f"{doc}{AGAIN}{counts[doc]}")
        return named

    def notes(self) -> tuple[str, ...]:
        """What was named how."""
        told = [QUERY_BY_TEXT] if self.queries else []
        told += [BY_TEXT] if self.texts else []
        if self.repeats:
            told.append(
                f"{counted(self.repeats, 'retrieved document')} stood higher in the same ranking already: the second "
                "keeps its place and is not relevant"
            )
        return tuple(told)
