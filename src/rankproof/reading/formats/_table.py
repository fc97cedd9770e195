"""Tables in text: which separator, is there a header, and what the columns of one without a header mean."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.errors import InputError
from rankproof.reading.formats import _columns
from rankproof.reading.formats._columns import ColumnPlaces
from rankproof.reading.formats._meaning import Meaning, by_content, is_number
from rankproof.reading.formats.contract import Noun, Options, Plan, Sure, TextLayout
from rankproof.reading.source import Source

SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars", " ": "blanks"}
# What the core takes for a blank; str.split() would also cut at the spaces of other scripts.
_BLANKS = re.compile(r"[ \t\v\f\r]+")
# Lines that are looked at to recognize a format: every format looks, so few enough to cost nothing.
FEW = 60
# Lines that are looked at to read a table without a header: enough to see ranks begin anew with a query.
MANY = 3000
# A separator cuts a table when this share of the lines has the same number of columns.
MOST = 0.8


def sample(head: bytes, most: int = FEW) -> list[tuple[int, str]]:
    """Those of the first lines that have something on them, each with its number from 1."""
    pieces = head.split(b"\n", most)[:most]
    lines = b"\n".join(pieces).decode("utf-8", errors="replace").split("\n")
    return [(i, line.rstrip("\r")) for i, line in enumerate(lines, start=1) if line.strip()]


def cut(line: str, separator: str) -> list[str]:
    """The fields of one line."""
    if separator == " ":
        return _BLANKS.split(line.strip(" \t\v\f\r"))
    if separator == "\t":
        return [field.strip() for field in line.split("\t")]
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator))]
    except (csv.Error, StopIteration):
        return [line]


def width_of(rows: Sequence[Sequence[str]]) -> int:
    """The usual number of columns."""
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


@dataclass(frozen=True, slots=True)
class TextTable:
    """A text seen as a table: how it is cut, its header, and what its columns mean."""

    separator: str
    width: int
    meaning: Meaning
    header: tuple[str, ...] = ()
    header_line: int = 0
    comments: bool = False

    @property
    def sure(self) -> Sure:
        """A header is proof; a number where one is due is likely; two columns of ids are only possible."""
        if self.header:
            return Sure.NAMED
        return Sure.LIKELY if self.meaning.has_number else Sure.POSSIBLE


def look(head: bytes, noun: Noun, options: Options, most: int = FEW) -> TextTable | None:
    """The table in a text, under the separator that makes most sense of it; None when none does."""
    lines = sample(head, most)
    tables = [table for separator in SEPARATORS if (table := _cut_by(lines, separator, noun, options)) is not None]
    # max() takes the first of the best: the separators stand in the order of what is least often in an id.
    return max(tables, key=lambda table: table.sure, default=None)


def _cut_by(lines: list[tuple[int, str]], separator: str, noun: Noun, options: Options) -> TextTable | None:
    rows = [(number, cut(line, separator)) for number, line in lines]
    width = width_of([row for _, row in rows if not row[0].startswith("#")] or [row for _, row in rows])
    # A line that begins with '#' and has all the columns is a row like the others: an id may begin so.
    plain = [(number, row) for number, row in rows if len(row) == width or not row[0].startswith("#")]
    comments = len(plain) < len(rows) and not any(row[0].startswith("#") for _, row in plain[1:])
    same = [row for _, row in plain if len(row) == width]
    if width < 2 or len(same) < MOST * len(plain):
        return None
    number, first = plain[0]
    columns = _columns.by_name(first, noun)
    if columns is not None and len(first) == width:
        return TextTable(separator, width, Meaning(columns), tuple(first), number, comments)
    if separator == " " and width < 3:
        return None  # two words on a line are too little to see a run in
    if noun == "run" and _columns.by_name(first, "qrels") is not None:
        return None  # a header that names grades and neither scores nor ranks
    known = len(first) == width and any(_columns.is_known(name) for name in first)
    meaning = by_content(same[1:] if known and len(same) > 1 else same, noun, options)
    if meaning is None:
        return None
    at = max(meaning.columns.number, meaning.columns.rank)
    if known and (at < 0 or not is_number(first[at])):
        doubt = (
            f"line {number} looks like a header ({', '.join(first)}), but it must name "
            f"{_columns.expected(noun)}. Rename its columns, or remove the line."
        )
        meaning = Meaning(meaning.columns, doubt=doubt)
    return TextTable(separator, width, meaning, comments=comments)


def plan(table: TextTable, noun: Noun, source: Source) -> Plan:
    """How the core is to read a table, with what was decided."""
    if table.meaning.doubt:
        raise InputError(f"{source.name}: {table.meaning.doubt}")
    columns = table.meaning.columns
    layout = TextLayout(
        separator=table.separator,
        query=columns.query,
        doc=columns.doc,
        number=columns.number,
        rank=columns.rank,
        label=columns.label,
        least=table.width,
        most=table.width,
        skip=table.header_line,
        quoted=table.separator in ",;|",
        comments=table.comments,
    )
    separated = f"columns separated by {SEPARATORS[table.separator]}"
    if table.header:
        notes = (separated, "header found", *_columns.notes(table.header, columns, noun))
        shape = f"the header has {table.width}: {' '.join(table.header)}"
    else:
        notes = (separated, "no header", *table.meaning.notes)
        shape = f"the other lines have {table.width}: {' '.join(_names(columns, noun, table.width))}"
    return Plan(layout, notes, columns.lower_is_better, shape)


def _names(columns: ColumnPlaces, noun: Noun, width: int) -> list[str]:
    names = ["-"] * width
    number, label = ("grade", "subtopic") if noun == "qrels" else ("score", "tag")
    for name, at in (
        ("query_id", columns.query),
        ("doc_id", columns.doc),
        (number, columns.number),
        ("rank", columns.rank),
        (label, columns.label),
    ):
        if at >= 0:
            names[at] = name
    return names
