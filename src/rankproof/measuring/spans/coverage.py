"""SpanTable: gold spans joined with the chunks of one system, and what of the gold the chunks up to a cutoff cover.

Every pair of query and document gets a stretch of one long line of whole numbers, so that ranges of different queries
or documents cannot meet. A set of ranges is then two sorted arrays, and how much of it lies before a point is one
binary search: all queries at once, in exact whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.measuring.judged_table import Memo
from rankproof.measuring.names import Budget
from rankproof.measuring.spans.records import MOST_TEXT, GoldSpans, RetrievedChunks, Whole


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Ranges on the line that do not overlap, sorted: [start, end) and the query that each belongs to."""

    start: Whole
    end: Whole
    query: Whole

    @property
    def length(self) -> Whole:
        """The length of each range."""
        return self.end - self.start

    def before(self, points: Whole) -> Whole:
        """How much of the ranges lies before each point."""
        upto = np.concatenate(([0], np.cumsum(self.length)))
        at = np.searchsorted(self.start, points, side="right")
        ends = np.concatenate(([0], self.end))  # the first stands for "no range before"
        beyond = np.where(at > 0, np.maximum(ends[at] - points, 0), 0)
        covered: Whole = upto[at] - beyond
        return covered

    def inside(self, start: Whole, end: Whole) -> Whole:
        """How much of the ranges lies in each [start, end)."""
        return self.before(end) - self.before(start)


def united(start: Whole, end: Whole, query: Whole) -> Ranges:
    """The ranges that these cover together: overlapping ones become one, empty ones none."""
    some = end > start
    start, end, query = start[some], end[some], query[some]
    turn = np.argsort(start, kind="stable")
    start, end, query = start[turn], end[turn], query[turn]
    reach = np.maximum.accumulate(end)
    heads = np.ones(len(start), dtype=bool)
    # Ranges that only touch stay two: of gold, they are two answers side by side.
    heads[1:] = start[1:] >= reach[:-1]
    first = np.flatnonzero(heads)
    last = np.append(first[1:], len(start)) - 1 if len(first) else first
    return Ranges(start[first], reach[last], query[first])


# Shares are compared as fractions: 0.55 of 100 characters is 55, and 55.00000000000001 as a product of doubles.
FINEST = 10**6


def reaches(part: Whole, whole: Whole, share: float) -> NDArray[np.bool_]:
    """Whether each part is at least this share of its whole; exact for shares of up to six decimal places."""
    fraction = Fraction(str(share)).limit_denominator(FINEST)
    enough: NDArray[np.bool_] = part * fraction.denominator >= whole * fraction.numerator
    return enough


@dataclass(frozen=True, slots=True, eq=False)
class ReadText:
    """What a reader of the chunks up to a cutoff has read; a value per query.

    chunks     how many chunks, the one that was cut among them
    units      how much text, a passage that was read twice counted twice
    distinct   how much different text
    covered    how much of the gold is in it, each piece once
    gold       how much gold there is
    found      by gold range (overlapping gold is one range): how much of it was read
    """

    chunks: Whole
    units: Whole
    distinct: Whole
    covered: Whole
    gold: Whole
    ranges: Ranges
    found: Whole


