"""Collapse chunks to documents, keeping the best chunk of each; drop documents that are the query itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankproof.kernel.sections import counted
from rankproof.reading.chunk_map import chunk_map
from rankproof.reading.formats.contract import Collapse
from rankproof.reading.records import Order

if TYPE_CHECKING:
    from rankproof.core import Rows


def collapse(rows: Rows, what: Collapse, order: Order, source: str, by_label: bool = False) -> tuple[Rows, str]:
    """One row per document, its best chunk in the given order, and a note with the numbers of rows.

    `by_label` keeps one row per document and label: the subtopics of qrels.
    """
    by = chunk_map(what)
    chunks = rows.doc_ids()
    documents = by.documents(chunks, source)
    staying = [i for i, document in enumerate(documents) if document is not None]
    kept = rows if len(staying) == len(documents) else rows.take(np.array(staying, dtype=np.int64))
    scored = bool(len(kept)) and bool((kept.state != kept.ABSENT).all())
    ranked = bool((kept.rank != -1).any())
    queries, labels = kept.query_ids, kept.labels
    renamed = type(rows).from_columns(
        [queries[q] for q in kept.query.tolist()],
        [document for document in documents if document is not None],
        kept.number.copy() if scored else None,
        kept.rank.copy() if ranked else None,
        [labels[i] if i >= 0 else "" for i in kept.label.tolist()] if labels else None,
        kept.line.copy(),
    )
    best_first = renamed.take(renamed.sorted(order.by, order.ties, order.precision, order.lower_is_better))
    again, _ = best_first.duplicates(labels=by_label)
    first_rows = best_first.take(np.setdiff1d(np.arange(len(best_first), dtype=np.int64), again))
    best = "the best chunk of each document" if not by_label else "the best grade of each document"
    note = f"collapsed by {by.name}: {counted(len(rows), 'row')} to {len(first_rows):,}, {best}"
    without = sum(by(chunk) is None for chunk in chunks)
    if without:
        fate = (
            "left out"
            if by.unmapped == "drop"
            else "kept under its own id"
            if without == 1
            else "kept under their own ids"
        )
        note += f"; {counted(without, 'row')} without a document {'is' if without == 1 else 'are'} {fate}"
    lost = len(rows.query_ids) - len(first_rows.query_ids)
    if lost:
        note += f"; {counted(lost, 'query', 'queries')} {'has' if lost == 1 else 'have'} nothing left"
    if len(chunks) > 1 and len(set(documents)) == 1:
        note += f"; all belong to one document, {documents[0]!r:.80}"
    return first_rows, note


def without_repeats(rows: Rows, by_label: bool = False) -> tuple[Rows, str]:
    """The first row of each document (and label), where checks let the same document pass twice."""
    again, _ = rows.duplicates(labels=by_label)
    if not len(again):
        return rows, ""
    first_rows = rows.take(np.setdiff1d(np.arange(len(rows), dtype=np.int64), again))
    repeats = "row that repeats a document is" if len(again) == 1 else "rows that repeat a document are"
    return first_rows, f"{len(again):,} {repeats} left out; the first counts"


def drop_self(rows: Rows) -> tuple[Rows, str]:
    """Without the documents whose id is the query's own, as collections of duplicate questions need it."""
    queries = rows.query_ids
    own = [doc == queries[q] for doc, q in zip(rows.doc_ids(), rows.query.tolist(), strict=True)]
    others = np.flatnonzero(~np.array(own, dtype=bool)).astype(np.int64)
    dropped = len(rows) - len(others)
    return (
        rows.take(others) if dropped else rows
    ), f"dropped {counted(dropped, 'document')} whose id is the query's own"
