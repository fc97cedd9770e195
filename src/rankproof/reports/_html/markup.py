"""Markup: HTML in which every text is escaped unless this module made it. Names and ids come from files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from unicodedata import category

from rankproof.reports._align import printable

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
    return Safe(escape(_readable(piece), quote=False))


def tag(name: str, /, *inside: Piece, **attributes: str | int | float | bool | None) -> Safe:
    """An element. A trailing underscore of an attribute is dropped, others become hyphens: `data_row`, `class_`.

    True writes the bare attribute; None and False leave it out.
    """
    said = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_attribute(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Safe(f"<{name}{said}>")
    return Safe(f"<{name}{said}>{''.join(map(text, inside))}</{name}>")


def breakable(name: str) -> Safe:
    """A name that may go on in the next line after a separator: columns of long names stay narrow."""
    # After a point too, but not within a number.
    return join(re.split(r"(?<=[_/\\-])(?=.)|(?<=\.)(?=\D)", name), tag("wbr"))


def join(pieces: Iterable[Piece], between: str = "") -> Safe:
    """Pieces one after the other."""
    return Safe(text(between).join(map(text, pieces)))


def made(html: str) -> Safe:
    """HTML that another library wrote and escaped, or a file of this package."""
    return Safe(html)


def _attribute(value: str | int | float) -> str:
    return escape(_readable(str(value)), quote=True)


def _readable(said: str) -> str:
    """The text with control characters written out; spaces of all scripts and line ends do no harm in a page."""
    if said.isprintable():
        return said
    return "".join(c if c == "\n" or category(c) == "Zs" else printable(c) for c in said)