class SpanTable(Memo):
    """Gold and chunks on one line. Chunks of queries without gold have no place: nobody said what answers those."""

    def __init__(self, gold: GoldSpans, chunks: RetrievedChunks) -> None:
        super().__init__()
        self.query_ids = gold.query_ids
        self.unit = gold.unit
        known = {query: at for at, query in enumerate(gold.query_ids)}
        of_query = np.array([known.get(query, -1) for query in chunks.query_ids], dtype=np.int64)
        self.unjudged = tuple(query for query in chunks.query_ids if query not in known)
        self.in_run = np.zeros(len(known), dtype=bool)
        self.in_run[of_query[of_query >= 0]] = True
        docs = {doc: at for at, doc in enumerate(gold.doc_ids)}
        of_doc = np.array([docs.setdefault(doc, len(docs)) for doc in chunks.doc_ids], dtype=np.int64)
        query = of_query[chunks.query] if len(chunks) else chunks.query
        keep = query >= 0
        query = query[keep]
        # Rows go by query of the gold; within a query they keep their rank.
        turn = np.flatnonzero(keep)[np.argsort(query, kind="stable")]
        self.query: Whole = np.sort(query, kind="stable")
        start, end = chunks.start[turn], chunks.end[turn]
        pair = self.query * len(docs) + (of_doc[chunks.doc[turn]] if len(turn) else turn)
        gold_pair = gold.query * len(docs) + gold.doc
        base, place = _line(np.concatenate((gold_pair, pair)), np.concatenate((gold.end, end)))
        shift = base[place]
        self.gold_start: Whole = gold.start + shift[: len(gold)]
        self.gold_end: Whole = gold.end + shift[: len(gold)]
        self.gold_query, self.gold_grade = gold.query, gold.grade
        self.start: Whole = start + shift[len(gold) :]
        self.end: Whole = end + shift[len(gold) :]
        length = end - start
        upto = np.concatenate(([0], np.cumsum(length)))
        if upto[-1] > MOST_TEXT:
            raise InputError(
                f"{chunks.name}: the chunks are {upto[-1]:,} {self.unit} long together. Check the offsets."
            )
        size = np.bincount(self.query, minlength=len(known))
        head = np.concatenate(([0], np.cumsum(size)))[:-1]
        # Of each chunk: its rank, from 1, and how much text of its query stands above it.
        self.rank: Whole = np.arange(1, len(self.query) + 1) - head[self.query]
        self.above: Whole = upto[:-1] - upto[head][self.query]

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    def gold_ranges(self, rel: int) -> Ranges:
        """The gold of grade `rel` or more, overlaps merged: a character counts with the greatest grade it has."""

        def merge() -> Ranges:
            keep = self.gold_grade >= rel
            return united(self.gold_start[keep], self.gold_end[keep], self.gold_query[keep])

        return self.remember(("gold", rel), merge)

    def gold_units(self, rel: int) -> Whole:
        """How much gold each query has."""
        ranges = self.gold_ranges(rel)
        return self.remember(("gold units", rel), lambda: self.sum(ranges.query, ranges.length))

    def read(self, rel: int, at: int | None, whole: bool) -> ReadText:
        """What was read up to a rank, a budget of text, or the end."""

        def compute() -> ReadText:
            keep, end = self._taken(at, whole)
            query, start, end = self.query[keep], self.start[keep], end[keep]
            gold, text = self.gold_ranges(rel), united(start, end, query)
            found = text.inside(gold.start, gold.end)
            return ReadText(
                chunks=np.bincount(query, minlength=len(self)),
                units=self.sum(query, end - start),
                distinct=self.sum(text.query, text.length),
                covered=self.sum(gold.query, found),
                gold=self.gold_units(rel),
                ranges=gold,
                found=found,
            )

        return self.remember(("read", rel, str(at), whole), compute)

    def _taken(self, at: int | None, whole: bool) -> tuple[NDArray[np.bool_], Whole]:
        """Which chunks are read, and where each ends.

        A budget is filled in rank order. The chunk that crosses it is cut there and read from its start; with `whole`
        it is left out, and with it all that follow, as no reader skips a chunk to find one that fits.
        """
        if at is None:
            return np.ones(len(self.query), dtype=bool), self.end
        if not isinstance(at, Budget):
            return self.rank <= at, self.end
        room = int(at) - self.above
        length = self.end - self.start
        if whole:
            return length <= room, self.end
        return room > 0, self.start + np.minimum(length, np.maximum(room, 0))

    def sum(self, query: Whole, amounts: Whole) -> Whole:
        """The sum of amounts by query; exact, as all text together is below 2^53."""
        return np.bincount(query, weights=amounts, minlength=len(self)).astype(np.int64)


def _line(pair: Whole, end: Whole) -> tuple[Whole, Whole]:
    """Where the stretch of each different pair begins, and the place of each row's pair among them."""
    pairs, place = np.unique(pair, return_inverse=True)
    longest = np.zeros(len(pairs), dtype=np.int64)
    np.maximum.at(longest, place, end)
    begin = np.concatenate(([0], np.cumsum(longest)))
    if float(longest.sum(dtype=np.float64)) > MOST_TEXT:
        raise InputError("The documents together are longer than 2^53 characters or tokens. Check the offsets.")
    return begin[:-1], place
