"""Sections: parts of an answer that every form of report can show; text tables, and numbers as text.

The one place where a number becomes text for reading. Data forms (JSON, CSV, Arrow) keep full precision.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

GAP = "  "


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


def sections_text(parts: Sequence[Section]) -> str:
    """The sections as plain text, an empty line between them; it ends in a line end."""
    return "\n\n".join(map(part, parts)) + "\n"


def part(section: Section) -> str:
    """The section as plain text: its title, its table, its lines."""
    table = aligned(section.table, section.names) if section.table else []
    lines = []
    for line in section.lines:
        first, *below = (line,) if isinstance(line, str) else line
        lines += [f"  {printable(first)}", *(f"      {printable(text)}" for text in below)]
    between = [""] if table and lines else []
    return "\n".join([printable(section.title), *(f"  {line}" for line in table), *between, *lines])


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
