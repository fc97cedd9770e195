"""Queries: from a query file to Query records, and when two query texts count as the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from hashlib import sha256

from rankproof.errors import InputError
from rankproof.reading.collect import read_topics
from rankproof.reading.collection import Query
from rankproof.reading.formats._names import TEXT, place, plain
from rankproof.reading.formats._table import cut, sample
from rankproof.reading.segments import ID_COLUMNS, read_columns
from rankproof.reading.source import FileLike, Source, open_source


def read_queries(path: FileLike, field: str | None = None) -> tuple[Query, ...]:
    """The queries of a file: JSON lines or a table with a header keep their columns; all else is id and text.

    A table with ids and columns but no text gives queries with an empty one: another file has it (see `joined`).
    """
    source = open_source(path)
    if source.is_empty:
        raise InputError(f"{source.name} is empty: it has no queries.")
    if field is None and _has_columns(source):
        return _with_columns(source)
    options = {} if field is None else {"field": field}
    return of_topics(read_topics(source, **options))


def of_topics(topics: Mapping[str, str]) -> tuple[Query, ...]:
    """Queries that are only ids and texts."""
    return tuple(Query(query, text) for query, text in topics.items())


def _has_columns(source: Source) -> bool:
    """Whether the file is JSON lines, or a table whose header names the query's id: first, or beside a text."""
    head = source.head.lstrip()
    if head[:1] == b"{":
        return True
    lines = sample(head)[:1]
    if not lines or head[:1] in (b"[", b"<"):
        return False
    header = lines[0][1]
    separator = "\t" if "\t" in header else ";" if ";" in header and "," not in header else ","
    names = [plain(name) for name in cut(header, separator)]
    at = place(names, [plain(name) for name in ID_COLUMNS])
    # Without a header, the text of the first query may be the word "topic".
    return len(names) > 1 and at >= 0 and (at == 0 or place(names, TEXT) >= 0)


def _with_columns(source: Source) -> tuple[Query, ...]:
    table, columns = read_columns(source)
    names = [plain(column) for column in columns]
    at = place(names, TEXT)
    text_column = columns[at] if at >= 0 else ""
    # A column that is empty for every query (as metadata with parts reads) says nothing about any.
    filled = [name for name in columns if name != text_column and any(row.get(name) for row in table.values())]
    return tuple(
        Query(query, row.get(text_column, ""), {name: row[name] for name in filled if row.get(name)})
        for query, row in table.items()
    )


def joined(parts: Iterable[tuple[str, tuple[Query, ...]]]) -> tuple[Query, ...]:
    """The queries of several files: one that stands in two must have one text, and has the columns of both."""
    by_id: dict[str, Query] = {}
    sources = []
    for source, queries in parts:
        sources.append(source)
        for query in queries:
            known = by_id.setdefault(query.query_id, query)
            if known is query:
                continue
            if known.text and query.text and known.text != query.text:
                raise InputError(
                    f"{source}: query {query.query_id!r} has another text in another file of this dataset. "
                    "Give every query one id of its own."
                )
            both = {**query.columns, **known.columns}
            by_id[query.query_id] = Query(query.query_id, known.text or query.text, both)
    if not any(query.text for query in by_id.values()):
        raise InputError(
            f"{' and '.join(sources)}: no query has a text. It must be in a column called one of {', '.join(TEXT)}."
        )
    return tuple(by_id.values())


_NOT_WORDS = re.compile(r"[\W_]+")


def normal(text: str) -> str:
    """The text without case, punctuation, and choices of blanks and of compatible characters.

    A text of nothing but signs keeps them: "c++" and "c" are one, but "?" and "!" are two.

    >>> normal("  USB-C cable,  2m"), normal("usb c cable 2m"), normal("?!")
    ('usb c cable 2m', 'usb c cable 2m', '?!')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_NOT_WORDS.sub(" ", folded).split()) or " ".join(folded.split())


def lot(seed: int, query_id: str) -> bytes:
    """The random sort key of a query: queries sorted by it are in random order.

    It is a hash and not a generator's permutation: the key depends on no other query, so that a larger sample contains
    the smaller one, and no version of a library changes a split that was published.
    """
    return sha256(f"{seed}\n{query_id}".encode("utf-8", "surrogatepass")).digest()
