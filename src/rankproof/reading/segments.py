"""Segments: sets of queries by the values of a column of a query file (intent, language, head or tail)."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted
from rankproof.reading.source import FileLike, open_source, require_text
from rankproof.reading.stream import objects

# What a column with the query's id may be called; the first column otherwise.
ID_COLUMNS = ("query_id", "query-id", "qid", "_id", "id", "topic", "topic_id")
# A column with more values is a text or a number, not a kind of query.
MOST_SEGMENTS = 50

Table = dict[str, dict[str, str]]


def read_columns(what: object) -> tuple[Table, tuple[str, ...]]:
    """{query_id: {column: value}} of a query file (CSV, TSV with a header, or JSON lines), and its columns."""
    if isinstance(what, Mapping):
        table = {str(q): {str(c): str(v) for c, v in row.items()} for q, row in what.items()}
        return table, tuple(dict.fromkeys(c for row in table.values() for c in row))
    source = open_source(cast("FileLike", what))  # refused there where it is no file
    require_text(source)
    text = source.text().removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        rows = [{key: _plain(value) for key, value in record.items()} for _, record in objects(text, source.name)]
    else:
        rows = delimited(text, source.name, "query")
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    if not rows or not columns:
        raise InputError(f"{source.name} has no queries. Give a header line and one line per query.")
    named = next((name for name in ID_COLUMNS if name in columns), columns[0])
    table = {}
    for number, row in enumerate(rows, 1):
        query = row.pop(named, "")
        if not query:
            raise InputError(f"{source.name}, query {number}: the column {named!r} is empty. Every query needs an id.")
        if query in table:
            raise InputError(f"{source.name}: the query {query!r} appears twice. Keep one of the two.")
        table[query] = row
    return table, tuple(column for column in columns if column != named)


def segments(
    table: Table, columns: Sequence[str], by: Iterable[str], queries: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """`column=value` -> its queries among those given, for each of the columns; values in order of first use."""
    members: dict[str, list[str]] = {}
    for column in by:
        if column not in columns:
            raise UnknownName("column of the query file", column, columns)
        before = len(members)
        for query in queries:
            value = table.get(query, {}).get(column, "")
            if value:
                members.setdefault(f"{column}={value}", []).append(query)
        number = len(members) - before
        if number > MOST_SEGMENTS:
            raise UsageError(
                f"The column {column!r} has {number} different values; at most {MOST_SEGMENTS} make "
                "segments that a person can read. Choose a column that names kinds of queries."
            )
    return {name: tuple(ids) for name, ids in members.items()}


def delimited(text: str, name: str, noun: str) -> list[dict[str, str]]:
    """The rows of a text with a header line, separated by tabs, semicolons or commas; `noun`: what a row is about."""
    lines = text.splitlines()
    header = lines[0] if lines else ""
    delimiter = "\t" if "\t" in header else ";" if ";" in header and "," not in header else ","
    # Texts of chunks exceed the 131,072 characters that the module allows a field; no field is longer than the text.
    limit = csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        columns, *cells = [(reader.line_num, row) for row in reader if row] or [(1, [])]
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: this is not CSV ({error}). Write the file anew.") from None
    finally:
        csv.field_size_limit(limit)
    refuse_two_of_a_name(columns[1], name)
    for line, row in cells:
        if len(row) != len(columns[1]):
            raise InputError(
                f"{name}, line {line}: {counted(len(row), 'column')}, but the header has {len(columns[1])}. "
                f"Give every {noun} a value for each column; it may be empty."
            )
    return [dict(zip(columns[1], row, strict=True)) for _, row in cells]


def refuse_two_of_a_name(columns: Sequence[str], name: str) -> None:
    """InputError where two columns of a table have one name: nobody can tell which of them is meant."""
    twice = next((column for column, count in Counter(columns).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"{name} has two columns called {twice!r}. Rename or remove one of them.")


def _plain(value: object) -> str:
    """A value as the name of a segment; '' where it is missing, a list or an object."""
    if value is None or isinstance(value, dict | list):
        return ""
    return value if isinstance(value, str) else json.dumps(value)
