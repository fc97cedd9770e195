"""Small tables for a notebook's cell (HTML) and a console (rich). Every text is escaped: names come from files."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from rankproof.kernel.sections import aligned, printable, width

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

# No color of its own: text and lines take the page's, so light and dark notebooks both stay readable.
_BOX = "color:inherit;background:transparent;font-variant-numeric:tabular-nums"
_TABLE = "border-collapse:collapse;background:transparent;color:inherit;margin:0.3em 0"
_CELL = "padding:0.15em 0.9em;border-bottom:1px solid rgba(128,128,128,0.4);background:transparent"
_FINE = "font-size:0.85em;opacity:0.8;margin:0.3em 0 0;padding-left:1.2em"
# A notebook or a console is read at a glance: rows and notes beyond these are counted. Reports have them all.
MOST_ROWS = 30
MOST_NOTES = 12


def html_table(
    kind: str,
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str] = (),
    *,
    names: int = 1,
    below: str = "",
) -> str:
    """A table with a caption, notes and, `below`, HTML as it is; the first `names` columns are text, to the left."""
    sides = ["left" if at < names else "right" for at in range(max(map(len, (header, *rows)), default=0))]
    head = "".join(
        f'<th scope="col" style="{_CELL};text-align:{side}">{_text(cell)}</th>'
        for side, cell in zip(sides, header, strict=False)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{_CELL};text-align:{side}">{_text(cell)}</td>' for side, cell in zip(sides, row, strict=False)
        )
        + "</tr>"
        for row in few(rows, MOST_ROWS, len(header) or 2)
    )
    told = "".join(f"<li>{_text(note)}</li>" for (note,) in few([(note,) for note in notes], MOST_NOTES, 1))
    return (
        f'<div class="rankproof-{kind}" style="{_BOX}"><table style="{_TABLE}">'
        f'<caption style="text-align:left;color:inherit"><strong>{_text(title)}</strong></caption>'
        + (f"<thead><tr>{head}</tr></thead>" if header else "")
        + f"<tbody>{body}</tbody></table>"
        + (f'<ul style="{_FINE}">{told}</ul>' if told else "")
        + f"{below}</div>"
    )


class RichTable:
    """A table for a rich console: aligned columns where they fit, else a sentence for each row, so that nothing is cut.

    Texts are put in as texts: brackets in names are no markup.
    """

    __slots__ = ("header", "names", "notes", "rows", "title")

    def __init__(
        self,
        title: str,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        notes: Sequence[str] = (),
        *,
        names: int = 1,
    ) -> None:
        self.title = title
        self.header = header
        self.rows = rows
        self.notes = notes
        self.names = names

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        yield Text(printable(self.title), style="bold")
        rows = few(self.rows, MOST_ROWS, len(self.header))
        head, *lines = aligned([self.header, *rows], self.names)
        if max(map(width, (head, *lines))) <= options.max_width:
            yield Text(head, style="dim")
            yield from map(Text, lines)
        else:
            yield from (Text(printable(self._sentence(row))) for row in rows)
        for (note,) in few([(note,) for note in self.notes], MOST_NOTES, 1):
            yield Text(printable(note), style="dim")

    def _sentence(self, row: Sequence[str]) -> str:
        names, values = list(row[: self.names]), list(row[self.names :])
        if len(values) > 1:
            values = [f"{name} {value}" for name, value in zip(self.header[self.names :], values, strict=True) if value]
        told = ", ".join(values)
        return f"{' '.join(names)}: {told}" if told else " ".join(names)


def few(rows: Sequence[Sequence[str]], most: int, columns: int) -> list[Sequence[str]]:
    """The first rows, and one that counts the others."""
    if len(rows) <= most:
        return list(rows)
    return [*rows[:most], (f"and {len(rows) - most:,} more", *[""] * (columns - 1))]


def _text(text: str) -> str:
    return escape(printable(text))
