"""Tables in text: separator, header, usual names of columns, and the meaning of columns without a header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rankproof.errors import InputError
from rankproof.reading.formats._names import (
    IS_A_RUN,
    ColumnPlaces,
    by_name,
    chosen,
    column_notes,
    is_known,
    needed,
)
from rankproof.reading.formats.contract import Noun, Options, Plan, Sure, TextLayout
from rankproof.reading.source import Source

# A number, or the text of NaN or infinity; matched without case.
NUMBER = r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?|[-+]?(nan|inf|infinity)"
_NUMBER = re.compile(NUMBER, re.IGNORECASE)
_WHOLE = re.compile(r"[0-9]{1,18}")
_has_digit = re.compile(r"[0-9]").search
# A column is one of numbers when most of it is: a faulty line is for the checks to find, not for detection.
MOSTLY = 0.8
Row = Sequence[str]


class Meaning(NamedTuple):
    """The columns, and how that was decided."""

    columns: ColumnPlaces
    notes: tuple[str, ...] = ()
    doubt: str = ""  # why the table cannot be read as it is; raised on reading

    @property
    def has_number(self) -> bool:
        """Whether there is a score, a grade or a rank."""
        return self.columns.number >= 0 or self.columns.rank >= 0


def is_number(text: str) -> bool:
    """Whether a field is a number, or the text of NaN or infinity."""
    return _NUMBER.fullmatch(text) is not None


def numeric(rows: Sequence[Row], at: int) -> bool:
    """Whether most of a column is numbers."""
    return sum(is_number(row[at]) for row in rows) >= MOSTLY * len(rows)


def by_content(rows: Sequence[Row], noun: Noun, options: Options) -> Meaning | None:
    """What the columns mean, or None when it cannot be seen. All rows have the same number of columns."""
    return _qrels(rows) if noun == "qrels" else _run(rows, options)


def _qrels(rows: Sequence[Row]) -> Meaning | None:
    width = len(rows[0])
    if width == 3 and numeric(rows, 2):
        return Meaning(ColumnPlaces(0, 1, 2), ("read as query, document, grade",))
    if width == 4 and numeric(rows, 3):
        return Meaning(ColumnPlaces(0, 2, 3, label=1), ("read as query, subtopic, document, grade",))
    # Blanks in the second of two columns: a text, as topics have it.
    if width == 2 and not any(" " in field for row in rows for field in row):
        return Meaning(ColumnPlaces(0, 1), ("two columns: query and relevant document",))
    return None


def _run(rows: Sequence[Row], options: Options) -> Meaning | None:
    width = len(rows[0])
    # TREC's second column, a constant that means nothing.
    doc = 2 if width > 3 and all(row[1] in ("Q0", "q0") for row in rows) else 1
    rest = list(range(doc + 1, width))
    label = -1
    if rest and (not numeric(rows, rest[-1]) or len(rest) == 3):
        label = rest.pop()
    if not all(numeric(rows, at) for at in rest):
        return None
    if not rest:
        # Blanks in the ids of a bare pair of columns: more likely that the separator is another one.
        if label >= 0 or any(" " in field for row in rows for field in row):
            return None
        return Meaning(ColumnPlaces(0, 1), ("two columns: documents are in the order given",))
    if len(rest) == 1:
        return _one_number(rows, doc, rest[0], label, options)
    ranks = [at for at in rest if counts_up(rows, at)]
    if len(rest) != 2 or len(ranks) != 1:
        return None
    (rank,), (number,) = ranks, [at for at in rest if at not in ranks]
    note = f"column {rank + 1} counts 1, 2, 3, ... within each query: the rank; column {number + 1}: the score"
    return Meaning(ColumnPlaces(0, doc, number, rank, label), (note,))


def _one_number(rows: Sequence[Row], doc: int, at: int, label: int, options: Options) -> Meaning:
    order = options.get("order")
    if order == "rank" or (order != "score" and counts_up(rows, at)):
        why = "as asked" if order == "rank" else "it counts 1, 2, 3, ... within each query"
        return Meaning(ColumnPlaces(0, doc, -1, at, label), (f"column {at + 1} read as the rank: {why}",))
    if order is None and _is_permutation(rows, at):
        doubt = (
            f"column {at + 1} holds the whole numbers 1 to n of each query, but not in order: it may be a "
            "rank or a score. Say which with --order rank or --order score."
        )
        return Meaning(ColumnPlaces(0, doc, at, -1, label), doubt=doubt)
    return Meaning(ColumnPlaces(0, doc, at, -1, label), (f"column {at + 1} read as the score",))


def _by_query(rows: Sequence[Row], at: int) -> dict[str, list[int]] | None:
    """The whole numbers of a column for each query, in the order given; None when there are others."""
    numbers: dict[str, list[int]] = {}
    for row in rows:
        if not _WHOLE.fullmatch(row[at]):
            return None
        numbers.setdefault(row[0], []).append(int(row[at]))
    return numbers


def counts_up(rows: Sequence[Row], at: int) -> bool:
    """Whether a column counts 1, 2, 3, ... (or 0, 1, 2, ...) within each query, as the rows stand."""
    queries = _by_query(rows, at)
    if queries is None:
        return False
    first = next(iter(queries.values()))[0]
    return first in (0, 1) and all(n == list(range(first, first + len(n))) for n in queries.values())


def _is_permutation(rows: Sequence[Row], at: int) -> bool:
    """Whether a column holds 1 to n for each query in an order that is neither rising nor falling."""
    queries = _by_query(rows, at)
    if queries is None:
        return False
    numbers = list(queries.values())
    if len(numbers) > 1:
        numbers = numbers[:-1]  # the last query may go on after the lines that were looked at
    # Falling numbers in a file that lists the best first are a score: n points for the first, 1 for the last.
    falling = all(n == sorted(n, reverse=True) for n in numbers)
    return not falling and all(sorted(n) == list(range(1, len(n) + 1)) for n in numbers)


SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars", " ": "blanks"}
# What the core takes for a blank; str.split() would also cut at the spaces of other scripts.
BLANK = " \t\v\f\r"
_BLANKS = re.compile(f"[{BLANK}]+")
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
        return _BLANKS.split(line.strip(BLANK))
    if separator == "\t":
        return [field.strip() for field in line.split("\t")]
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator))]
    except (csv.Error, StopIteration):
        return [line]


def width_of(rows: Sequence[Sequence[str]]) -> int:
    """The usual number of columns."""
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


class TextTable(NamedTuple):
    """A text seen as a table: how it is cut, its header, and what its columns mean."""

    separator: str
    width: int
    meaning: Meaning
    header: tuple[str, ...] = ()
    header_line: int = 0
    comments: bool = False
    bare: bool = False  # judgments without a grade: the same two columns are more likely a run in the order given

    @property
    def sure(self) -> Sure:
        """A header is proof; a number where one is expected makes it likely, two columns of ids only possible."""
        if self.header and not self.bare:
            return Sure.NAMED
        if self.header:
            return Sure.LIKELY
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
    choice = chosen(options.get("columns"), noun)
    columns = by_name(first, noun, choice)
    if columns is not None and len(first) == width:
        doubt = columns.doubt
        if columns.lists:
            doubt = (
                f"{first[columns.doc]!r:.40} names a list of documents, and a line of a table has one. "
                "Write one line for each document, or JSON lines with a list."
            )
        bare = noun == "qrels" and columns.number < 0
        return TextTable(separator, width, Meaning(columns, doubt=doubt), tuple(first), number, comments, bare)
    if choice:
        return None  # the caller says that there is a header, with these names
    if separator == " " and width < 3:
        return None  # two words on a line are too little to see a run in
    if noun == "run" and by_name(first, "qrels") is not None:
        return None  # a header that names grades and neither scores nor ranks
    if noun == "qrels" and len(first) == width and (run := by_name(first, "run")) is not None:
        return TextTable(separator, width, Meaning(run, doubt=f"line {number} {IS_A_RUN}"), bare=True)
    known = len(first) == width and any(is_known(name) for name in first)
    header = known or (len(first) == width and _is_unlike(first, same[1:]))
    meaning = by_content(same[1:] if header and len(same) > 1 else same, noun, options)
    if meaning is None:
        return None
    at = max(meaning.columns.number, meaning.columns.rank)
    if header and (at < 0 or not is_number(first[at])):
        doubt = f"line {number} looks like a header ({', '.join(first)}); {needed(first, noun)} "
        meaning = Meaning(meaning.columns, doubt=f"{doubt}If it is a row, write a header above it.")
    return TextTable(separator, width, meaning, comments=comments)


def _is_unlike(first: Row, others: Sequence[Row]) -> bool:
    """Whether a line is words alone above a column of numbers, or above fields that all have a digit: a header."""
    if not others or any(_has_digit(field) or is_number(field) for field in first):
        return False
    numbers = any(all(is_number(row[at]) for row in others) for at in range(len(first)))
    return numbers or all(_has_digit(field) for row in others for field in row)


def as_header(first: str, noun: Noun) -> str:
    """What to do where the first line is the header of a table: words between tabs, commas, semicolons or bars."""
    fields = max((cut(first, separator) for separator in SEPARATORS if separator != " "), key=len)
    if noun == "topics" or len(fields) < 2 or any(map(is_number, fields)):
        return ""
    if by_name(fields, noun) is not None:
        return (
            f"Its header is understood, but too few lines have {len(fields)} columns: an id with a line break or with "
            "what separates the columns cannot stand in such a table. Write JSON lines or Parquet. "
        )
    return f"If that is a header, {needed(fields, noun)} "


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
        notes = (separated, "header found", *column_notes(table.header, columns, noun))
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
