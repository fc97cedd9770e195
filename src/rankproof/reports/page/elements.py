"""Elements of the HTML page: escaped markup, signs and tones, sections, tables and figures."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from unicodedata import category

from rankproof.kernel.jsontext import to_json
from rankproof.kernel.sections import Section, printable
from rankproof.reports.charts.drawing import to_inline
from rankproof.reports.charts.frame import PAGE, ChartStyle
from rankproof.reports.charts.plot import Plot

_VOID = frozenset({"input", "link", "meta", "wbr"})


class Safe(str):
    """HTML that may stand in a page as it is. Only `tag`, `join` and `made` give one."""

    __slots__ = ()


Piece = str | None


def text(piece: Piece) -> Safe:
    """A text for the inside of an element: escaped, with control characters written out; None is nothing."""
    if piece is None:
        return Safe()
    if isinstance(piece, Safe):
        return piece
    return Safe(escape(readable(piece), quote=False))


def tag(name: str, /, *inside: Piece, **attributes: str | int | float | bool | None) -> Safe:
    """An element. A trailing underscore of an attribute is dropped, others become hyphens: `data_row`, `class_`.

    True writes the bare attribute; None and False leave it out.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_attribute(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Safe(f"<{name}{written}>")
    return Safe(f"<{name}{written}>{''.join(map(text, inside))}</{name}>")


def breakable(name: str) -> Safe:
    """A name that may go on in the next line after a separator: columns of long names stay narrow."""
    # After a point too, but not within a number.
    return join(re.split(r"(?<=[_/\\-])(?=.)|(?<=\.)(?=\D)", name), tag("wbr"))


def join(pieces: Iterable[Piece], between: str = "") -> Safe:
    """Pieces one after the other."""
    return Safe(text(between).join(map(text, pieces)))


def made(html: str) -> Safe:
    """HTML that is written and escaped already: a drawing, or a file of this package."""
    return Safe(html)


def minus(text: str) -> str:
    """The text with a true minus sign, which is as wide as the plus."""
    return text.replace("-", "−")


def minus_signs(sentence: str) -> str:
    """Hyphens before a number as minus signs; others belong to names."""
    return re.sub(r"(?<![\w-])-(?=\d)", "−", sentence)


def _attribute(value: str | int | float) -> str:
    return escape(readable(str(value)), quote=True)


# An id or a text beyond this is no name: it is cut, so that no input makes a page too heavy to open.
MOST_OF_A_NAME = 200


def short(name: str) -> str:
    """An id or a query's words as a page names it: control characters written out, cut where it is no name."""
    whole = readable(name)
    return whole if len(whole) <= MOST_OF_A_NAME else f"{whole[: MOST_OF_A_NAME - 1]}…"


def readable(text: str) -> str:
    """The text with control characters written out; spaces of all scripts and line ends do no harm in a page."""
    if text.isprintable():
        return text
    return "".join(c if c == "\n" or category(c) == "Zs" else printable(c) for c in text)


@dataclass(frozen=True, slots=True)
class PageSection:
    """`key` is its anchor, `title` its heading and its entry in the contents, `lede` the question it answers.

    folded    only heading and question are seen until a reader opens it; printing opens it
    """

    key: str
    title: str
    lede: Piece
    inside: tuple[Piece, ...]
    folded: bool = False

    def html(self) -> Safe:
        """The section element."""
        head = (
            tag("h2", self.title, id=f"{self.key}-title"),
            tag("p", self.lede, class_="lede") if self.lede else None,
        )
        inside: tuple[Piece, ...] = (*head, *self.inside)
        if self.folded:
            # Only phrasing and headings may stand in a summary.
            question = tag("span", self.lede, class_="lede") if self.lede else None
            inside = (tag("details", tag("summary", head[0], question), *self.inside, class_="part"),)
        return tag("section", *inside, id=self.key, aria_labelledby=f"{self.key}-title")


def fold(summary: str, *inside: Piece) -> Safe | None:
    """What a reader opens; nothing where there is nothing inside."""
    return tag("details", tag("summary", summary), *inside) if any(inside) else None


@dataclass(frozen=True, slots=True)
class Column:
    """A header. `kind`: "name", "words" and "label" are text to the left, "number" stands to the right."""

    title: str
    kind: str = "number"
    sort: str = ""  # "number" or "text" where a reader may sort by it


@dataclass(frozen=True, slots=True)
class PageCell:
    """What stands in a table. `value` is what it is sorted by where that is not its text."""

    inside: Piece
    value: float | str | None = None
    tone: str = ""


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[PageCell | Piece]],
    *,
    id_: str | None = None,
    class_: str | None = None,
    keys: Sequence[int] | None = None,
    sorted_by: tuple[int, str] | None = None,
) -> Safe:
    """A table in a frame of its own; on a phone each row is a card, whose lines are named by the columns.

    The first column names the rows.

    keys       a number for each row, as `data-key`: what scripts find it by
    sorted_by  column and direction ("ascending") that the rows are in
    """
    head = [
        tag(
            "th",
            tag("button", column.title, type="button") if column.sort else column.title,
            scope="col",
            class_=_class(column),
            data_sort=column.sort or None,
            aria_sort=_state(column, i, sorted_by),
        )
        for i, column in enumerate(columns)
    ]
    body = [
        tag("tr", *(_cell(column, i, cell) for i, (column, cell) in enumerate(zip(columns, row, strict=True))),
            data_key=keys[number] if keys is not None else None)
        for number, row in enumerate(rows)
    ]  # fmt: skip
    whole = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        id=id_,
        class_=class_,
    )
    return tag("div", whole, class_="scroll", tabindex=0, role="region", aria_label=f"Table: {caption}")


