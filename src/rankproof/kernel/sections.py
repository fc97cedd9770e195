"""Sections: parts of an answer that every form of report can show; text tables, and numbers as text.

The one place where a number becomes text for reading. Data forms (JSON, CSV, Arrow) keep full precision.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

GAP = "  "
# Where nothing says how wide the reader's window is, a layout is chosen for so many columns.
USUAL_COLUMNS = 120


@dataclass(frozen=True, slots=True)
class Screen:
    """What a text is laid out for: a window of `width` columns, and the whole answer or its headlines.

    Without a width, as in a file or a pipe, a sentence and a row of a table are one line each, however long, so that
    the text is the same everywhere and can be searched line by line. Layouts are chosen for `columns`.
    """

    width: int | None = None
    full: bool = True
    columns: int = USUAL_COLUMNS


WHOLE = Screen()


def aligned(rows: Sequence[Sequence[str]], names: int) -> list[str]:
    """The rows as lines: the first `names` columns to the left, the others to the right."""
    clean, rooms = [], [0] * max(map(len, rows), default=0)
    for row in rows:
        clean.append(list(map(printable, row)))
        for i, text in enumerate(clean[-1]):
            rooms[i] = max(rooms[i], width(text))
    lines = []
    for row in clean:
        cells = []
        for i, text in enumerate(row):
            room = " " * (rooms[i] - width(text))
            cells.append(text + room if i < names else room + text)
        lines.append(GAP.join(cells).rstrip())
    return lines


def fitted(rows: Sequence[Sequence[str]], names: int, columns: int | None) -> list[str]:
    """As `aligned`; a table that is wider than `columns` goes on below by groups of columns, each with the names.

    Every group begins with its header. No cell is cut: a name that is wider than the window makes its lines longer.
    """
    lines = aligned(rows, names)
    if columns is None or max(map(width, lines), default=0) <= columns:
        return lines
    count = max(map(len, rows))
    groups: list[list[int]] = [[]]
    for i in range(names, count):
        groups[-1].append(i)
        if len(groups[-1]) > 1 and _widest(rows, [*range(names), *groups[-1]], names) > columns:
            groups.append([groups[-1].pop()])
    return [line for group in groups for line in aligned(_columns(rows, [*range(names), *group]), names)]


def _columns(rows: Sequence[Sequence[str]], which: Sequence[int]) -> list[list[str]]:
    return [[row[i] for i in which if i < len(row)] for row in rows]


def _widest(rows: Sequence[Sequence[str]], which: Sequence[int], names: int) -> int:
    return max(map(width, aligned(_columns(rows, which), names)))


Table = tuple[tuple[str, ...], ...]


def first_that_fits(layouts: Iterable[Table], names: int, columns: int) -> Table:
    """The first layout, from the richest to the narrowest, whose lines fit under a title; the last where none does."""
    table: Table = ()
    for table in layouts:
        if max(map(width, aligned(table, names)), default=0) + len(GAP) <= columns:
            break
    return table


def wrapped(text: str, columns: int | None, indent: str = "", hanging: str = "  ") -> list[str]:
    """The text in lines of at most so many columns, broken between words; lines after the first hang by `hanging`.

    A word that is wider than the window is not cut.

    >>> wrapped("one two three", 9)
    ['one two', '  three']
    """
    if columns is None or width(indent + text) <= columns:
        return [indent + text]
    lines, line = [], indent
    for word in text.split():
        begun = line.strip()
        if begun and width(line) + 1 + width(word) > columns:
            lines.append(line)
            line = indent + hanging + word
        else:
            line = f"{line} {word}" if begun else line + word
    return [*lines, line]


def printable(text: str) -> str:
    """The text with control characters escaped: ids come from files and go to a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def width(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: a table (header first), lines, or both. `names`: columns that are text, from the left.

    A line may have others below it that belong to it: then it is a tuple.

    folded    a form that can fold shows the title alone at first
    code      the lines are code
    starred   values that end in `*` are the best of their column: a form may write them in bold instead
    """

    title: str
    lines: tuple[str | tuple[str, ...], ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    names: int = 1
    folded: bool = False
    code: bool = False
    starred: bool = False


def sections_text(parts: Sequence[Section], columns: int | None = None) -> str:
    """The sections as plain text, an empty line between them; it ends in a line end.

    columns   the width of the window that it shall fit; None for lines as long as they are
    """
    return "\n\n".join(part(section, columns) for section in parts) + "\n"


def part(section: Section, columns: int | None = None) -> str:
    """The section as plain text: its title, its table, its lines."""
    inside = None if columns is None else columns - len(GAP)
    table = fitted(section.table, section.names, inside) if section.table else []
    lines = []
    for line in section.lines:
        first, *below = (line,) if isinstance(line, str) else line
        lines += wrapped(printable(first), columns, GAP)
        for text in below:
            lines += wrapped(printable(text), columns, 3 * GAP)
    between = [""] if table and lines else []
    title = wrapped(printable(section.title), columns) if section.title else []
    return "\n".join([*title, *((GAP + line).rstrip() for line in table), *between, *lines])


PLACES = 4
UNDEFINED = "undefined"


def number(value: float, whole: bool = False) -> str:
    """The value as text. `whole` drops the decimals of a count; an expected count may still have some."""
    if math.isnan(value):
        return UNDEFINED
    if whole and value.is_integer():
        return str(int(value))
    return f"{value:.{PLACES}f}"


# A smaller p-value is written as "<0.0001": further digits depend on the method.
LEAST_P = 0.0001


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 page", "2 pages", "1,234 pages"; `many` is the plural where it is not `one` + "s".

    >>> counted(1, "page"), counted(0, "query", "queries"), counted(1234, "row")
    ('1 page', '0 queries', '1,234 rows')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


# How many names a line gives before it only counts.
NAMED = 5


def some(names: Sequence[str], most: int = NAMED) -> str:
    """The first few names, and how many more there are.

    >>> some(["q1", "q2", "q3"], 2)
    'q1, q2 and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def signed(value: float) -> str:
    """A difference with its sign; 0 has none, and neither has what rounds to it."""
    text = number(value)
    if text.strip("-0.") == "":
        return text.removeprefix("-")
    return text if value < 0 else f"+{text}"


def p_text(p: float | None) -> str:
    """A p-value as text; a word where there is none."""
    if p is None:
        return "none"
    return f"<{LEAST_P}" if p < LEAST_P else f"{p:.4f}"


def p_phrase(p: float) -> str:
    """ "p = 0.0312" or "p < 0.0001", for the middle of a sentence."""
    text = p_text(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def percent(level: float) -> str:
    """A confidence level as "95%"; never "100%" for one that is less.

    >>> percent(0.95), percent(0.999924), percent(1 - 3e-9)
    ('95%', '99.9924%', '99.9999997%')
    """
    text = f"{100 * level:.6g}%"
    return f"{100 * level:.14g}%" if text == "100%" and level < 1 else text


def verdict_word(direction: str) -> str:
    """The direction of a difference in words: records and JSON say "not shown" where people say "not significant".

    >>> verdict_word("better"), verdict_word("not shown")
    ('better', 'not significant')
    """
    return "not significant" if direction == "not shown" else direction


def confidence_interval(level: float, short: bool = False) -> str:
    """The name of an interval: "95% confidence interval", or "95% CI" for the header of a table."""
    return f"{percent(level)} {'CI' if short else 'confidence interval'}"


def interval(low: float, high: float) -> str:
    """Both ends with their signs; an infinite end is written in words."""
    if math.isinf(low) and math.isinf(high):
        return "no bound"
    if math.isinf(low):
        return f"at most {signed(high)}"
    if math.isinf(high):
        return f"at least {signed(low)}"
    return f"{signed(low)} to {signed(high)}"
