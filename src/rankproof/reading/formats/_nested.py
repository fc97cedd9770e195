"""Rows from nested values, as JSON and Python have them: dicts of dicts, dicts of lists, lists of rows, columns.

Judgments may name their documents without grades: as a list, a set or one id. What such documents count as is decided
in `reading/collect.py`, for all formats alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from numbers import Integral
from typing import Any

from rankproof.core import Rows
from rankproof.errors import InputError
from rankproof.kernel.sections import some
from rankproof.reading.formats._gather import Gather, gather_records, id_text, record_columns, refuse_list_in_text
from rankproof.reading.formats._jsontext import Repeated
from rankproof.reading.formats._names import (
    DOCS,
    NO_CHOICE,
    QUERY,
    ColumnChoice,
    ColumnPlaces,
    by_name,
    column_notes,
    place,
    plain,
)
from rankproof.reading.formats.contract import IN_SEVERAL, NO_PART, Noun, Read
from rankproof.reading.naming import as_list, is_list, is_many

GIVEN = {"run": ("documents are in the order given",), "qrels": ()}
NUMBERED = {"run": ("each document with its score",), "qrels": ("each document with its grade",)}
# A row that is a bare sequence: query, document and, mostly, a number.
PAIR, TRIPLE = 2, 3


def read_mapping(queries: Mapping[str, Any], noun: Noun, source: str, choice: ColumnChoice = NO_CHOICE) -> Read:
    """{query: {doc: number}}, {query: [doc, ...]}, {query: [[doc, number], ...]} or {query: [{...}, ...]}.

    Of judgments also {query: {doc, ...}} and {query: doc}. A dict of columns, each a list, is a table.
    """
    columns = {name: as_list(column) for name, column in queries.items()} if is_table(queries, noun, choice) else None
    if columns is not None:
        return read_columns(columns, noun, source, choice)
    objects = has_objects(queries)
    if choice and choice.required and not objects:
        raise InputError(
            f"{source} has queries and no named columns, but --columns (columns= in Python) names some. Leave them out."
        )
    if all(_is_plain(docs) for docs in queries.values()):
        kinds = {is_list(docs) for docs in queries.values() if docs}
        try:
            rows = Rows.from_dicts(queries) if len(kinds) < 2 else None
        except (TypeError, ValueError):
            rows = None  # ids that are numbers, or values that are not: the slow path reads or reports them
        if rows is not None:
            empty = tuple(query for query, docs in queries.items() if not docs) if noun == "qrels" else ()
            how = GIVEN[noun] if True in kinds else NUMBERED[noun]
            return Read(rows, (*how, *_no_part(choice)), without_documents=empty)
    within = ColumnChoice(tuple(pair for pair in choice.named if pair[0] != "query"), choice.lower_is_better)
    read = read_queries(((0, query, docs) for query, docs in queries.items()), noun, source, within=within)
    return read if objects else replace(read, notes=(*read.notes, *_no_part(choice)))


def has_objects(queries: Mapping[str, Any]) -> bool:
    """Whether documents of a query are objects, whose fields have names."""
    return any(is_list(docs) and any(isinstance(doc, Mapping) for doc in docs) for docs in queries.values())


def _no_part(choice: ColumnChoice) -> tuple[str, ...]:
    """What to say where named columns, meant for another input, play no part."""
    return (NO_PART,) if choice else ()


def _is_plain(docs: object) -> bool:
    """Whether the core can read a query's documents in place."""
    if isinstance(docs, Repeated):
        return False
    return isinstance(docs, Mapping) or (is_list(docs) and all(isinstance(doc, str) for doc in docs))


def is_table(queries: Mapping[str, Any], noun: Noun, choice: ColumnChoice) -> bool:
    """Whether a mapping has columns and no queries: names of a query and of a document, and a list for each."""
    names = list(queries)
    if not all(isinstance(name, str) for name in names) or by_name(names, noun, choice) is None:
        return False
    return all(is_list(as_list(column)) for column in queries.values())


def read_columns(columns: Mapping[str, Any], noun: Noun, source: str, choice: ColumnChoice = NO_CHOICE) -> Read:
    """A table of Python values, column by column; the columns have one length."""
    lengths = {name: len(column) for name, column in columns.items()}
    first = next(iter(lengths))
    other = next((name for name, length in lengths.items() if length != lengths[first]), None)
    if other is not None:
        raise InputError(
            f"{source}: {first!r:.40} has {lengths[first]} values and {other!r:.40} has {lengths[other]}. "
            "Give every column one value for each row."
        )
    names = list(columns)
    rows = (dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True))
    return read_records(((0, row) for row in rows), noun, source, choice, names)


