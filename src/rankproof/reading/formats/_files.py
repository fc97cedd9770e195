"""Files of other tools as text: JSON that is one document, lines one by one, tables with lists in their cells."""

from __future__ import annotations

import ast
import codecs
import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._jsontext import decode, json_objects
from rankproof.reading.formats._table import cut
from rankproof.reading.formats._table import sample as first_lines
from rankproof.reading.source import Source, not_utf8

# A text is decoded as a whole or read line by line. Python's objects take about eight times what the text takes.
LARGEST_DOCUMENT = 256 << 20
_PIECE = 1 << 20


def document(source: Source, kind: str, instead: str) -> object:
    """The one JSON value that a source is. A file too large for that is refused; `instead` says what to do."""
    refuse_large(source, kind, instead)
    return decode(source.text(), source.name)


def refuse_large(source: Source, kind: str, instead: str) -> None:
    """InputError for a file that cannot be read line by line and is larger than memory may take."""
    if source.size > LARGEST_DOCUMENT:
        raise InputError(
            f"{source.name} is {source.size >> 20} MB of {kind}, which must be read as a whole: at most "
            f"{LARGEST_DOCUMENT >> 20} MB are. {instead}"
        )


def lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a text one by one, numbered from 1; the file is never in memory as a whole."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    left, number = "", 1
    for begin in range(0, source.size, _PIECE):
        data = source.part(begin, _PIECE)
        try:
            left += decoder.decode(data, begin + _PIECE >= source.size)
        except UnicodeDecodeError as error:
            at = number + data.count(b"\n", 0, error.start)
            raise InputError(not_utf8(source.name, at, error.object[error.start])) from None
        if len(left) > LARGEST_DOCUMENT:
            raise InputError(f"{source.name}, line {number}: the line is longer than {LARGEST_DOCUMENT >> 20} MB.")
        *whole, left = left.split("\n")
        for line in whole:
            yield number, line
            number += 1
    if left:
        yield number, left


def line_records(source: Source) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The objects of JSON lines, each with its place."""
    for number, record in json_objects(lines(source), source.name):
        yield f"{source.name}, line {number}", record


def header(source: Source) -> list[str]:
    """The names of the columns of a table cut by commas; empty where the source is none."""
    if b"\0" in source.head or source.head.lstrip()[:1] in (b"{", b"[", b"<"):
        return []
    first = first_lines(source.head)[:1]
    return [name.strip() for name in cut(first[0][1], ",")] if first else []


def table_records(source: Source) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of a table cut by commas, each with its place; its fields may have line breaks."""
    limit = csv.field_size_limit(LARGEST_DOCUMENT)
    reader = csv.reader((f"{line}\n" for _, line in lines(source)), strict=True)
    columns: list[str] = []
    try:
        for row in reader:
            where = f"{source.name}, line {reader.line_num}"
            if not row:
                continue
            if not columns:
                columns = [name.strip() for name in row]
                _refuse_two(columns, where)
            elif len(row) != len(columns):
                raise InputError(f"{where}: {counted(len(row), 'column')}, but the header has {len(columns)}.")
            else:
                yield where, dict(zip(columns, row, strict=True))
    except csv.Error as error:
        raise InputError(f"{source.name}, line {reader.line_num}: this is not CSV ({error}). Write it anew.") from None
    finally:
        csv.field_size_limit(limit)


def _refuse_two(columns: Sequence[str], where: str) -> None:
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{where}: two columns are called {twice!r:.60}. Rename or remove one of them.")


# ---- lists in the cells of a table ----------------------------------------------------------------

_ITEM = re.compile(
    r"""\s*(?P<item>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[-+]?\d+(?:\.\d+)?|None|null)\s*(?P<end>,|\]|(?P<bad>.)|$)""",
    re.DOTALL,
)  # fmt: skip


def listed(cell: str, key: str, where: str) -> list[object] | None:
    """The list that a cell holds, as JSON or as Python prints it; None for an empty cell.

    NumPy prints lists without commas, and Python would read two texts beside each other as one: refused.
    """
    text = cell.strip()
    if text in ("", "None", "nan", "null"):
        return None
    if not text.startswith("["):
        raise InputError(f"{where}: {key} must hold a list, such as ['...', '...']; got {cell!r:.60}.")
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, list):
            return value
    items: list[object] = []
    at, end = 1, ""
    if text[1:].strip() == "]":
        return items
    while end != "]":
        found = _ITEM.match(text, at)
        if found is None or found["bad"] is not None or not found["end"]:
            raise _no_list(cell, key, where)
        items.append(_literal(found["item"], cell, key, where))
        at, end = found.end(), found["end"]
        if end == "," and text[at:].strip() == "]":
            return items
    if text[at:].strip():
        raise _no_list(cell, key, where)
    return items


def _literal(item: str, cell: str, key: str, where: str) -> object:
    if item in ("None", "null"):
        return None
    try:
        value: object = ast.literal_eval(item.replace("\n", "\\n").replace("\r", "\\r").replace("\0", "\\0"))
    except (ValueError, SyntaxError):
        raise _no_list(cell, key, where) from None
    return value


def _no_list(cell: str, key: str, where: str) -> InputError:
    return InputError(
        f"{where}: {key} is no list that can be read back: {cell!r:.60}. Lists of NumPy are printed without commas "
        "and with gaps; write the table as JSON lines, or make lists of them first (frame[column].map(list))."
    )
