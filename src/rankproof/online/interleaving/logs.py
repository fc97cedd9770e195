"""Logs: pages that were shown and what was clicked on them, from tables of events.

A row is a page that was shown, a click, or both. `key` ties them together: it is the key the list was made with, and a
page is one key, however often it was loaded. Files and rows may come in any order.

    key         of the page; required
    unit        the user or the session that counts once; without that column each page is its own
    query_id    needed where lists are made anew
    shown       a page: what InterleavedList.to_dict gave, or its documents alone; in CSV as JSON text
    doc_id      a click: the document
    dwell       seconds spent on it; empty where nobody knows
    converted   whether the click led to a conversion
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rankproof.errors import InputError
from rankproof.online.interleaving.records import ClickedDocument, InterleavedList
from rankproof.reading.row_batches import RowBatch, stream

Value = TypeVar("Value")
# Lists are large: batches are smaller than those of other tables.
ROWS = 10_000


@dataclass(frozen=True, slots=True)
class InterleavingColumns:
    """What the columns of a log are called."""

    key: str = "key"
    unit: str = "unit"
    query: str = "query_id"
    shown: str = "shown"
    doc: str = "doc_id"
    dwell: str = "dwell"
    converted: str = "converted"


@dataclass(slots=True)
class LoggedPage:
    """All that the log says about one key.

    shown     the list with its credits; None where the log does not have it
    docs      the documents alone, where the log has only these
    changed   whether two different lists were shown
    """

    place: str
    unit: str | None = None
    query: str | None = None
    shown: InterleavedList | None = None
    docs: tuple[str, ...] | None = None
    changed: bool = False
    touches: list[ClickedDocument] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class InterleavingLog:
    """The pages of a log by their key, and whether it has a column of units."""

    pages: dict[str, LoggedPage]
    rows: int
    clicks: int
    units: bool


def read_logs(paths: Sequence[str], columns: InterleavingColumns | None = None) -> InterleavingLog:
    """Every page of one or several files."""
    named = columns or InterleavingColumns()
    optional = (named.unit, named.query, named.shown, named.doc, named.dwell, named.converted)
    reader = _LogReader(named)
    for path in paths:
        for batch in stream(path, (named.key,), optional, rows=ROWS):
            reader.take(batch)
    if not reader.rows:
        raise InputError(f"{', '.join(paths)}: there are no rows in it. Check that it is the right file.")
    return InterleavingLog(reader.pages, reader.rows, reader.clicks, reader.units)


class _LogReader:
    def __init__(self, columns: InterleavingColumns) -> None:
        self.columns = columns
        self.pages: dict[str, LoggedPage] = {}
        self.rows = self.clicks = 0
        self.units = False
        # A text or a credit that comes in many lists is stored once.
        self._once: dict[Any, Any] = {}

    def take(self, batch: RowBatch) -> None:
        """The rows of one batch."""
        named = self.columns
        keys = batch.texts(named.key)
        self.rows += len(keys)
        units, queries, docs = (self._optional(batch, name) for name in (named.unit, named.query, named.doc))
        dwells = batch.numbers(named.dwell).tolist() if batch.has(named.dwell) else None
        converted = batch.flags(named.converted) if batch.has(named.converted) else None
        shown = batch.values(named.shown) if batch.has(named.shown) else None
        for row, key in enumerate(keys):
            page = self.pages.get(key)
            if page is None:
                page = self.pages[key] = LoggedPage(batch.where(row))
            if units is not None and units[row] is not None:
                self.units = True
                page.unit = self._same(page.unit, units[row], "unit", key, batch, row)
            if queries is not None and queries[row] is not None:
                page.query = self._same(page.query, queries[row], "query", key, batch, row)
            if shown is not None and shown[row] is not None:
                self._list(page, shown[row], batch, row)
            if docs is not None and (doc := docs[row]) is not None:
                dwell = None if dwells is None or math.isnan(dwells[row]) else dwells[row]
                if dwell is not None and dwell < 0:
                    raise InputError(f"{batch.where(row)}: {named.dwell} must be 0 seconds or more; got {dwell:g}.")
                self.clicks += 1
                page.touches.append(ClickedDocument(self._kept(doc), dwell, bool(converted and converted[row])))

    def _optional(self, batch: RowBatch, name: str) -> list[str | None] | None:
        """A column of ids in which some are missing."""
        if not batch.has(name):
            return None
        return [None if value is None or value == "" else str(value) for value in batch.values(name)]

    def _same(self, before: str | None, now: str | None, what: str, key: str, batch: RowBatch, row: int) -> str | None:
        """What is known of a key; an error where two rows contradict each other."""
        if before is not None and before != now:
            raise InputError(
                f"{batch.where(row)}: key {key!r} has {what} {now!r} here and {before!r} before. A key names one page: "
                "make it of the session and the query."
            )
        return self._kept(now)

    def _list(self, page: LoggedPage, value: object, batch: RowBatch, row: int) -> None:
        """Notes the list, and whether it differs from the one before."""
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                raise InputError(
                    f"{batch.where(row)}: {self.columns.shown} is not JSON: {value!r:.60}. Log what "
                    "InterleavedList.to_dict gives."
                ) from None
        if isinstance(value, dict):
            try:
                interleaved = self._lean(InterleavedList.from_dict(value))
            except InputError as error:
                raise InputError(f"{batch.where(row)}: {error}") from None
            page.changed |= page.shown is not None and page.shown != interleaved
            page.shown = interleaved
        elif isinstance(value, list) and all(isinstance(doc, str) for doc in value):
            docs: tuple[str, ...] = tuple(self._kept(doc) for doc in value)
            page.changed |= page.docs is not None and page.docs != docs
            page.docs = docs
        else:
            raise InputError(
                f"{batch.where(row)}: {self.columns.shown} must be what InterleavedList.to_dict gives, or a list of "
                f"documents; got {value!r:.60}."
            )

    def _lean(self, shown: InterleavedList) -> InterleavedList:
        return InterleavedList(
            self._kept(shown.method),
            self._kept(shown.systems),
            tuple(self._kept(doc) for doc in shown.docs),
            self._kept(tuple(self._kept(credit) for credit in shown.credits)),
            self._kept(shown.teams),
            shown.credited,
        )

    def _kept(self, value: Value) -> Value:
        same: Value = self._once.setdefault(value, value)
        return same
