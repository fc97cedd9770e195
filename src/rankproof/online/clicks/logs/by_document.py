"""Logs with one row for each document that was shown: query, document, rank, clicked, and what else is known.

The rows of a page have the same session, query and page id, wherever they stand. A log without page ids has the rows of
a page one after the other: a new page begins where session, query or time change, or where the rank does not rise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from operator import ne

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.online.clicks.logs.builder import ClickLogBuilder
from rankproof.online.clicks.logs.page_parts import SHOWN, Digests, Ids, Ints, PageParts, digests
from rankproof.online.clicks.logs.values import by_value, id_of, is_robot, rank_numbers, seconds
from rankproof.online.impressions import CLICKED, CONVERTED, STAYED, TIMED
from rankproof.reading.row_batches import RowBatch, stream

# Keys of pages without an id: no digest of an id begins so, but for one in 2 to the power of 64.
_SERIAL = np.uint64(1)


def read(path: str, columns: Mapping[str, str], into: ClickLogBuilder) -> None:
    """All rows of a file."""
    if "page" not in columns and "rank" not in columns:
        raise InputError(
            f"{path} has no column for the page and none for the rank, so pages cannot be told apart. Name one with "
            "--schema."
        )
    pages = _Pages(columns, into)
    for batch in stream(path, tuple(columns.values())):
        into.add(_part(batch, columns, pages, into))


class _Pages:
    """Where pages begin. Remembers the last row of the batch before, so that a page may go on in the next."""

    def __init__(self, columns: Mapping[str, str], into: ClickLogBuilder) -> None:
        self._columns, self._into = columns, into
        self._last: list[object] = [None, None, None]
        self._begun, self._rank = False, 0

    def begin(self, batch: RowBatch, ranks: NDArray[np.int32] | None) -> tuple[NDArray[np.int64], Digests]:
        """The rows at which pieces of pages begin, and their keys."""
        by_id = "page" in self._columns
        marks = [self._column(batch, role) for role in ("session", "query", "page" if by_id else "time")]
        new = np.zeros(len(batch), dtype=np.bool_)
        for column, last in zip(marks, self._last, strict=True):
            new |= np.fromiter(map(ne, column, chain((last,), column)), np.bool_, len(batch))
        if not by_id and ranks is not None:
            new |= np.diff(ranks, prepend=np.int32(self._rank)) <= 0
            self._rank = int(ranks[-1])
        self._last = [column[-1] for column in marks]
        new[0] |= not self._begun
        self._begun = True
        starts = np.flatnonzero(new | (np.arange(len(batch)) == 0))
        if by_id:
            return starts, digests("\0".join(str(column[at]) for column in marks) for at in starts.tolist())
        # The first row goes on with the page of the batch before, unless it begins a new one.
        serials = self._into.serial + np.cumsum(new[starts])
        self._into.serial = int(serials[-1])
        return starts, np.column_stack([np.full(len(serials), _SERIAL), serials.astype(np.uint64)])

    def _column(self, batch: RowBatch, role: str) -> Sequence[object]:
        return batch.values(self._columns[role]) if role in self._columns else [None] * len(batch)


def _part(batch: RowBatch, columns: Mapping[str, str], pages: _Pages, into: ClickLogBuilder) -> PageParts:
    ranks = None
    if "rank" in columns:
        name = columns["rank"]
        ranks = rank_numbers(
            np.array(by_value(batch, name, lambda some: some.numbers(name).tolist())), batch.where, name
        )
    starts, keys = pages.begin(batch, ranks)
    lengths = np.diff(starts, append=len(batch))
    piece = np.repeat(np.arange(len(starts), dtype=np.int32), lengths)
    if ranks is None:
        ranks = (np.arange(len(batch)) - np.repeat(starts, lengths) + 1).astype(np.int32)
    deeds = _deeds(batch, columns, into.stay)
    sessions = None
    if "session" in columns:
        session_ids = batch.values(columns["session"])
        sessions = digests(None if session_ids[at] is None else str(session_ids[at]) for at in starts.tolist())
    times = robots = timed = clicked_at = None
    if "time" in columns:
        when = batch.values(columns["time"])
        times = np.array([seconds(when[at], batch, at, columns["time"], into.time_units) for at in starts.tolist()])
    if "agent" in columns:
        agents = batch.values(columns["agent"])
        robots = np.array([is_robot(agents[at]) for at in starts.tolist()], dtype=np.bool_)
    if "click_time" in columns:
        when = batch.values(columns["click_time"])
        timed = np.flatnonzero(deeds & CLICKED)
        clicked_at = np.array(
            [seconds(when[at], batch, at, columns["click_time"], into.time_units) for at in timed.tolist()]
        )
    return PageParts(
        _ids(batch, columns["query"], into.queries)[starts],
        piece,
        _ids(batch, columns["doc"], into.docs),
        ranks,
        deeds,
        keys,
        sessions,
        times,
        robots,
        timed,
        clicked_at,
    )


def _deeds(batch: RowBatch, columns: Mapping[str, str], stay: float) -> NDArray[np.uint8]:
    """What was done with each row's document. An empty cell is no click, and a time that is not known."""
    clicked = _flags(batch, columns["clicked"])
    deeds = np.full(len(batch), SHOWN, dtype=np.uint8)
    deeds[clicked] |= CLICKED
    if "dwell" in columns:
        dwell = batch.numbers(columns["dwell"])
        wrong = np.flatnonzero(dwell < 0)
        if len(wrong):
            at = int(wrong[0])
            raise InputError(f"{batch.where(at)}: {columns['dwell']} must be 0 seconds or more; got {dwell[at]:g}.")
        deeds[clicked & ~np.isnan(dwell)] |= TIMED
        deeds[clicked & (dwell >= stay)] |= STAYED
    if "conversion" in columns:
        deeds[_flags(batch, columns["conversion"])] |= CONVERTED
    return deeds


def _flags(batch: RowBatch, name: str) -> NDArray[np.bool_]:
    return np.array(by_value(batch, name, lambda some: [flag is True for flag in some.flags(name)]), dtype=np.bool_)


def _ids(batch: RowBatch, name: str, known: Ids) -> Ints:
    column = batch.values(name)
    return known.of_values(column, lambda row: id_of(column[row], batch, row, name))
