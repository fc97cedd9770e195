"""Reading pages: a text with one line for each query, its pages parted by semicolons.

    q_region TAB r1,r2,...,r10 : c1 , c2; q_region TAB r1,...,r10 :; ...

The query is named by what stands before the tab, its region included: users of two regions see two rankings. Clicks are
ids of documents; a document that was clicked twice counts once.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np

from rankproof.errors import InputError, Unreadable
from rankproof.records.impressions import Impressions

REPEATED = "clicks on a document that was clicked already"
NOT_SHOWN = "clicks on a document that was not shown"
TWICE = "pages with a document twice"


def read_pages(path: Path) -> Impressions:
    """The pages of a file, in its order, with counts of what was dropped."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}") from None
    return pages_of_text(text, str(path))


def pages_of_text(text: str, name: str = "text") -> Impressions:
    """The same of a text; `name` is what errors call it."""
    queries: dict[str, int] = {}
    docs: dict[str, int] = {}
    dropped = {REPEATED: 0, NOT_SHOWN: 0, TWICE: 0}
    of: list[int] = []
    shown: list[list[int]] = []
    clicked: list[list[int]] = []
    numbers: list[int] = []
    pages = (
        (line_number, page)
        for line_number, line in enumerate(text.splitlines(), start=1)
        for page in line.split(";")
        if page.strip()
    )
    for number, (line_number, page) in enumerate(pages):
        query, results, clicks = _parted(page, f"{name}, line {line_number}, page {number}")
        ranks = {doc: rank for rank, doc in enumerate(results)}
        if len(ranks) < len(results):
            dropped[TWICE] += 1
            continue
        known = [ranks[doc] for doc in clicks if doc in ranks]
        dropped[NOT_SHOWN] += len(clicks) - len(known)
        dropped[REPEATED] += len(known) - len(set(known))
        of.append(queries.setdefault(query, len(queries)))
        shown.append([docs.setdefault(doc, len(docs)) for doc in results])
        clicked.append(known)
        numbers.append(number)
    if not shown:
        raise InputError(f"{name} has no page. A page is written: query TAB document,document,... : clicked , clicked;")
    lengths = np.array([len(page) for page in shown])
    at = np.zeros((len(shown), lengths.max()), dtype=np.int64)
    at[np.arange(at.shape[1]) < lengths[:, None]] = list(chain.from_iterable(shown))
    clicks_at = np.zeros(at.shape, dtype=np.bool_)
    clicks_at[np.repeat(np.arange(len(shown)), [len(c) for c in clicked]), list(chain.from_iterable(clicked))] = True
    return Impressions.of(
        tuple(queries), tuple(docs), np.array(of), at, lengths, clicks_at, numbers=np.array(numbers), dropped=dropped
    )


def _parted(page: str, where: str) -> tuple[str, list[str], list[str]]:
    """The query of a page, the documents by rank and the clicks."""
    query, tab, rest = page.strip().partition("\t")
    results, colon, clicks = rest.partition(":")
    shown = [doc.strip() for doc in results.split(",")]
    if not tab or not colon or not query.strip() or not all(shown):
        raise InputError(
            f"{where}: {page.strip()[:60]!r} is no page. Write: query TAB document,document,... : clicked , clicked"
        )
    return query.strip(), shown, [doc for click in clicks.split(",") if (doc := click.strip())]
