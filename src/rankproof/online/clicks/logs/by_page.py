"""Logs with one row for each page: its query, the list of its documents from the top, and what was clicked.

Clicks are ids of documents, or ranks from 1, or a flag for each document. Dwell is an object of seconds by document, or
a list beside the clicks (beside the documents where clicks are flags). Conversions are written as clicks are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.online.clicks.logs.builder import ClickLogBuilder
from rankproof.online.clicks.logs.layout import ClicksAre
from rankproof.online.clicks.logs.page_parts import SHOWN, UNKNOWN, Ints, PageParts, digests
from rankproof.online.clicks.logs.values import id_of, int_of, is_robot, listed, seconds
from rankproof.online.impressions import CLICKED, CONVERTED, STAYED, TIMED
from rankproof.reading.row_batches import RowBatch, stream

# A row holds a whole page: fewer rows at a time than where each is a document.
ROWS = 20_000


def read(path: str, columns: Mapping[str, str], clicks_are: ClicksAre | None, into: ClickLogBuilder) -> None:
    """All rows of a file."""
    for batch in stream(path, tuple(columns.values()), rows=ROWS):
        into.add(_part(batch, columns, clicks_are, into))


def _part(
    batch: RowBatch, columns: Mapping[str, str], clicks_are: ClicksAre | None, into: ClickLogBuilder
) -> PageParts:
    name = columns["docs"]
    docs = [listed(value, batch, row, name) for row, value in enumerate(batch.values(name))]
    lengths = [len(page) for page in docs]
    shown = np.repeat(np.arange(len(docs), dtype=np.int32), lengths)
    ranks = [np.arange(1, length + 1, dtype=np.int32) for length in lengths]
    acts = list(_acts(batch, columns, clicks_are, docs, into.stay))
    session, page, time, agent = (
        batch.values(columns[role]) if role in columns else None for role in ("session", "page", "time", "agent")
    )
    queries = batch.texts(columns["query"])
    keys = None
    if page is not None:
        who = session if session is not None else [None] * len(batch)
        keys = digests("\0".join(map(str, row)) for row in zip(who, queries, page, strict=True))
    return PageParts(
        into.queries.numbers(queries),
        np.concatenate([shown, np.array([row for row, _, _ in acts], dtype=np.int32)]),
        np.concatenate([_numbered(docs, shown, batch, name, into), into.docs.numbers(doc for _, doc, _ in acts)]),
        np.concatenate([*ranks, np.full(len(acts), UNKNOWN, dtype=np.int32)]),
        np.concatenate([np.full(len(shown), SHOWN, dtype=np.uint8), np.array([d for *_, d in acts], dtype=np.uint8)]),
        keys,
        None if session is None else digests(None if who is None else str(who) for who in session),
        None
        if time is None
        else np.array([seconds(at, batch, row, columns["time"], into.time_units) for row, at in enumerate(time)]),
        None if agent is None else np.array([is_robot(one) for one in agent], dtype=np.bool_),
    )


def _numbered(docs: Sequence[Sequence[object]], rows: Ints, batch: RowBatch, name: str, into: ClickLogBuilder) -> Ints:
    flat = list(chain.from_iterable(docs))
    return into.docs.of_values(flat, lambda at: id_of(flat[at], batch, int(rows[at]), name))


def _acts(
    batch: RowBatch,
    columns: Mapping[str, str],
    clicks_are: ClicksAre | None,
    docs: Sequence[Sequence[object]],
    stay: float,
) -> Iterator[tuple[int, str, int]]:
    """Row, document and deeds of each click and each conversion."""
    dwells = batch.values(columns["dwell"]) if "dwell" in columns else [None] * len(batch)
    for row, doc, at, items in _named(batch, columns["clicks"], clicks_are, docs):
        yield row, doc, CLICKED | _stayed(_dwell(dwells[row], doc, at, items, batch, row, columns), stay)
    if "conversion" in columns:
        for row, doc, _, _ in _named(batch, columns["conversion"], clicks_are, docs):
            yield row, doc, CONVERTED


def _named(
    batch: RowBatch, name: str, clicks_are: ClicksAre | None, docs: Sequence[Sequence[object]]
) -> Iterator[tuple[int, str, int, int]]:
    """Each document that the lists of a column name: its row and id, its place in the list, and the list's length."""
    for row, value in enumerate(batch.values(name)):
        items = listed(value, batch, row, name)
        if not items:
            continue
        kind = clicks_are or ("flags" if all(isinstance(item, bool) for item in items) else "ids")
        page = docs[row]
        if kind == "flags" and len(items) != len(page):
            raise InputError(
                f"{batch.where(row)}: {name} has {counted(len(items), 'flag')} for {counted(len(page), 'document')}. "
                "Give one for each."
            )
        for at, item in enumerate(items):
            if kind == "ids":
                yield row, id_of(item, batch, row, name), at, len(items)
            elif kind == "ranks":
                yield row, _at_rank(item, page, batch, row, name), at, len(items)
            elif item in (True, 1, "1"):
                yield row, id_of(page[at], batch, row, name), at, len(items)


def _at_rank(item: object, page: Sequence[object], batch: RowBatch, row: int, name: str) -> str:
    rank = int_of(item)
    if rank is None:
        raise InputError(f"{batch.where(row)}: {name} holds ranks, whole numbers from 1; got {item!r:.60}.")
    # A rank that the page has not got is no document of it: the name cannot be an id.
    return id_of(page[rank - 1], batch, row, name) if 1 <= rank <= len(page) else f"\0rank {rank}"


def _dwell(
    value: object, doc: str, at: int, expected: int, batch: RowBatch, row: int, columns: Mapping[str, str]
) -> float | None:
    """The seconds on a clicked document; None where they are not known."""
    if value is None or value == "":
        return None
    if isinstance(value, dict):
        seconds_spent = value.get(doc)
    elif isinstance(value, list | tuple | np.ndarray) and len(value) == expected:
        seconds_spent = value[at]
    else:
        raise InputError(
            f"{batch.where(row)}: {columns['dwell']} is an object of seconds by document, or a list beside the clicks; "
            f"got {value!r:.60}."
        )
    if seconds_spent is None:
        return None
    if (
        not isinstance(seconds_spent, int | float | np.number)
        or isinstance(seconds_spent, bool)
        or not 0 <= seconds_spent < float("inf")
    ):
        raise InputError(
            f"{batch.where(row)}: {columns['dwell']} must be 0 seconds or more; got {seconds_spent!r:.60}."
        )
    return float(seconds_spent)


def _stayed(dwell: float | None, stay: float) -> int:
    return 0 if dwell is None else TIMED | (STAYED if dwell >= stay else 0)
