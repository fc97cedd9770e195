"""Markdown: guidelines as a safe page. A small part of Markdown, and nothing of HTML.

Headings, paragraphs, lists (one inside another too), quotes, rules, blocks of code; in a line bold, italic, code and
links. Every character of the text is escaped before anything else, and only tags that stand in this file are ever
written: what looks like HTML is shown as it stands. Links go to http and https only, in a window of their own that does
not know where it was opened from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape

from rankproof.web.documents import link

DEEPEST = 4  # lists inside lists, and quotes inside quotes
_HEADING = re.compile(r"(#{1,4})[ \t]+(.+?)[ \t]*#*$")
_RULE = re.compile(r"[ ]{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_ITEM = re.compile(r"([ ]*)(?:([-*+])|(\d{1,9})[.)])[ \t]+(.*)$")
_FENCE = re.compile(r"[ ]{0,3}(```+|~~~+)")
_QUOTE = re.compile(r"[ ]{0,3}>[ ]?(.*)$")
# One of: an escaped character, code, a link, strong, emphasis. None of them reaches over another of its kind.
_INLINE = re.compile(
    r"\\([\\`*_{}\[\]()#+.!<>~-])"
    r"|(`{1,3})(.{1,1000}?)(?<!`)\2(?!`)"
    r"|\[([^\[\]\n]{1,500})\]\(([^()\s]{1,2000})\)"
    r"|<(https?://[^<>\s]{1,2000})>"
    r"|\*\*(?=\S)(.{1,2000}?)(?<=\S)\*\*"
    r"|(?<!\w)__(?=\S)(.{1,2000}?)(?<=\S)__(?!\w)"
    r"|\*(?=[^\s*])(.{1,1000}?)(?<=[^\s*])\*"
    r"|(?<!\w)_(?=[^\s_])(.{1,1000}?)(?<=[^\s_])_(?!\w)",
    re.DOTALL,
)


@lru_cache(maxsize=64)
def as_html(text: str) -> Markup:
    """A text in Markdown as HTML.

    >>> print(as_html("Be **strict**: <b>"))
    <p>Be <strong>strict</strong>: &lt;b&gt;</p>
    """
    return Markup("\n").join(_blocks(text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n"), 0))


@dataclass(slots=True)
class _Item:
    indent: int
    number: str
    lines: list[str]


def _blocks(lines: list[str], depth: int) -> Iterator[Markup]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif fence := _FENCE.match(line):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == fence[1]), len(lines))
            yield Markup("<pre><code>{}</code></pre>").format("\n".join(lines[at + 1 : end]))
            at = end + 1
        elif heading := _HEADING.match(line):
            level = min(len(heading[1]) + 2, 6)  # below the heading of the guidelines themselves
            yield Markup("<h{0}>{1}</h{0}>").format(level, _inline(heading[2]))
            at += 1
        elif _RULE.match(line):
            yield Markup("<hr>")
            at += 1
        elif depth < DEEPEST and _QUOTE.match(line):
            end = _end(lines, at, lambda one: _QUOTE.match(one) is not None)
            inner = [quoted[1] for one in lines[at:end] if (quoted := _QUOTE.match(one))]
            yield Markup("<blockquote>{}</blockquote>").format(Markup("\n").join(_blocks(inner, depth + 1)))
            at = end
        elif depth < DEEPEST and _ITEM.match(line):
            items, at = _items(lines, at)
            yield _list(items, depth)
        else:
            end = max(_end(lines, at, lambda one: bool(one.strip()) and not _begins(one)), at + 1)
            yield Markup("<p>{}</p>").format(_inline("\n".join(one.strip() for one in lines[at:end])))
            at = end


def _end(lines: list[str], at: int, holds: Callable[[str], bool]) -> int:
    """Where the lines for which something holds end."""
    return next((i for i in range(at, len(lines)) if not holds(lines[i])), len(lines))


def _begins(line: str) -> bool:
    """Whether something other than a paragraph begins here."""
    return any(pattern.match(line) for pattern in (_FENCE, _HEADING, _RULE, _QUOTE, _ITEM))


def _items(lines: list[str], at: int) -> tuple[list[_Item], int]:
    """The items of a list, each with its lines, and where the list ends."""
    items: list[_Item] = []
    while at < len(lines):
        found = _ITEM.match(lines[at])
        indent = len(lines[at]) - len(lines[at].lstrip())
        if found and _RULE.match(lines[at]):
            break
        if found and (not items or indent <= items[0].indent + 1):
            if items and bool(found[3]) != bool(items[0].number):
                break
            items.append(_Item(indent, found[3] or "", [found[4]]))
        elif not lines[at].strip():
            after = lines[at + 1] if at + 1 < len(lines) else ""
            if not after.strip() or not (after.startswith("  ") or _ITEM.match(after)):
                break
            items[-1].lines.append("")
        elif indent > items[0].indent + 1:
            items[-1].lines.append(lines[at][min(indent, items[0].indent + (3 if items[0].number else 2)) :])
        elif _begins(lines[at]):
            break
        else:
            items[-1].lines.append(lines[at].strip())
        at += 1
    return items, at


def _list(items: list[_Item], depth: int) -> Markup:
    inner = Markup("").join(Markup("<li>{}</li>").format(_item(item, depth)) for item in items)
    if not items[0].number:
        return Markup("<ul>{}</ul>").format(inner)
    first = int(items[0].number)
    return Markup('<ol start="{}">{}</ol>' if first != 1 else "<ol>{1}</ol>").format(first, inner)


def _item(item: _Item, depth: int) -> Markup:
    """An item as one line where it is one, as blocks where it has several."""
    plain = next((i for i, line in enumerate(item.lines) if not line.strip() or (i and _begins(line))), len(item.lines))
    head = _inline("\n".join(item.lines[:plain]))
    return Markup("\n").join([head, *_blocks(item.lines[plain:], depth + 1)])


def _inline(text: str, depth: int = 0) -> Markup:
    if depth > DEEPEST:
        return escape(text)
    made: list[Markup] = []
    end = 0
    for found in _INLINE.finditer(text):
        made += [escape(text[end : found.start()]), _span(found, depth)]
        end = found.end()
    return Markup("").join([*made, escape(text[end:])])


def _span(found: re.Match[str], depth: int) -> Markup:
    escaped, _, code, label, target, bare, stars, lines, star, under = found.groups()
    if escaped is not None:
        return escape(escaped)
    if code is not None:
        return Markup("<code>{}</code>").format(code.strip())
    if label is not None or bare is not None:
        address = link(target or bare)
        if not address:
            return escape(found[0])
        told = _inline(label, depth + 1) if label is not None else escape(bare)
        return Markup('<a href="{}" target="_blank" rel="noopener noreferrer nofollow">{}</a>').format(address, told)
    if stars is not None or lines is not None:
        return Markup("<strong>{}</strong>").format(_inline(stars if stars is not None else lines, depth + 1))
    return Markup("<em>{}</em>").format(_inline(star if star is not None else under, depth + 1))
