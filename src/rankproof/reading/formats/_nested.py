"""Rows from nested values, as JSON and Python have them: dicts of dicts, dicts of lists, lists of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from rankproof.core import Rows
from rankproof.errors import InputError
from rankproof.reading.formats._gather import Gather, gather_records, record_columns
from rankproof.reading.formats._jsontext import Repeated
from rankproof.reading.formats.contract import Noun, Read

GIVEN = "documents are in the order given"
NUMBERED = {"run": "each document with its score", "qrels": "each document with its grade"}
# A row that is a bare sequence: query, document and, mostly, a number.
PAIR, TRIPLE = 2, 3


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list or tuple, and not a text."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def read_mapping(queries: Mapping[str, Any], noun: Noun, source: str) -> Read:
    """{query: {doc: number}}, {query: [doc, ...]}, {query: [[doc, number], ...]} or {query: [{...}, ...]}."""
    kinds = {is_list(docs) for docs in queries.values() if docs}
    if len(kinds) < 2 and all(_is_plain(docs) for docs in queries.values()):
        listed = True in kinds
        try:
            rows = Rows.from_dicts(queries)
        except (TypeError, ValueError):
            pass  # ids that are numbers, or values that are not: the slow path reads or reports them
        else:
            if listed and noun == "qrels":
                raise InputError(f"{source}: the documents have no grades. Qrels need a grade for each document.")
            return Read(rows, (GIVEN,) if listed else (NUMBERED[noun],))
    return read_queries(((0, query, docs) for query, docs in queries.items()), noun, source)


def _is_plain(docs: object) -> bool:
    """Whether the core can read a query's documents in place."""
    if isinstance(docs, Repeated):
        return False
    return isinstance(docs, Mapping) or (is_list(docs) and all(isinstance(doc, str) for doc in docs))


def read_list(items: Sequence[object], noun: Noun, source: str) -> Read:
    """A list of rows: objects with named fields, or (query, document) with or without a number."""
    records = [item for item in items if isinstance(item, Mapping)]
    if len(records) == len(items):
        return gather_records(((0, record) for record in records), noun, source)
    gather = Gather(noun, source)
    for i, item in enumerate(items, start=1):
        if not is_list(item) or len(item) not in (PAIR, TRIPLE) or (noun == "qrels" and len(item) == PAIR):
            number = "grade" if noun == "qrels" else "score"
            raise InputError(f"{source}, row {i}: {item!r:.80} is not a row. A row is query, document and {number}.")
        gather.add(item[0], item[1], item[2] if len(item) == TRIPLE else None)
    numbered = bool(items) and is_list(items[0]) and len(items[0]) == TRIPLE
    return Read(gather.rows(), (NUMBERED[noun] if numbered else GIVEN,))


def read_queries(queries: Iterable[tuple[int, object, object]], noun: Noun, source: str) -> Read:
    """(line, query, documents) for each query; the documents in any shape that `read_mapping` names."""
    *_, read = query_pieces(queries, noun, source)
    return read


def query_pieces(
    queries: Iterable[tuple[int, object, object]], noun: Noun, source: str, rows: int | None = None
) -> Iterator[Read]:
    """Like `read_queries`, about `rows` rows at a time where that is given; the last piece may be empty."""
    gather = Gather(noun, source)
    lower: set[bool] = set()
    numbered = any_row = False

    def piece() -> Read:
        if len(lower) > 1:
            raise InputError(f"{source}: some rows have a score and some a distance. Give all rows the same.")
        if noun == "qrels" and any_row and not numbered:
            raise InputError(f"{source}: the documents have no grades. Qrels need a grade for each document.")
        unit = gather.unit
        return Read(gather.taken(), (NUMBERED[noun] if numbered else GIVEN,), lower == {True}, unit)

    for line, query, docs in queries:
        where = f"{source}, line {line}" if line else f"{source}, query {query!r:.80}"
        for doc, number, rank, label, is_distance in _entries(docs, noun, where):
            gather.add(query, doc, number, rank, label, line)
            any_row, numbered = True, numbered or number is not None or rank is not None
            lower.add(is_distance)
        if rows is not None and len(gather) >= rows:
            yield piece()
    yield piece()


Entry = tuple[object, object, object, object, bool]


def _entries(docs: object, noun: Noun, where: str) -> Iterable[Entry]:
    """document, number, rank, label and whether the number is a distance."""
    if isinstance(docs, Mapping):
        # Both values of a repeated key become rows: the check for duplicate documents names them.
        for doc, number in docs.pairs if isinstance(docs, Repeated) else docs.items():
            yield doc, _needed(number, doc, where), None, None, False
    elif is_list(docs):
        for doc in docs:
            if isinstance(doc, Mapping):
                columns, is_distance = record_columns(("query_id", *doc), noun, where)
                fields = [
                    doc.get(columns[role]) if role in columns else None for role in ("doc", "number", "rank", "label")
                ]
                yield fields[0], fields[1], fields[2], fields[3], is_distance
            elif is_list(doc) and len(doc) == PAIR:
                yield doc[0], _needed(doc[1], doc[0], where), None, None, False
            else:
                yield doc, None, None, None, False
    else:
        raise InputError(
            f"{where}: found {docs!r:.80} where the documents should be. "
            "Give each query an object of documents and numbers, or a list of documents."
        )


def _needed(number: object, doc: object, where: str) -> object:
    if number is None:
        raise InputError(f"{where}: document {doc!r:.80} has null for its number. Give it one, or leave it out.")
    return number
