"""Content hashes of judgments and runs that were joined, and of files: what tells whether two results share inputs.

Three numbers, each SHA-256:

    grades    the best grade of each document: what measures without subtopics see
    content   queries, documents, grades and subtopics, or documents in order with their scores: the same in every
              format, and the same as `Qrels.content_hash` and `Run.content_hash`
    file      the bytes of a file as given, compressed or not

Grades and content are one and the same where qrels have no subtopics.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import compress
from typing import TypeGuard

import numpy as np

from rankproof.core import Judgments, Rows
from rankproof.errors import InputError, Unreadable
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.run_sources import join_rows
from rankproof.reading.opener import OPENER
from rankproof.reading.records import Order, Qrels, Run


def hash_of_grades(judgments: Judgments) -> str:
    """The hash of the judgments that runs were joined with, not of their source, which may have changed since."""
    ids = judgments.query_ids
    queries = [ids[q] for q in np.repeat(np.arange(len(ids)), np.diff(judgments.start)).tolist()]
    grades = judgments.grade.astype(np.float64)
    return Qrels(
        Rows.from_columns(queries, judgments.doc_ids(), grades), without_documents=_without_documents(judgments)
    ).content_hash


def _without_documents(judgments: Judgments) -> tuple[str, ...]:
    """The judged queries that name no document, which rows cannot hold."""
    return tuple(compress(judgments.query_ids, (np.diff(judgments.start) == 0).tolist()))


def hash_of_rows(rows: Callable[[], Rows], judgments: Judgments, name: str) -> str:
    """The hash of the rows, which include subtopics; refused when they are no longer those of the judgments."""
    from rankproof.reading.collapse import without_repeats

    read = rows()
    grades, empty = hash_of_grades(judgments), _without_documents(judgments)
    settled = Qrels.of(without_repeats(read, by_label=True)[0], without_documents=empty)
    if hash_of_grades(settled.judgments()) != grades:
        raise _changed(name)
    return settled.content_hash if settled.has_subtopics else grades


def hash_of_run(rows: Rows, own: Order, tables: Mapping[Order, JudgedTable], judgments: Judgments, name: str) -> str:
    """The hash of the rows as measured: after passages were collapsed, or the query's own document was dropped.

    Refused when they no longer give the tables that were measured.
    """
    for order, table in tables.items():
        joined = join_rows(judgments, rows, order)
        if not (np.array_equal(joined.doc, table.doc) and np.array_equal(joined.rank, table.rank)):
            raise _changed(name)
    return Run.of(rows, own).content_hash


def file_hash(path: str | os.PathLike[str]) -> str:
    """The hash of a file's bytes."""
    from hashlib import file_digest, sha256

    if OPENER:
        return sha256(OPENER[0].read(os.fspath(path))).hexdigest()
    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise Unreadable(f"{path}: there is no such file. Check the path.") from None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from None


def is_plain_file(what: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a value is the path of a file that can be read again, and not a pipe, a stream or an object."""
    return isinstance(what, str | os.PathLike) and os.path.isfile(what)


def _changed(name: str) -> InputError:
    return InputError(
        f"{name} has changed since it was read: what it holds now is not what was measured. Read it anew."
    )
