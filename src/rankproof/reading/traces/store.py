"""Store: spans and searches on disk, in the order in which they are needed, so that memory does not grow with them.

One private database of SQLite without a name: it lies in the folder for temporary files, nobody else can open it, and
it ends with the process, as the query texts in it should.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from rankproof.errors import InputError
from rankproof.reading.opener import OPENER
from rankproof.reading.traces.records import Search, SpanRecord, TraceSpan

# Kibibytes of pages that SQLite keeps in memory, for the database and for each sort.
CACHE = 32 * 1024
# Rows that wait in memory to be written together.
BATCH = 2000
# Rows that are read together.
FETCHED = 200
# The longest trace, in spans, that is put together in memory.
LONGEST_TRACE = 250_000

_TABLES = """
CREATE TABLE span (
    row INTEGER PRIMARY KEY, trace TEXT, span TEXT, parent TEXT, role TEXT, text TEXT, query TEXT, session TEXT,
    user TEXT, source TEXT, start INTEGER, stop INTEGER, failed INTEGER, tokens REAL, docs TEXT, reason TEXT,
    mark INTEGER
);
CREATE TABLE search (
    number INTEGER PRIMARY KEY, unit TEXT, trace TEXT, session TEXT, source TEXT, query TEXT, text INTEGER,
    docs INTEGER, start INTEGER, ms REAL, failed INTEGER, reason TEXT
);
CREATE TABLE model (unit TEXT, start INTEGER, tokens REAL);
"""


@contextmanager
def on_disk() -> Iterator[None]:
    """Errors of the database become InputError: of all there are, a full disk is the one that happens."""
    try:
        yield
    except sqlite3.Error as error:
        raise InputError(
            f"The traces cannot be sorted on disk: {error}. Set TMPDIR to a folder with more room, about as much as "
            "the traces themselves have."
        ) from None


class TraceStore:
    """Spans as they were read, then searches as they were assembled."""

    def __init__(self) -> None:
        # A process with an opener has what it reads in memory already, and may write no file.
        place, sorts = (":memory:", "MEMORY") if OPENER else ("", "FILE")
        self._base = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
        for pragma in (f"cache_size = -{CACHE}", "journal_mode = OFF", "synchronous = OFF", f"temp_store = {sorts}"):
            self._base.execute(f"PRAGMA {pragma}")
        self._base.executescript(_TABLES)
        self._spans: list[tuple[object, ...]] = []
        self._searches: list[tuple[object, ...]] = []
        self._models: list[tuple[object, ...]] = []
        self._rows = 0

    def close(self) -> None:
        """Drops everything."""
        self._base.close()

    # ---- spans --------------------------------------------------------------------------------------

    def add(self, record: SpanRecord) -> None:
        """Keeps a span."""
        self._rows += 1
        ranking = record.ranking
        docs = None if ranking.docs is None else json.dumps(ranking.docs)
        text = record.text
        # Only compared with one another, and only now: hash() gives other numbers in another process.
        mark = hash((record.parent, text, docs, record.start, record.stop, record.failed))
        self._spans.append(
            (self._rows, record.trace, record.span, record.parent, record.role, text, record.query, record.session,
             record.user, record.source, record.start, record.stop, record.failed, record.tokens, docs,
             None if docs is not None else ranking.reason, mark)
        )  # fmt: skip
        if len(self._spans) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Writes what waits in memory."""
        with on_disk():
            for table, rows in (("span", self._spans), ("search", self._searches), ("model", self._models)):
                if rows:
                    marks = ", ".join("?" * len(rows[0]))
                    self._base.execute("BEGIN")
                    self._base.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
                    self._base.execute("COMMIT")
                    rows.clear()

    def traces(self) -> Iterator[tuple[str, Iterator[TraceSpan]]]:
        """The spans of each trace, wherever they stood; InputError for a trace that is too long for memory."""
        self.flush()
        rows = self._select(
            "SELECT trace, row, span, parent, role, query, session, source, start, stop, failed, tokens, reason, mark "
            "FROM span ORDER BY trace, row"
        )
        for trace, spans in groupby(rows, key=lambda row: row[0]):
            yield str(trace), _bounded(str(trace), spans)

    # ---- searches -----------------------------------------------------------------------------------

    def add_search(self, trace: str, unit: str, search: Search) -> None:
        """Keeps a search."""
        self._searches.append(
            (None, unit, trace, search.session, search.source, search.query, search.text, search.row, search.start,
             search.ms, search.failed, search.reason)
        )  # fmt: skip
        if len(self._searches) >= BATCH:
            self.flush()

    def add_models(self, unit: str, models: Sequence[tuple[int | None, float]]) -> None:
        """Keeps when models were called and what they took."""
        self._models += [(unit, start, tokens) for start, tokens in models]
        if len(self._models) >= BATCH:
            self.flush()

    def rows(self, query: str, values: Iterable[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that a query gives, one at a time."""
        self.flush()
        return self._select(query, tuple(values))

    def number(self, query: str, values: Iterable[object] = ()) -> int:
        """The one whole number that a query gives."""
        (value,) = next(self.rows(query, values))
        return int(value or 0)

    def execute(self, statement: str) -> None:
        """Changes or adds tables."""
        self.flush()
        with on_disk():
            self._base.execute(statement)

    def _select(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        with on_disk():
            cursor = self._base.execute(query, values)
        while True:
            # Nothing is yielded in here: whoever stops in the middle has no error of the database.
            with on_disk():
                rows = cursor.fetchmany(FETCHED)
            if not rows:
                return
            yield from rows


def _bounded(trace: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[TraceSpan]:
    for number, (_, *values) in enumerate(rows):
        if number == LONGEST_TRACE:
            raise InputError(
                f"Trace {trace!r:.80} has more than {LONGEST_TRACE:,} spans. Traces are put together one by one in "
                "memory: check that every request has a trace of its own."
            )
        yield TraceSpan(*values)