def read_list(items: Sequence[object], noun: Noun, source: str, choice: ColumnChoice = NO_CHOICE) -> Read:
    """A list of rows: objects with named fields, or (query, document) with or without a number."""
    records = [item for item in items if isinstance(item, Mapping)]
    if len(records) == len(items):
        return read_records(((0, record) for record in records), noun, source, choice)
    if choice and choice.required:
        raise InputError(
            f"{source} has rows without names, but --columns (columns= in Python) names some. Leave them out."
        )
    gather = Gather(noun, source)
    for i, item in enumerate(items, start=1):
        if not is_list(item) or len(item) not in (PAIR, TRIPLE):
            number = "grade, or only the first two" if noun == "qrels" else "score"
            raise InputError(f"{source}, row {i}: {item!r:.80} is not a row. A row is query, document and {number}.")
        gather.add(item[0], item[1], item[2] if len(item) == TRIPLE else None)
    numbered = bool(items) and is_list(items[0]) and len(items[0]) == TRIPLE
    return Read(gather.rows(), (*(NUMBERED[noun] if numbered else GIVEN[noun]), *_no_part(choice)))


def read_records(
    records: Iterable[tuple[int, Mapping[str, object]]],
    noun: Noun,
    source: str,
    choice: ColumnChoice = NO_CHOICE,
    names: Sequence[str] = (),
) -> Read:
    """Objects with named fields, each with its line: rows, or queries with all their documents.

    `names` are those of a table, which says what it lacks where it has no row.
    """
    lines = list(records)
    if not lines and names:
        record_columns(names, noun, source, choice)
    if not any(docs_key(record, noun, choice) for _, record in lines):
        return gather_records(lines, noun, source, choice)
    places = [f"{source}, line {n}" if n else f"{source}, row {i}" for i, (n, _) in enumerate(lines, start=1)]
    queries = (query_of(record, noun, choice, at, n) for at, (n, record) in zip(places, lines, strict=True))
    return read_queries(queries, noun, source, query_notes(lines[0][1], noun, choice))


def query_notes(record: Mapping[str, object], noun: Noun, choice: ColumnChoice) -> tuple[str, ...]:
    """Which fields of an object were read as the query and its documents."""
    header = list(record)
    columns = by_name(header, noun, choice)
    return () if columns is None else column_notes(header, columns, noun)


def docs_key(record: Mapping[str, object], noun: Noun, choice: ColumnChoice = NO_CHOICE) -> str | None:
    """The field of an object that holds all documents of a query; None for an object that is a row."""
    names = list(record)
    columns = by_name(names, noun, choice)
    if columns is not None and (columns.lists or is_many(record[names[columns.doc]])):
        return names[columns.doc]
    if columns is not None or choice:
        return None
    return next((key for key in record if plain(key) in DOCS and not isinstance(record[key], str)), None)


def query_of(
    record: Mapping[str, object], noun: Noun, choice: ColumnChoice, where: str, line: int
) -> tuple[int, object, object]:
    """line, query id and documents of an object that holds a whole query."""
    key = docs_key(record, noun, choice)
    names = list(record)
    columns = by_name(names, noun, choice)
    if columns is not None and columns.doubt:
        raise InputError(f"{where}: {columns.doubt}")
    at = place([plain(name) for name in names], (*QUERY, "_id", "id")) if columns is None else columns.query
    if key is None or at < 0:
        shown = ", ".join(f"{name!r:.40}" for name in names[:8])
        raise InputError(f"{where}: the fields are {shown}; a query needs its id (query_id) and its documents (docs).")
    docs = as_list(record[key])
    beside = _beside(names, columns, noun)
    if beside is not None and (numbers := as_list(record[beside])) is not None:
        if not is_list(numbers) or not is_list(docs) or len(numbers) != len(docs):
            raise InputError(f"{where}: {beside!r:.40} and {key!r:.40} must be lists of the same length.")
        pairs = zip(docs, numbers, strict=True)
        far = columns is not None and columns.lower_is_better
        docs = [{"doc_id": doc, "distance": number} for doc, number in pairs] if far else list(pairs)
    elif columns is not None and columns.rank >= 0:
        rank = names[columns.rank]
        raise InputError(f"{where}: {key!r:.40} is a list, whose order is the ranking. Leave out {rank!r:.40}.")
    return line, record[names[at]], docs


def _beside(names: Sequence[str], columns: ColumnPlaces | None, noun: Noun) -> str | None:
    """The field with a number for each of a query's documents: `scores`, or the one that is the number of a row."""
    if columns is not None and columns.number >= 0:
        return names[columns.number]
    return "scores" if "scores" in names and noun == "run" else None


