"""Collapse passages to documents by their ids, keeping the best passage; drop documents that are the query itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted
from rankproof.reading.records import Order

if TYPE_CHECKING:
    from rankproof.core import Rows


def document_of(pattern: str) -> Callable[[str], str | None]:
    """From a passage's id to its document's, or None where the pattern does not fit.

    A pattern with a group is a regular expression, matched from the beginning; the group is the document's
    id. Every other pattern is a separator: the document's id is what stands before its first occurrence.
    """
    if not pattern:
        raise UsageError("The pattern is empty. Give a separator such as '#', or a regular expression.")
    if "(" not in pattern:

        def before(passage: str) -> str | None:
            document, separator, _ = passage.partition(pattern)
            return document if separator and document else None

        return before
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"The pattern {pattern!r} is not a regular expression: {error}.") from None
    if expression.groups < 1:
        raise UsageError(f"The pattern {pattern!r} has no group. Put the document's id in brackets: '(.*)_[0-9]+'.")

    def matched(passage: str) -> str | None:
        match = expression.match(passage)
        return match[1] or None if match else None

    return matched


def collapse(rows: Rows, pattern: str, order: Order, source: str, by_label: bool = False) -> tuple[Rows, str]:
    """One row per document, its best passage in the given order, and a note with the numbers of rows.

    `by_label` keeps one row per document and label: the subtopics of qrels.
    """
    document = document_of(pattern)
    passages = rows.doc_ids()
    documents = [document(passage) for passage in passages]
    unmatched = documents.count(None)
    if passages and unmatched == len(passages):
        raise InputError(
            f"{source}: no document id fits the pattern {pattern!r}; the first is {passages[0]!r:.80}. "
            "Give a separator that is in the ids, or a regular expression with a group."
        )
    scored = bool(len(rows)) and bool((rows.state != rows.ABSENT).all())
    ranked = bool((rows.rank != -1).any())
    queries = rows.query_ids
    labels = rows.labels
    renamed = type(rows).from_columns(
        [queries[q] for q in rows.query.tolist()],
        [passage if new is None else new for passage, new in zip(passages, documents, strict=True)],
        rows.number.copy() if scored else None,
        rows.rank.copy() if ranked else None,
        [labels[i] if i >= 0 else "" for i in rows.label.tolist()] if labels else None,
        rows.line.copy(),
    )
    best_first = renamed.take(renamed.sorted(order.by, order.ties, order.precision, order.lower_is_better))
    again, _ = best_first.duplicates(labels=by_label)
    first_rows = best_first.take(np.setdiff1d(np.arange(len(best_first), dtype=np.int64), again))
    sizes = f"collapsed by {pattern!r}: {counted(len(rows), 'row')} to {len(first_rows):,}"
    note = f"{sizes}, the best passage of each document"
    if unmatched == 1:
        note += "; 1 row does not fit the pattern and kept its id"
    elif unmatched:
        note += f"; {unmatched:,} rows do not fit the pattern and kept their id"
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
