"""Runs of rows in pieces: Parquet and JSON lines, ready to be measured without ever being whole in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO, Any

from rankproof.flow.description import order_of
from rankproof.flow.outofcore.budget import piece_bytes
from rankproof.flow.outofcore.findings import Faulty, refuse_pieces
from rankproof.flow.outofcore.joining import join_pieces
from rankproof.flow.outofcore.parts import Together
from rankproof.flow.outofcore.rowpieces import RowPieces, join_in_order
from rankproof.flow.outofcore.some import every_row, rows_of, sampled
from rankproof.flow.prepared import PreparedQrels, PreparedRun
from rankproof.flow.unpackstream import plain_stream
from rankproof.formats._contract import Options, Read
from rankproof.records.order import By, Order
from rankproof.records.run import ABSENT, Run
from rankproof.records.source import Source

# What a row takes while it is gathered, about.
ROW_BYTES = 256
ReadPieces = Callable[[IO[bytes], str, Options, int], Iterator[Read]]


def of_rows(
    qrels: PreparedQrels,
    read: ReadPieces,
    path: str,
    source: Source,
    budget: int,
    asked: By | None,
    name: str | None,
    reading: dict[str, Any],
) -> PreparedRun | None:
    """The run prepared in pieces; None for one without rows."""
    from rankproof.flow.joining import name_of, trusted

    size = max(1, piece_bytes(budget) // ROW_BYTES)

    noted: dict[str, None] = {}

    def opened() -> Iterator[Read]:
        with plain_stream(path, path) as file:
            for piece in read(file, path, reading, size):
                noted.update(dict.fromkeys(piece.notes))
                yield piece

    first = next(opened(), None)
    if first is None or not len(first.rows):
        return None
    scored, ranked = bool((first.rows.state != ABSENT).any()), bool((first.rows.rank != -1).any())
    own = order_of(path, scored, ranked, first.lower_is_better, reading)
    pieces = RowPieces(opened, own)
    faulty = Faulty(path, own, unit=first.unit)

    def join(order: Order) -> Together:
        found, scattered = join_pieces(
            pieces, qrels.judgments, order, budget,
            lambda rows: join_in_order(qrels.judgments, rows, own, order), False, 1,
        )  # fmt: skip
        if not trusted(found):
            unjudged = () if found.in_run.any() else tuple(found.unjudged_queries)
            refuse_pieces(pieces, faulty, qrels, scattered, unjudged, budget)
        run.notes = tuple(dict.fromkeys((*source.notes, *noted, *run.notes)))
        return replace(found, tag=_tag(pieces)) if scattered else found

    run = PreparedRun(
        qrels, join, lambda: Run.of(every_row(pieces), own).rows,
        own=own, asked=asked, name=name or name_of(path, path),
        some=lambda queries: Run.of(rows_of(pieces, queries), own).rows,
        sampled=lambda: sampled(replace(pieces, in_order=True), qrels),
    )  # fmt: skip
    return run


def _tag(pieces: RowPieces) -> str:
    """The tag of the last row in the order of a Run: that of the query which appears last for the first time."""
    seen: dict[str, None] = {}
    for piece in pieces.read():
        seen.update(dict.fromkeys(piece.rows().query_ids))
    rows = Run.of(rows_of(pieces, [next(reversed(seen))]), pieces.own).rows
    return rows.labels[rows.label[-1]] if rows.label[-1] >= 0 else ""
