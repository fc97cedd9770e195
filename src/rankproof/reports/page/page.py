"""The page: head, contents, sections, fine print and manifest in one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from importlib.resources import files

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import percent
from rankproof.kernel.version import __version__
from rankproof.proving.records import Comparison
from rankproof.proving.sections import item_title
from rankproof.reports.charts.frame import DARK, LIGHT, declarations
from rankproof.reports.page.elements import PageSection, Piece, Safe, bullets, join, listed, made, tag, text


def page(title: str, kind: str, head: Sequence[Piece], sections: Sequence[PageSection | None]) -> str:
    """The whole document. The same records give the same bytes: no time, no random name."""
    present = [section for section in sections if section is not None]
    contents = tag("ul", *(tag("li", tag("a", s.title, href=f"#{s.key}")) for s in present))
    style, script = _style(), _script()
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
            tag("a", f"Skip to {present[0].title}", href=f"#{present[0].key}", class_="skip") if present else None,
            tag("header", bar, *head),
            tag("nav", contents, aria_label="Contents"),
            tag("main", *(section.html() for section in present)),
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


# Joined into one script in this order: each names only what stands before it, or what runs later.
SCRIPTS = ("base.js", "tables.js", "side_by_side.js", "queries.js", "charts.js")


def _script() -> str:
    """The scripts of the page in one scope of their own."""
    return '"use strict";\n(() => {\n' + "".join(map(_file, SCRIPTS)) + "})();\n"


def _file(name: str) -> str:
    return files("rankproof.reports.page").joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    )


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


def fine_print(comparison: Comparison) -> PageSection:
    """Method, family, and the lines of the comparison."""
    method = item_title("significance", comparison.significance)
    corrected = item_title("corrections", comparison.correction)
    answers = [c.difference for c in comparison.contrasts if isinstance(c.difference, Estimate)]
    resamples = [a.resamples for a in answers if a.resamples is not None]
    drawn = [f"resamples: {max(resamples):,}"] if resamples else []
    lines = [
        f"method: {method}, {percent(comparison.level)} confidence intervals by the same method",
        f"family: {comparison.family}, {corrected}",
        *drawn,
        f"seed: {comparison.seed}",
        *comparison.fine_print,
    ]
    return lines_section(lines)


def lines_section(lines: Sequence[str]) -> PageSection:
    """Fine print as a list."""
    return PageSection("fine-print", "Fine print", None, (bullets(list(lines), "fine"),))


def manifest(fields: Mapping[str, object]) -> PageSection:
    """Hashes, versions and seed; the version of rankproof where no manifest was made."""
    apart = ("observed", "results")  # the page itself has the results
    recorded = {key: value for key, value in fields.items() if key not in apart} or {"rankproof": __version__}
    return PageSection("manifest", "Manifest", "What it takes to get the same numbers again.", (_nested(recorded),))


def _nested(value: object) -> Safe:
    if isinstance(value, Mapping | list | tuple) and not value:
        return text("none")
    if isinstance(value, Mapping):
        return listed([(str(key), _nested(inner)) for key, inner in value.items()], "manifest")
    if isinstance(value, str | bool | int | float) or value is None:
        return _plain(value)
    if not isinstance(value, list | tuple):
        return text(str(value))
    if all(isinstance(inner, str | int | float) for inner in value):
        return join(map(_plain, value), ", ")
    return tag("ul", *(tag("li", _nested(inner)) for inner in value), class_="plain")


def _plain(value: object) -> Safe:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return text("none")
    if isinstance(value, bool):
        return text("yes" if value else "no")
    written = str(value)
    looks_like_hash = len(written) >= 32 and written.isalnum()
    return tag("code", written) if looks_like_hash else text(written)
