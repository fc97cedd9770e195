"""Logs as text: one line for each query, its pages parted by semicolons.

    q_region TAB r1,r2,...,r10 : c1 , c2; q_region TAB r1,...,r10 :; ...

The query is named by what stands before the tab, its region included: users of two regions see two rankings. Clicks are
ids of documents; a document that was clicked twice counts once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from itertools import chain

import numpy as np

from rankproof.errors import InputError, Unreadable
from rankproof.online.clicks.logs.builder import ClickLogBuilder
from rankproof.online.clicks.logs.page_parts import SHOWN, UNKNOWN, PageParts
from rankproof.online.impressions import CLICKED
from rankproof.reading.stream import plain_stream

PAGES_AT_ONCE = 20_000
_BEGINS = re.compile(rb"\s*[^\t\n;:]+\t[^\t\n;:]+:[^\t\n]*?(;|\n|$)")
Page = tuple[str, list[str], list[str]]


def is_text(head: bytes) -> bool:
    """Whether a file that begins so has this layout."""
    return _BEGINS.match(head) is not None


def read(path: str, into: ClickLogBuilder) -> None:
    """All pages of a file."""
    with plain_stream(path, path) as file:
        text = TextIOWrapper(file, encoding="utf-8-sig")
        try:
            read_lines(text, path, into)
        except UnicodeDecodeError as error:
            raise Unreadable(f"{path} is not UTF-8 text ({error.reason}). Write it anew as UTF-8.") from None
        finally:
            text.detach()


def read_lines(lines: Iterable[str], name: str, into: ClickLogBuilder) -> None:
    """All pages of some lines; `name` is what errors call them."""
    held: list[Page] = []
    for page in _pages(lines, name):
        held.append(page)
        if len(held) == PAGES_AT_ONCE:
            into.add(_part(held, into))
            held = []
    if held:
        into.add(_part(held, into))


def _pages(lines: Iterable[str], name: str) -> Iterator[Page]:
    number = 0
    for at, line in enumerate(lines, start=1):
        for page in line.split(";"):
            if page.strip():
                yield _parted(page, f"{name}, line {at}, page {number}")
                number += 1


def _parted(page: str, where: str) -> Page:
    """The query of a page, the documents by rank and the clicks."""
    query, tab, rest = page.strip().partition("\t")
    results, colon, clicks = rest.partition(":")
    shown = [doc.strip() for doc in results.split(",")]
    if not tab or not colon or not query.strip() or not all(shown):
        raise InputError(
            f"{where}: {page.strip()[:60]!r} is not a page. Write: query TAB document,document,... : clicked , clicked"
        )
    return query.strip(), shown, [doc for click in clicks.split(",") if (doc := click.strip())]


def _part(pages: list[Page], into: ClickLogBuilder) -> PageParts:
    shown, clicked = ([len(page[column]) for page in pages] for column in (1, 2))
    at = np.arange(len(pages), dtype=np.int32)
    total, clicks = sum(shown), sum(clicked)
    return PageParts(
        into.queries.numbers(query for query, _, _ in pages),
        np.concatenate([np.repeat(at, shown), np.repeat(at, clicked)]),
        into.docs.numbers(chain(*(docs for _, docs, _ in pages), *(docs for _, _, docs in pages))),
        np.concatenate(
            [*(np.arange(1, length + 1, dtype=np.int32) for length in shown), np.full(clicks, UNKNOWN, dtype=np.int32)]
        ),
        np.concatenate([np.full(total, SHOWN, dtype=np.uint8), np.full(clicks, CLICKED, dtype=np.uint8)]),
    )
