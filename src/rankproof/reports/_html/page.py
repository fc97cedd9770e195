"""Page: head, contents, sections and foot in one file that asks the network for nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from rankproof import __version__
from rankproof.reports._charts.palette import DARK, LIGHT, declarations
from rankproof.reports._html.markup import Piece, join, made, tag
from rankproof.reports._html.section import Section


def page(title: str, kind: str, head: Sequence[Piece], sections: Sequence[Section | None]) -> str:
    """The whole document. The same records give the same bytes: no time, no random name."""
    shown = [section for section in sections if section is not None]
    contents = tag("ul", *(tag("li", tag("a", s.title, href=f"#{s.key}")) for s in shown))
    style, script = _style(), _file("page.js")
    bar = tag(
        "div",
        tag("span", tag("b", "rankproof"), f" {kind}", class_="mark"),
        tag("button", "Dark", type="button", id="theme", hidden=True),
        class_="bar",
    )
    document = [
        made("<!doctype html>\n"),
        made('<html lang="en">\n'),
        tag(
            "head",
            tag("meta", charset="utf-8"),
            # The page cannot load or send anything, and runs no script but its own: names of runs are not trusted.
            tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("meta", name="generator", content=f"rankproof {__version__}"),
            tag("link", rel="icon", href="data:,"),
            tag("title", title),
            tag("style", made(style)),
        ),
        tag(
            "body",
            tag("a", "Skip to the differences", href=f"#{shown[0].key}", class_="skip") if shown else None,
            tag("header", bar, *head),
            tag("nav", contents, aria_label="Contents"),
            tag("main", *(section.html() for section in shown)),
            tag("footer", tag("p", f"Made by rankproof {__version__}. This file is complete: it loads nothing.")),
            tag("div", role="status", id="tip", hidden=True),
            tag("script", made(script)),
        ),
        made("</html>\n"),
    ]
    # Bytes that are no UTF-8 stand in a name as lone surrogates, which no encoding holds.
    return str(join(document)).encode("utf-8", "replace").decode("utf-8")


def _style() -> str:
    """The style sheet with the colors of both schemes; paper is always light."""
    dark = declarations(DARK)
    colors = (
        f":root{{{declarations(LIGHT)}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n"
    )
    return colors + _file("page.css")


def _file(name: str) -> str:
    return files("rankproof.reports._html").joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    )


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