# Results of tests, as `verdict_word` has them, with the mark and the tone that they have on a page.
MARK = {"better": "▲ better", "worse": "▼ worse", "not significant": "not significant", "undecided": "undecided",
        "broken": "broken"}  # fmt: skip
TONE = {"better": "better", "worse": "worse"} | dict.fromkeys(("not significant", "undecided", "broken"), "open")


def section_table(section: Section, caption: str = "") -> Safe:
    """The table of a section; results of tests have their tone."""
    header, *rows = section.table
    columns = [Column(title, "name" if i < section.names else "number") for i, title in enumerate(header)]
    return table(caption or section.title, columns, [[_section_cell(text) for text in row] for row in rows])


def _section_cell(text: str) -> PageCell | str:
    return PageCell(MARK[text], tone=TONE[text]) if text in MARK else minus_signs(text)


def section_lines(section: Section) -> Safe:
    """The lines of a section as a list; what stands below a line goes on in it."""
    return bullets([minus_signs(line if isinstance(line, str) else ": ".join(line)) for line in section.lines], "fine")


def section_body(section: Section) -> tuple[Piece, ...]:
    """The table, where there is one, and the lines."""
    return (section_table(section) if section.table else None, section_lines(section))


def listed(pairs: Sequence[tuple[Piece, Piece]], class_: str = "facts") -> Safe:
    """Names and what they stand for."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs), class_=class_)


def bullets(lines: Sequence[Piece], class_: str | None = None) -> Safe:
    """A list of lines; nothing where there are none."""
    return tag("ul", *(tag("li", line) for line in lines), class_=class_) if lines else Safe()


def _cell(column: Column, number: int, cell: PageCell | Piece) -> Safe:
    content = cell if isinstance(cell, PageCell) else PageCell(cell)
    classes = " ".join(c for c in (_class(column), content.tone) if c)
    plain = column.kind == "name" and isinstance(content.inside, str) and not isinstance(content.inside, Safe)
    inside = breakable(str(content.inside)) if plain else text(content.inside)
    name, scope = ("th", "row") if number == 0 else ("td", None)
    label = column.title if number else None
    return tag(
        name, inside, scope=scope, class_=classes or None, data_label=label, data_value=_sorted_by(content.value)
    )


def _sorted_by(value: float | str | None) -> float | str | None:
    """What scripts sort by; what is no number has nothing, and comes last."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _class(column: Column) -> str:
    return {"number": "num", "name": "name", "words": "words", "label": "label"}[column.kind]


def _state(column: Column, number: int, by: tuple[int, str] | None) -> str | None:
    if not column.sort:
        return None
    return by[1] if by is not None and by[0] == number else "none"


def stacked(first: Piece, second: Piece) -> Safe:
    """A value with a smaller line below it."""
    return join([first, tag("small", second)]) if second else text(first)


WIDE = ChartStyle(PAGE, 940, titled=False)
PHONE = replace(WIDE, width=344)


def figure(
    draw: Callable[[ChartStyle], Plot],
    label: str,
    caption: Piece,
    *,
    title: Piece = None,
    tips: Sequence[Sequence[str]] = (),
    level: str = "h3",
    **attributes: str | int | bool | None,
) -> Safe:
    """A chart with its caption. `label` is what it shows, for those who do not see it.

    tips    for each row of the chart's data the lines shown at the pointer
    level   of the title among the headings
    """
    wide, phone = to_inline(draw(WIDE), label), to_inline(draw(PHONE), label)
    return tag(
        "figure",
        tag(level, title) if title else None,
        tag("div", made(wide), class_="chart wide"),
        tag("div", made(phone), class_="chart phone"),
        tag("figcaption", caption) if caption else None,
        data_block("tips", [list(lines) for lines in tips]) if tips else None,
        **attributes,
    )


def data_block(kind: str, data: object) -> Safe:
    """Data for the page's script. No character in it can end the element or begin another one."""
    text = to_json(data)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return tag("script", made(text), type="application/json", class_=kind)
