"""Large runs prepared for measuring: text, Parquet and JSON lines read in pieces, never whole in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import IO, Any

from rankproof.measuring.outofcore.budget import in_pieces, piece_bytes
from rankproof.measuring.outofcore.findings import Faulty, refuse_pieces
from rankproof.measuring.outofcore.join import join_pieces
from rankproof.measuring.outofcore.parts import Together
from rankproof.measuring.outofcore.pieces import TextPieces, Window, mapped, streamed
from rankproof.measuring.outofcore.row_pieces import RowPieces, every_row, join_in_order, ranked_ids, rows_of, sampled
from rankproof.measuring.prepare import PreparedQrels, PreparedRun
from rankproof.reading.collect import Planned, locate, plan, refuse_unknown
from rankproof.reading.description import order_of
from rankproof.reading.formats.contract import Options, Read
from rankproof.reading.records import ABSENT, By, Order, Run
from rankproof.reading.source import HEAD, Source, open_source
from rankproof.reading.stream import plain_stream
from rankproof.reading.unpack import packing_of

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
    from rankproof.measuring.join import name_of, trusted

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


_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def large_run(
    qrels: PreparedQrels,
    run: str | os.PathLike[str],
    budget: int,
    *,
    format: str | None,
    asked: By | None,
    threads: int,
    name: str | None,
    reading: dict[str, Any],
) -> PreparedRun | None:
    """The run prepared in pieces; None for what is small enough to be read at once, or cannot be read otherwise."""
    path = os.fspath(run)
    size, source = os.path.getsize(path), _beginning(path)
    if source is None:
        return None
    planned = plan(source, "run", format, **reading)
    packed = bool(source.notes)
    if planned is not None:
        if not in_pieces(size, "packed" if packed else "text", budget):
            return None
        return _of_text(qrels, planned, path, budget, asked, threads, name)
    _, form = locate(source, "run", format)
    if form.pieces is None or not in_pieces(size, "packed" if packed else "rows", budget):
        return None
    refuse_unknown(reading, form)
    return of_rows(qrels, form.pieces, path, source, budget, asked, name, reading)


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


def _of_text(
    qrels: PreparedQrels,
    planned: Planned,
    path: str,
    budget: int,
    asked: By | None,
    threads: int,
    name: str | None,
) -> PreparedRun:
    from rankproof.measuring.join import join_rows, name_of, trusted

    said = planned.description
    assert said.layout is not None  # a plan has one

    def opened() -> AbstractContextManager[Window]:
        return mapped(path) if planned.source.path is not None else streamed(path)

    pieces = TextPieces(opened, said.layout, piece_bytes(budget))

    def join(order: Order) -> Together:
        def joined(by_rows: bool) -> tuple[Together, frozenset[str]]:
            return join_pieces(
                pieces, qrels.judgments, order, budget,
                lambda rows: join_rows(qrels.judgments, rows, order), by_rows, threads,
            )  # fmt: skip

        found, scattered = joined(by_rows=False)
        if trusted(found):
            return found
        unjudged = () if found.in_run.any() else tuple(found.unjudged_queries)
        faulty = Faulty(said.source, order, said.shape, said.unit)
        refuse_pieces(pieces, faulty, qrels, scattered, unjudged, budget)
        return joined(by_rows=True)[0]

    return PreparedRun(
        qrels, join, lambda: every_row(pieces),
        own=said.order, asked=asked, name=name or name_of(path, said.source),
        some=lambda queries: rows_of(pieces, queries),
        sampled=lambda: sampled(pieces, qrels),
        ranked_ids=lambda order, depth, queries: ranked_ids(pieces, order, depth, queries),
    )  # fmt: skip
