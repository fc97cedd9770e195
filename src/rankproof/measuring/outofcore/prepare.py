"""Large runs: text, Parquet and JSON lines as sources that are read in pieces, never whole in memory.

What needs every row at once still reads every row: passages collapsed to documents, faults that are allowed, the
document of the query itself dropped, and the hash of the run's content.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING, Any

from rankproof.core import Rows, TextFile
from rankproof.measuring.outofcore.findings import Faulty, refuse_pieces
from rankproof.measuring.outofcore.join import join_pieces
from rankproof.measuring.outofcore.parts import Together
from rankproof.measuring.outofcore.pieces import FileWindow, TextPieces, Window, streamed
from rankproof.measuring.outofcore.row_pieces import RowPieces, every_row, join_in_order, ranked_ids, rows_of, sampled
from rankproof.measuring.run_sources import (
    RankedIds,
    column_notes,
    faultless,
    in_pieces,
    join_rows,
    name_of,
    piece_bytes,
)
from rankproof.reading.collect import Planned, locate, plan, refuse_unknown
from rankproof.reading.detect import SourceDescription
from rankproof.reading.formats.contract import Options, Read
from rankproof.reading.records import ABSENT, Order, Run, order_of
from rankproof.reading.source import HEAD, Source, open_source, packing_of
from rankproof.reading.stream import plain_stream

if TYPE_CHECKING:
    from rankproof.measuring.prepare import PreparedQrels

# About how many bytes a row takes while it is gathered.
ROW_BYTES = 256
ReadPieces = Callable[[IO[bytes], str, Options, int], Iterator[Read]]
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


@dataclass(eq=False)
class LargeTextRun:
    """A run in a large text, read window by window."""

    pieces: TextPieces
    description: SourceDescription
    name: str
    budget: int
    threads: int
    notes: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        self.own, self.notes = self.description.order, column_notes(self.description)

    def join(self, qrels: PreparedQrels, order: Order) -> Together:
        """From the bytes of each piece; by rows where the core counts a fault."""
        joined, scattered = self._joined(qrels, order, by_rows=False)
        if faultless(joined):
            return joined
        description = self.description
        unjudged = () if joined.in_run.any() else tuple(joined.unjudged_queries)
        faulty = Faulty(description.source, order, description.shape, description.unit)
        refuse_pieces(self.pieces, faulty, qrels, scattered, unjudged, self.budget)
        return self._joined(qrels, order, by_rows=True)[0]

    def _joined(self, qrels: PreparedQrels, order: Order, by_rows: bool) -> tuple[Together, frozenset[str]]:
        return join_pieces(
            self.pieces, qrels.judgments, order, self.budget,
            lambda rows: join_rows(qrels.judgments, rows, order), by_rows, self.threads,
        )  # fmt: skip

    def rows(self) -> Rows:
        """All rows at once, for callers that need them."""
        return every_row(self.pieces)

    def rows_of(self, queries: Collection[str]) -> Rows:
        """The rows of some queries."""
        return rows_of(self.pieces, queries)

    def sample(self, qrels: PreparedQrels) -> Rows | None:
        """Rows spread over the whole run; None where a judged document is among them."""
        return sampled(self.pieces, qrels)

    def ranked_ids(self, order: Order, depth: int | None, queries: Collection[str] | None) -> RankedIds | None:
        """From the bytes, piece by piece."""
        return ranked_ids(self.pieces, order, depth, queries)


@dataclass(eq=False)
class LargeRowsRun:
    """A run in a large file of a format that makes rows itself, read some rows at a time.

    gathered   notes of the format, as the pieces are read
    """

    pieces: RowPieces
    own: Order
    name: str
    budget: int
    source: Source
    faulty: Faulty
    gathered: dict[str, None]
    notes: tuple[str, ...] = field(default=())

    def join(self, qrels: PreparedQrels, order: Order) -> Together:
        """Each piece put in its own order, then joined."""
        joined, scattered = join_pieces(
            self.pieces, qrels.judgments, order, self.budget,
            lambda rows: join_in_order(qrels.judgments, rows, self.own, order), False, 1,
        )  # fmt: skip
        if not faultless(joined):
            unjudged = () if joined.in_run.any() else tuple(joined.unjudged_queries)
            refuse_pieces(self.pieces, self.faulty, qrels, scattered, unjudged, self.budget)
        self.notes = tuple(dict.fromkeys((*self.source.notes, *self.gathered)))
        return replace(joined, tag=_tag(self.pieces)) if scattered else joined

    def rows(self) -> Rows:
        """All rows at once, in the order of a Run, for callers that need them."""
        return Run.of(every_row(self.pieces), self.own).rows

    def rows_of(self, queries: Collection[str]) -> Rows:
        """The rows of some queries."""
        return Run.of(rows_of(self.pieces, queries), self.own).rows

    def sample(self, qrels: PreparedQrels) -> Rows | None:
        """Rows spread over the whole run; None where a judged document is among them."""
        return sampled(replace(self.pieces, in_order=True), qrels)

    def ranked_ids(self, order: Order, depth: int | None, queries: Collection[str] | None) -> RankedIds | None:
        """None: only rows have the ids."""
        return None


LargeRun = LargeTextRun | LargeRowsRun


def large_run(
    run: str | os.PathLike[str], budget: int, *, format: str | None, threads: int, reading: dict[str, Any]
) -> LargeRun | None:
    """A source read in pieces; None for what is small enough to be read at once, or cannot be read in pieces."""
    path = os.fspath(run)
    size, source = os.path.getsize(path), _beginning(path)
    if source is None:
        return None
    planned = plan(source, "run", format, **reading)
    packed = bool(source.notes)
    if planned is not None:
        if not in_pieces(size, "packed" if packed else "text", budget):
            return None
        return _of_text(planned, path, budget, threads)
    _, form = locate(source, "run", format, reading.get("columns"))
    if form.pieces is None or not in_pieces(size, "packed" if packed else "rows", budget):
        return None
    refuse_unknown(reading, form)
    return of_rows(form.pieces, path, source, budget, reading)


def _beginning(path: str) -> Source | None:
    """The source of a large file, as far as its format can be seen; None for what cannot be read in pieces."""
    with open(path, "rb") as file:
        packing = packing_of(file.read(16))
    if packing is None:
        source = open_source(path)
        return None if source.path is None else source  # what had to be decoded is in memory already
    with plain_stream(path, path) as stream:
        head = stream.read(HEAD + 1)
    if packing_of(head[:16]) is not None or head.startswith(_WIDE) or not head.strip():
        return None
    return Source(path, head.removeprefix(b"\xef\xbb\xbf"), (f"decompressed ({packing})",))


def _of_text(planned: Planned, path: str, budget: int, threads: int) -> LargeTextRun:
    description = planned.description
    assert description.layout is not None  # a plan has one

    known = TextFile(path)

    def opened() -> AbstractContextManager[Window]:
        return streamed(known) if planned.source.path is None else nullcontext(FileWindow(known))

    pieces = TextPieces(opened, description.layout, piece_bytes(budget))
    return LargeTextRun(pieces, description, name_of(path, description.source), budget, threads)


def of_rows(read: ReadPieces, path: str, source: Source, budget: int, reading: dict[str, Any]) -> LargeRowsRun | None:
    """The source of a run whose format makes rows itself; None for one without rows."""
    size = max(1, piece_bytes(budget) // ROW_BYTES)
    gathered: dict[str, None] = {}
    known = TextFile(path)

    def opened() -> Iterator[Read]:
        with plain_stream(path, path) as file:
            for piece in read(file, path, reading, size):
                gathered.update(dict.fromkeys(piece.notes))
                yield piece
        known.check()

    first = next(opened(), None)
    if first is None or not len(first.rows):
        return None
    scored, ranked = bool((first.rows.state != ABSENT).any()), bool((first.rows.rank != -1).any())
    own = order_of(path, scored, ranked, first.lower_is_better, reading)
    faulty = Faulty(path, own, unit=first.unit)
    return LargeRowsRun(RowPieces(opened, own), own, name_of(path, path), budget, source, faulty, gathered)


def _tag(pieces: RowPieces) -> str:
    """The tag of the last row in the order of a Run: that of the query which appears last for the first time."""
    seen: dict[str, None] = {}
    for piece in pieces.read():
        seen.update(dict.fromkeys(piece.rows().query_ids))
    rows = Run.of(rows_of(pieces, [next(reversed(seen))]), pieces.own).rows
    return rows.labels[rows.label[-1]] if rows.label[-1] >= 0 else ""
