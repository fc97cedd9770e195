"""Spans: ranges of text in source documents. Gold spans and retrieved chunks as columns, checked once.

A range is half-open: [start, end) holds the character (or token) at `start` and not the one at `end`. Columns are
NumPy arrays, so that ten million rows are no ten million objects.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError

Whole = NDArray[np.int64]
Unit = Literal["chars", "tokens"]

# No text is as long; sums of lengths below it stay exact as doubles.
LONGEST = 2**40
MOST_TEXT = 2**53


class Span(NamedTuple):
    """A range [start, end) of one document, with the grade that a gold span has."""

    doc_id: str
    start: int
    end: int
    grade: int = 1


@dataclass(frozen=True, eq=False)
class GoldSpans:
    """The ranges that answer each query: a row per span, as read. Overlaps are merged when they are measured.

    query_ids   every query, those without any span (no answer in the collection) among them
    query, doc  by row, the index into `query_ids` and `doc_ids`
    """

    query_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    query: Whole
    doc: Whole
    start: Whole
    end: Whole
    grade: Whole
    unit: Unit = "chars"
    name: str = "gold"

    def __len__(self) -> int:
        """Number of spans."""
        return len(self.query)

    def __repr__(self) -> str:
        return f"GoldSpans({self.name!r}, {len(self.query_ids):,} queries, {len(self):,} spans, in {self.unit})"

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of unit, queries, documents, ranges and grades: the same in every form and order of rows."""
        queries, docs = _ranks(self.query_ids), _ranks(self.doc_ids)
        columns = (queries[self.query], docs[self.doc], self.start, self.end, self.grade)
        turn = np.lexsort(columns[::-1])
        digest = hashlib.sha256(f"gold spans in {self.unit}\n".encode())
        for ids in (sorted(self.query_ids), sorted(self.doc_ids)):
            digest.update("".join(f"{len(text)}:{text}" for text in ids).encode("utf-8", "surrogatepass"))
        for column in columns:
            digest.update(np.ascontiguousarray(column[turn], dtype="<i8").tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class RetrievedChunks:
    """The chunks that a system retrieved, as ranges: rows go by query, within a query by rank.

    chunk_ids   the chunks' own ids, in the order of the rows; None where they have none
    """

    query_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    query: Whole
    doc: Whole
    start: Whole
    end: Whole
    chunk_ids: Sequence[str] | None = None
    unit: Unit = "chars"
    name: str = "chunks"

    def __len__(self) -> int:
        """Number of chunks."""
        return len(self.query)

    def __repr__(self) -> str:
        return f"RetrievedChunks({self.name!r}, {len(self.query_ids):,} queries, {len(self):,} chunks, in {self.unit})"

    def ids(self) -> list[str]:
        """The id of each chunk: its own, or its document and range."""
        if self.chunk_ids is not None:
            return list(self.chunk_ids)
        rows = zip(self.doc.tolist(), self.start.tolist(), self.end.tolist(), strict=True)
        return [f"{self.doc_ids[doc]}:{start}-{end}" for doc, start, end in rows]


def in_tokens(
    spans: GoldSpans | RetrievedChunks, offsets: Callable[[str], Whole]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and end of each row in tokens; `offsets` gives the characters where the tokens of a document start.

    A token counts where it starts: a range holds the tokens that start inside it, so that ranges side by side share
    none and lose none.
    """
    start, end = np.empty_like(spans.start), np.empty_like(spans.end)
    turn = np.argsort(spans.doc, kind="stable")
    heads = np.flatnonzero(np.diff(spans.doc[turn], prepend=-1))
    for head, tail in zip(heads.tolist(), [*heads[1:].tolist(), len(turn)], strict=True):
        rows = turn[head:tail]
        starts = offsets(spans.doc_ids[int(spans.doc[rows[0]])])
        start[rows] = np.searchsorted(starts, spans.start[rows], side="left")
        end[rows] = np.searchsorted(starts, spans.end[rows], side="left")
    return start, end


def gold_in_tokens(gold: GoldSpans, offsets: Callable[[str], Whole]) -> GoldSpans:
    """The same gold in tokens. A span in which no token starts is refused: nothing could find it."""
    start, end = in_tokens(gold, offsets)
    empty = np.flatnonzero(start == end)
    if len(empty):
        row = int(empty[0])
        raise InputError(
            f"{gold.name}, query {gold.query_ids[int(gold.query[row])]!r:.80}, document "
            f"{gold.doc_ids[int(gold.doc[row])]!r:.80}: no token starts in the span {gold.start[row]} to "
            f"{gold.end[row]}. Give a span that holds a token, or measure in characters."
        )
    return replace(gold, start=start, end=end, unit="tokens")


def chunks_in_tokens(chunks: RetrievedChunks, offsets: Callable[[str], Whole]) -> RetrievedChunks:
    """The same chunks in tokens; one in which no token starts has no length."""
    start, end = in_tokens(chunks, offsets)
    return replace(chunks, chunk_ids=chunks.ids(), start=start, end=end, unit="tokens")


def repeated_chunks(chunks: RetrievedChunks) -> tuple[int, str]:
    """How many chunks stand a second time for their query, and the query of the first such chunk."""
    columns = (chunks.end, chunks.start, chunks.doc, chunks.query)
    turn = np.lexsort(columns)
    same = np.ones(max(len(turn) - 1, 0), dtype=bool)
    for column in columns:
        same &= np.diff(column[turn]) == 0
    again = np.flatnonzero(same)
    return len(again), chunks.query_ids[int(chunks.query[turn[again[0]]])] if len(again) else ""


def refuse_bad_ranges(
    spans: GoldSpans | RetrievedChunks, lengths: Mapping[str, int] | None, row: Whole, noun: str = "row"
) -> None:
    """InputError for the first range that is reversed, empty, negative or past the end of its text.

    `lengths` are those of the documents, where they are known; `row` is each row's place in the input, from 1, and
    `noun` what it counts.
    """
    start, end = spans.start, spans.end
    limit = np.full(len(spans.doc_ids), LONGEST, dtype=np.int64)
    if lengths is not None:
        for at, doc in enumerate(spans.doc_ids):
            limit[at] = lengths.get(doc, -1)
    limits = limit[spans.doc]
    bad = np.flatnonzero((start < 0) | (end <= start) | (end > limits))
    if not len(bad):
        return
    first = int(bad[np.argmin(row[bad])])
    begin, stop, most = int(start[first]), int(end[first]), int(limits[first])
    doc = spans.doc_ids[int(spans.doc[first])]
    if most < 0:
        what = "is not among the texts that were given. Give the text of every document"
    elif begin < 0:
        what = f"has a span from {begin} to {stop}, and offsets count from 0. Give start and end from 0 on"
    elif stop <= begin:
        what = (
            f"has a span from {begin} to {stop}, which holds nothing: ranges are [start, end), so end must be greater"
        )
    elif lengths is None:
        what = f"has a span that ends at {stop}; no text is longer than {LONGEST}. Check the offsets"
    else:
        what = (
            f"has a span from {begin} to {stop} and is {most} {spans.unit} long. Check that offsets count "
            "characters (Unicode code points, not bytes) of this very text"
        )
    more = f" ({len(bad) - 1:,} more like this.)" if len(bad) > 1 else ""
    query = spans.query_ids[int(spans.query[first])]
    raise InputError(f"{spans.name}, {noun} {row[first]}, query {query!r:.80}: document {doc!r:.80} {what}.{more}")


def _ranks(ids: Sequence[str]) -> Whole:
    """For each id its place among the sorted ones."""
    place = np.empty(len(ids), dtype=np.int64)
    place[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return place
