"""Tables of the page: a caption, headers with scope, numbers that line up; headers of a sortable one are buttons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reports._html.markup import Piece, Safe, breakable, join, tag, text


@dataclass(frozen=True, slots=True)
class Column:
    """A header. `kind`: "name", "words" and "label" are text to the left, "number" stands to the right."""

    title: str
    kind: str = "number"
    sort: str = ""  # "number" or "text" where a reader may sort by it


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a table. `value` is what it is sorted by where that is not its text."""

    inside: Piece
    value: float | str | None = None
    tone: str = ""


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell | Piece]],
    *,
    id_: str | None = None,
    class_: str | None = None,
    keys: Sequence[int] | None = None,
    sorted_by: tuple[int, str] | None = None,
) -> Safe:
    """A table in a frame that scrolls by itself where the window is narrow. The first column names the rows.

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
    return tag("div", whole, class_="scroll", tabindex=0, role="region", aria_label=caption)


def listed(pairs: Sequence[tuple[Piece, Piece]], class_: str = "facts") -> Safe:
    """Names and what they stand for."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs), class_=class_)


def bullets(lines: Sequence[Piece], class_: str | None = None) -> Safe:
    """A list of lines; nothing where there are none."""
    return tag("ul", *(tag("li", line) for line in lines), class_=class_) if lines else Safe()


def _cell(column: Column, number: int, cell: Cell | Piece) -> Safe:
    found = cell if isinstance(cell, Cell) else Cell(cell)
    classes = " ".join(c for c in (_class(column), found.tone) if c)
    plain = column.kind == "name" and isinstance(found.inside, str) and not isinstance(found.inside, Safe)
    inside = breakable(str(found.inside)) if plain else text(found.inside)
    name, scope = ("th", "row") if number == 0 else ("td", None)
    return tag(name, inside, scope=scope, class_=classes or None, data_value=_sorted_by(found.value))


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
