"""Preparing in pieces: a run in a large file, ready to be measured like any other, never whole in memory.

What needs every row at once still reads every row: passages collapsed to documents, faults that are allowed, the
document of the query itself dropped, and the hash of the run's content.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any

from rankproof.flow.collect import Planned, locate, plan, refuse_unknown
from rankproof.flow.outofcore.budget import in_pieces, piece_bytes
from rankproof.flow.outofcore.findings import Faulty, refuse_pieces
from rankproof.flow.outofcore.joining import join_pieces
from rankproof.flow.outofcore.ofrows import of_rows
from rankproof.flow.outofcore.parts import Together
from rankproof.flow.outofcore.pieces import TextPieces, Window
from rankproof.flow.outofcore.some import every_row, ranked_ids, rows_of, sampled
from rankproof.flow.outofcore.windows import mapped, streamed
from rankproof.flow.prepared import PreparedQrels, PreparedRun
from rankproof.flow.source import open_source
from rankproof.flow.unpack import packing_of
from rankproof.flow.unpackstream import plain_stream
from rankproof.records.order import By, Order
from rankproof.records.source import HEAD, Source

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
    from rankproof.flow.joining import join_rows, name_of, trusted

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
