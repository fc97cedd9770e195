"""Relevance by overlap: which chunks are relevant, from gold spans and a threshold; and the ranking of chunk ids.

With both, every measure of documents works on chunks. Its values belong to one chunker: another one has other chunks,
and so other judgments. To compare chunkers, measure spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from rankproof.core import Rows
from rankproof.errors import InputError, UsageError
from rankproof.measuring.spans.coverage import Ranges, SpanTable, reaches
from rankproof.measuring.spans.read import read_chunks, read_gold
from rankproof.measuring.spans.records import GoldSpans, RetrievedChunks, Unit, Whole
from rankproof.reading.records import Qrels, Run

Of = Literal["gold", "chunk", "iou"]
# The one query under which a collection of chunks is read.
COLLECTION = "(the collection)"


def qrels_of_spans(
    gold: object, chunks: object, *, threshold: float = 0.5, of: Of = "gold", unit: Unit = "chars"
) -> Qrels:
    """Judgments of chunks: the greatest grade of a gold span that the chunk overlaps enough, and 0 where there is none.

    gold, chunks   as `rankproof.spans.evaluate` takes them. Chunks listed without queries are those of the collection:
                   then all chunks of a document with gold are judged, and recall knows what was missed. Of chunks by
                   query, those retrieved, only they are judged.
    threshold      the share from which on an overlap is enough
    of             of what: "gold", of one gold span (a long chunk has it easily); "chunk", of the chunk (a short one
                   has it easily); "iou", of both together

    Overlapping gold spans of one grade or more are one span.
    """
    if of not in get_args(Of):
        raise UsageError(f"An overlap is a share of 'gold', of 'chunk', or of both ('iou'); got {of!r:.40}.")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold <= 1:
        raise UsageError(f"The threshold of an overlap must be a number above 0 to 1; got {threshold!r:.40}.")
    spans = read_gold(gold, unit=unit)
    if isinstance(chunks, Sequence) and not isinstance(chunks, str | bytes):
        chunks = {COLLECTION: chunks}
        pairs = _with_gold(spans, read_chunks(chunks, unit=unit))
    else:
        pairs = _retrieved(spans, read_chunks(chunks, unit=unit))
    if spans.unit != pairs.unit:
        raise UsageError(f"{spans.name} is in {spans.unit} and {pairs.name} in {pairs.unit}. Give both in one unit.")
    grade = _grades(SpanTable(spans, pairs), float(threshold), of)
    if not len(pairs):
        raise InputError(
            "No chunk belongs to a query with gold: nothing can be judged. Check the query and document ids."
        )
    queries = [spans.query_ids[at] for at in pairs.query.tolist()]
    rows = Rows.from_columns(queries, pairs.ids(), grade.astype(np.float64))
    note = f"relevance by overlap: {threshold:g} or more of {'both together' if of == 'iou' else f'the {of}'}"
    return Qrels.of(rows, f"{spans.name} over {pairs.name}", (note,))


def run_of_chunks(chunks: object, *, unit: Unit = "chars") -> Run:
    """The ranking of the chunks by their ids, for measures of documents. A chunk may be retrieved once for a query."""
    from rankproof.reading.collect import read_run

    got = read_chunks(chunks, unit=unit)
    ranking: dict[str, dict[str, float]] = {}
    size = np.bincount(got.query, minlength=len(got.query_ids)).tolist()
    for query, chunk in zip(got.query.tolist(), got.ids(), strict=True):
        scores = ranking.setdefault(got.query_ids[query], {})
        if chunk in scores:
            raise InputError(
                f"{got.name}, query {got.query_ids[query]!r:.80}: the chunk {chunk!r:.80} was retrieved twice, which a "
                "measure of documents cannot tell. Keep one, or measure spans: SpanRedundancy counts it."
            )
        scores[chunk] = float(size[query] - len(scores))
    return read_run(ranking, name=got.name)


def _with_gold(gold: GoldSpans, chunks: RetrievedChunks) -> RetrievedChunks:
    """Each query with every chunk of the documents in which it has gold; rows by query."""
    docs = {doc: at for at, doc in enumerate(chunks.doc_ids)}
    seen = np.unique(np.stack((gold.query, gold.doc)), axis=1)
    here = np.array([docs.get(doc, -1) for doc in gold.doc_ids], dtype=np.int64)[seen[1]]
    query, here = seen[0][here >= 0], here[here >= 0]
    turn = np.argsort(chunks.doc, kind="stable")
    begin = np.searchsorted(chunks.doc[turn], here, side="left")
    size = np.searchsorted(chunks.doc[turn], here, side="right") - begin
    rows = turn[_expanded(begin, size)]
    return _picked(gold, chunks, np.repeat(query, size), rows)


def _retrieved(gold: GoldSpans, chunks: RetrievedChunks) -> RetrievedChunks:
    """The retrieved chunks of queries with a place in the gold, each once for a query."""
    known = {query: at for at, query in enumerate(gold.query_ids)}
    of_query = np.array([known.get(query, -1) for query in chunks.query_ids], dtype=np.int64)
    query = of_query[chunks.query] if len(chunks) else chunks.query
    rows = np.flatnonzero(query >= 0)
    return _picked(gold, chunks, query[rows], rows[np.argsort(query[rows], kind="stable")])


def _picked(gold: GoldSpans, chunks: RetrievedChunks, query: Whole, rows: Whole) -> RetrievedChunks:
    """Rows of chunks for queries of the gold; a chunk that stands twice for a query must have one range."""
    names = chunks.ids()
    query = np.sort(query, kind="stable")
    seen: dict[tuple[int, str], int] = {}
    first = []
    for at, (which, row) in enumerate(zip(query.tolist(), rows.tolist(), strict=True)):
        known = seen.setdefault((which, names[row]), row)
        if known == row:
            first.append(at)
        elif (chunks.doc[known], chunks.start[known], chunks.end[known]) != (
            chunks.doc[row],
            chunks.start[row],
            chunks.end[row],
        ):
            raise InputError(
                f"{chunks.name}: the chunk id {names[row]!r:.80} stands for two ranges. Give each its own id."
            )
    query, rows = query[first], rows[first]
    return RetrievedChunks(
        gold.query_ids, chunks.doc_ids, query, chunks.doc[rows], chunks.start[rows], chunks.end[rows],
        [names[row] for row in rows.tolist()], chunks.unit, chunks.name,
    )  # fmt: skip


def _grades(table: SpanTable, threshold: float, of: Of) -> Whole:
    """The grade of each chunk: from the least level to the greatest, the last one at which the overlap is enough."""
    grade = np.zeros(len(table.query), dtype=np.int64)
    for level in np.unique(table.gold_grade[table.gold_grade > 0]).tolist():
        grade[_overlaps(table, table.gold_ranges(level), threshold, of)] = level
    return grade


def _overlaps(table: SpanTable, gold: Ranges, threshold: float, of: Of) -> Whole:
    """The chunks that overlap the gold enough."""
    length = table.end - table.start
    if of == "chunk":
        held = gold.inside(table.start, table.end)
        return np.flatnonzero((held > 0) & reaches(held, length, threshold))
    # Every pair of a chunk and a gold range that it overlaps.
    begin = np.searchsorted(gold.end, table.start, side="right")
    size = np.maximum(np.searchsorted(gold.start, table.end, side="left") - begin, 0)
    chunk, span = np.repeat(np.arange(len(length)), size), _expanded(begin, size)
    common = np.minimum(table.end[chunk], gold.end[span]) - np.maximum(table.start[chunk], gold.start[span])
    whole = gold.length[span] if of == "gold" else gold.length[span] + length[chunk] - common
    return np.unique(chunk[reaches(common, whole, threshold)])


def _expanded(begin: Whole, size: Whole) -> Whole:
    """begin, begin + 1, ... of each stretch, one after the other."""
    head = np.cumsum(size) - size
    return np.repeat(begin - head, size) + np.arange(int(size.sum()))
