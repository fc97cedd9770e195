"""Figures of the page: a drawing for wide windows, one for phones, a caption, and what the pointer tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rankproof.records.jsontext import to_json
from rankproof.reports._charts.drawn import to_inline
from rankproof.reports._charts.frame import Look, Spec
from rankproof.reports._charts.palette import PAGE
from rankproof.reports._html.markup import Piece, Safe, made, tag

WIDE = Look(PAGE, 940, titled=False)
PHONE = replace(WIDE, width=344)


def figure(
    draw: Callable[[Look], Spec],
    label: str,
    caption: Piece,
    *,
    title: Piece = None,
    tips: Sequence[Sequence[str]] = (),
    along: str = "y",
    **attributes: str | int | bool | None,
) -> Safe:
    """A chart with its caption. `label` is what it shows, for those who do not see it.

    tips    for each row of the chart's data the lines shown at the pointer
    along   "y" for charts whose rows go down, "x" for those that go across
    """
    wide, phone = to_inline(draw(WIDE), label), to_inline(draw(PHONE), label)
    return tag(
        "figure",
        tag("h3", title) if title else None,
        tag("div", made(wide), class_="chart wide"),
        tag("div", made(phone), class_="chart phone"),
        tag("figcaption", caption) if caption else None,
        data_block("tips", [list(lines) for lines in tips]) if tips else None,
        data_along=along,
        **attributes,
    )


def data_block(kind: str, data: object) -> Safe:
    """Data for the page's script. No character in it can end the element or begin another one."""
    text = to_json(data)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return tag("script", made(text), type="application/json", class_=kind)