def read_queries(
    queries: Iterable[tuple[int, object, object]],
    noun: Noun,
    source: str,
    notes: tuple[str, ...] = (),
    within: ColumnChoice = NO_CHOICE,
) -> Read:
    """(line, query, documents) for each query; the documents in any shape that `read_mapping` names.

    `within` names the fields of documents that are objects.
    """
    *_, read = query_pieces(queries, noun, source, notes=notes, within=within)
    return read


def query_pieces(
    queries: Iterable[tuple[int, object, object]],
    noun: Noun,
    source: str,
    rows: int | None = None,
    notes: tuple[str, ...] = (),
    within: ColumnChoice = NO_CHOICE,
) -> Iterator[Read]:
    """Like `read_queries`, about `rows` rows at a time where that is given; the last piece may be empty."""
    gather = Gather(noun, source)
    lower: set[bool] = set()
    numbered = False
    judged: dict[str, bool] = {}  # whether a query has a document
    several: dict[str, None] = {}  # queries that stand in more than one record

    def piece() -> Read:
        if len(lower) > 1:
            raise InputError(f"{source}: some rows have a score and some a distance. Give all rows the same.")
        unit = gather.unit
        empty = tuple(query for query, has_document in judged.items() if not has_document)
        how = (NUMBERED if numbered else GIVEN)[noun]
        again = (f"{IN_SEVERAL}{len(several)} ({some(tuple(several))})",) if several else ()
        return Read(gather.taken(), (*notes, *how, *again), lower == {True}, unit, empty if noun == "qrels" else ())

    for line, query, docs in queries:
        where = f"{source}, line {line}" if line else f"{source}, query {query!r:.80}"
        before = len(gather)
        for doc, number, rank, label, is_distance in _entries(docs, noun, where, within):
            gather.add(query, doc, number, rank, label, line)
            numbered = numbered or number is not None or rank is not None
            lower.add(is_distance)
        name = id_text(query, where)
        if name in judged:
            several[name] = None
            if noun == "run" and not numbered and len(gather) > before and judged[name]:
                raise InputError(
                    f"{where}: the query {name!r:.80} has a list of documents already, and nothing says how the two "
                    "rank among each other. Keep one of them; two questions of the same text need ids of their own."
                )
        judged[name] = judged.get(name, False) or len(gather) > before
        if rows is not None and len(gather) >= rows:
            yield piece()
    yield piece()


Entry = tuple[object, object, object, object, bool]


def _entries(given: object, noun: Noun, where: str, within: ColumnChoice) -> Iterable[Entry]:
    """document, number, rank, label and whether the number is a distance."""
    docs = as_list(given)
    if isinstance(docs, Mapping):
        # Both values of a repeated key become rows: the check for duplicate documents names them.
        for doc, number in docs.pairs if isinstance(docs, Repeated) else docs.items():
            yield doc, _needed(number, doc, where), None, None, False
    elif is_list(docs):
        for doc in docs:
            if isinstance(doc, Mapping):
                # The query is known already, whatever the object calls it once more.
                keys = [key for key in doc if plain(key) not in QUERY]
                columns, is_distance = record_columns(("query_id", *keys), noun, where, within)
                fields = [
                    doc.get(columns[role]) if role in columns else None for role in ("doc", "number", "rank", "label")
                ]
                yield fields[0], fields[1], fields[2], fields[3], is_distance
            elif is_list(doc) and len(doc) == PAIR:
                yield doc[0], _needed(doc[1], doc[0], where), None, None, False
            else:
                yield doc, None, None, None, False
    else:
        for doc in _named(docs, noun, where):
            yield doc, None, None, None, False


def _named(docs: object, noun: Noun, where: str) -> list[str]:
    """The ids of a set, in the order of their texts, or one id: enough for judgments, but no ranking."""
    if isinstance(docs, Set):
        if noun == "run":
            raise InputError(f"{where}: a set has no order. Give the documents of a ranking as a list, best first.")
        return sorted(id_text(doc, where) for doc in docs)
    if noun == "qrels" and docs is None:
        raise InputError(
            f"{where}: found {docs} where the documents should be. Give an empty list for a query that has no "
            "relevant document, or leave out a query that was not judged."
        )
    if isinstance(docs, str):
        refuse_list_in_text(docs.strip(), where)
    if noun == "qrels" and isinstance(docs, str) and docs and len(docs.split()) == 1:
        return [docs]
    if noun == "qrels" and isinstance(docs, Integral) and not isinstance(docs, bool):
        return [id_text(docs, where)]
    hint = ", a list of relevant documents, or one id" if noun == "qrels" else ", or a list of documents"
    raise InputError(
        f"{where}: found {docs!r:.80} where the documents should be. "
        f"Give each query an object of documents and numbers{hint}."
    )


def _needed(number: object, doc: object, where: str) -> object:
    if number is None:
        raise InputError(f"{where}: document {doc!r:.80} has null for its number. Give it one, or leave it out.")
    return number
