"""Drawn: a specification as SVG or PNG, by vl-convert. Nothing is fetched and the same chart gives the same bytes."""

from __future__ import annotations

import re
from typing import Any

from rankproof.errors import MissingExtra
from rankproof.reports._charts.frame import Spec

_HEAD = re.compile(r'^<svg[^>]*? width="([\d.]+)" height="([\d.]+)"[^>]*>')
_TAG = re.compile(r"<[^<>]*>")
# Vega draws the ground and the frame of every group, also where both are invisible.
_EMPTY = re.compile(r'<path class="(?:background|foreground)"[^<>]*/>')
# What Vega says to screen readers of every mark: a page says it once, in the drawing's own label and its tables.
_SPOKEN = re.compile(
    r' (?:role|aria-roledescription|aria-hidden|pointer-events|class|font-family)="[^"]*"| (?:opacity|stroke-width)="1"'
)
_LABEL = re.compile(r' aria-label="([^"]*)"')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
# The prefix by which a chart's `description` says which row of the page's data a mark shows.
KEY = "row-"


def converter() -> Any:
    """The library, or an error that says how to install it."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("Drawing charts", "vl-convert-python", "report") from None
    return vl_convert


def to_svg(spec: Spec) -> str:
    """A whole SVG file."""
    text: str = converter().vegalite_to_svg(spec)
    return text + "\n"


def to_png(spec: Spec, scale: float = 2.0) -> bytes:
    """A PNG file, `scale` times as many pixels as the chart's own size: sharp on a screen and on paper."""
    made: bytes = converter().vegalite_to_png(spec, scale=scale)
    return made


def to_inline(spec: Spec, label: str = "") -> str:
    """An SVG element for the inside of a page: no fixed size, short numbers, one label for the whole drawing.

    Marks that were given a `description` of `KEY` and a number carry that number as `data-row`.
    """
    from html import escape

    text = converter().vegalite_to_svg(spec)
    head = _HEAD.match(text)
    assert head is not None, "vl-convert writes width and height first"
    body = _TAG.sub(lambda tag: _plain(tag[0]), _EMPTY.sub("", text[head.end() :]))
    spoken = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return f'<svg viewBox="0 0 {head[1]} {head[2]}" width="{head[1]}" height="{head[2]}" {spoken}>{body}'


def _plain(tag: str) -> str:
    """One tag without what only the file's own viewer needs. Text between tags is never touched: it is a name."""
    return _LONG_NUMBER.sub(_short, _SPOKEN.sub("", _LABEL.sub(_row, tag)))


def _row(label: re.Match[str]) -> str:
    """The row that a mark shows; Vega gives marks labels of its own, which are none."""
    number = label[1].removeprefix(KEY)
    return f' data-row="{number}"' if number != label[1] and number.isdecimal() else ""


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
