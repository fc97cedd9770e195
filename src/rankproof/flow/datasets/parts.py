"""Parts: what every layout is asked for and gives: queries, judgments, splits and a way to the documents."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.records.collection import Corpus, Query
from rankproof.records.qrels import Qrels

ALL = "all"
# Reads the documents, or only those in the container, and says what was decided.
ReadDocuments = Callable[[Container[str] | None], tuple[Corpus, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of reading; a layout refuses what it cannot do (see `Layout.options`)."""

    split: str | None = None
    locale: str | None = None
    version: str | None = None
    field: str | None = None
    fields: tuple[str, ...] | None = None
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A dataset before it is put together; `documents` is None where there are none."""

    queries: tuple[Query, ...]
    qrels: Qrels
    documents: ReadDocuments | None
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    split: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """One kind of dataset: `wants` says in words what it looks for, `fits` whether a path has it."""

    name: str
    wants: str
    fits: Callable[[str], bool]
    read: Callable[[str, Asked], Parts]
    options: tuple[str, ...] = ()


def choose(names: Sequence[str], asked: str | None, source: str) -> tuple[str, ...]:
    """The splits to read: the one asked for, all of them, or the only one there is. Never a guess among several."""
    if asked == ALL or (asked is None and len(names) == 1):
        return tuple(names)
    if asked is None:
        raise UsageError(
            f"{source} has several splits: {', '.join(names)}. Say which one (split), or '{ALL}' for all of them."
        )
    if asked not in names:
        raise UnknownName(f"split of {source}", asked, names)
    return (asked,)


def merged(parts: Sequence[tuple[str, Qrels]], name: str) -> Qrels:
    """The judgments of several splits; a pair judged in two must have the same grade in both."""
    if len(parts) == 1:
        return parts[0][1]
    from rankproof.core._core import Rows

    found: dict[tuple[str, str, str], tuple[int, str]] = {}
    for split, qrels in parts:
        for query, docs, grades, labels in qrels.judged():
            for doc, grade, label in zip(docs, grades, labels, strict=True):
                known, where = found.setdefault((query, doc, label), (grade, split))
                if known != grade:
                    raise InputError(
                        f"{name}: query {query!r} and document {doc!r} have grade {known} in the split {where} and "
                        f"{grade} in {split}. Correct one of them, or read one split at a time."
                    )
    columns = [[key[i] for key in found] for i in range(3)]
    numbers = np.array([grade for grade, _ in found.values()], dtype=np.float64)
    notes = tuple(dict.fromkeys(note for _, qrels in parts for note in qrels.notes))
    return Qrels.of(Rows.from_columns(columns[0], columns[1], numbers, label=columns[2]), name, notes)
