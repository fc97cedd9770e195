"""DatasetLayout: what reads one kind of dataset; and which files of a folder hold queries and judgments."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.datasets.queries import joined, read_queries
from rankproof.reading.records import Qrels
from rankproof.reading.source import ENDINGS

ALL = "all"
# Reads the documents, or only those in the container, with notes on what was decided.
ReadDocuments = Callable[[Container[str] | None], tuple[Corpus, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class DatasetRequest:
    """The options of reading a dataset; a layout refuses those it does not take (see `DatasetLayout.options`)."""

    split: str | None = None
    locale: str | None = None
    version: str | None = None
    field: str | None = None
    fields: tuple[str, ...] | None = None
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class DatasetParts:
    """A dataset before it is put together; `documents` is None where there are none."""

    queries: tuple[Query, ...]
    qrels: Qrels
    documents: ReadDocuments | None
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    split: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetLayout:
    """One kind of dataset: `wants` says in words what it looks for, `fits` whether a path has it."""

    name: str
    wants: str
    fits: Callable[[str], bool]
    read: Callable[[str, DatasetRequest], DatasetParts]
    options: tuple[str, ...] = ()


def choose(names: Sequence[str], split: str | None, source: str) -> tuple[str, ...]:
    """The splits to read: the one that is named, all of them, or the only one there is. Never a guess among several."""
    if split == ALL or (split is None and len(names) == 1):
        return tuple(names)
    if split is None:
        raise UsageError(
            f"{source} has several splits: {', '.join(names)}. Say which one (split), or '{ALL}' for all of them."
        )
    if split not in names:
        raise UnknownName(f"split of {source}", split, names)
    return (split,)


def merged(parts: Sequence[tuple[str, Qrels]], name: str) -> Qrels:
    """The judgments of several splits; a pair judged in two must have the same grade in both."""
    if len(parts) == 1:
        return parts[0][1]
    from rankproof.core import Rows

    judged: dict[tuple[str, str, str], tuple[int, str]] = {}
    for split, qrels in parts:
        for query, docs, grades, labels in qrels.judged():
            for doc, grade, label in zip(docs, grades, labels, strict=True):
                known, where = judged.setdefault((query, doc, label), (grade, split))
                if known != grade:
                    raise InputError(
                        f"{name}: query {query!r} and document {doc!r} have grade {known} in the split {where} and "
                        f"{grade} in {split}. Correct one of them, or read one split at a time."
                    )
    columns = [[key[i] for key in judged] for i in range(3)]
    numbers = np.array([grade for grade, _ in judged.values()], dtype=np.float64)
    notes = tuple(dict.fromkeys(note for _, qrels in parts for note in qrels.notes))
    return Qrels.of(Rows.from_columns(columns[0], columns[1], numbers, label=columns[2]), name, notes)


# Endings of files with queries or judgments, before any compression.
_TABLES = {"", ".trec", ".tsv", ".txt", ".csv", ".json", ".jsonl", ".qrels", ".topics", ".beir", ".parquet", ".pq"}
_QUERIES = re.compile(r"queries|topics", re.IGNORECASE)
_QRELS = re.compile(r"qrels", re.IGNORECASE)
# The split of a file whose name says none, beside files whose names do.
UNNAMED = "unnamed"


def entries(folder: str) -> list[str]:
    """The plain files of a folder by name, in order; hidden ones left out."""
    try:
        names = sorted(os.listdir(folder))
    except PermissionError:
        raise InputError(f"{folder} cannot be read: no permission.") from None
    return [name for name in names if not name.startswith(".") and os.path.isfile(os.path.join(folder, name))]


def stem_of(name: str) -> tuple[str, str]:
    """A file's name without its endings, and the ending of its format in small letters."""
    stem, ending = os.path.splitext(name)
    if ending.casefold() in ENDINGS:
        stem, ending = os.path.splitext(stem)
    return stem, ending.casefold()


def named(folder: str, *stems: str) -> str | None:
    """The path of the one file called so (compressed or not), such as corpus.jsonl or corpus.jsonl.gz."""
    names = [name for name in entries(folder) if "".join(stem_of(name)).casefold() in stems]
    if len(names) > 1:
        raise InputError(f"{folder} has {' and '.join(names)}, which are the same thing. Remove one of them.")
    return os.path.join(folder, names[0]) if names else None


def query_files(folder: str) -> dict[str, str]:
    """Split (or UNNAMED) -> path of its queries."""
    return _by_split(folder, _QUERIES)


def qrels_files(folder: str) -> dict[str, str]:
    """Split (or UNNAMED) -> path of its judgments; BEIR's folder `qrels` goes first."""
    inside = os.path.join(folder, "qrels")
    if os.path.isdir(inside):
        paths = {stem_of(name)[0]: os.path.join(inside, name) for name in entries(inside) if _is_table(name)}
        if paths:
            return paths
    return _by_split(folder, _QRELS)


def _is_table(name: str) -> bool:
    return stem_of(name)[1] in _TABLES


def _by_split(folder: str, word: re.Pattern[str]) -> dict[str, str]:
    paths: dict[str, str] = {}
    for name in entries(folder):
        stem, ending = stem_of(name)
        at = word.search(stem)
        if ending not in _TABLES or at is None:
            continue
        split = "-".join(part for part in (stem[: at.start()].strip("._-"), stem[at.end() :].strip("._-")) if part)
        split = split or UNNAMED
        if split in paths:
            other = os.path.basename(paths[split])
            raise InputError(f"{folder} has {other} and {name}, which are the same thing. Remove one of them.")
        paths[split] = os.path.join(folder, name)
    return paths


def read_named(folder: str, request: DatasetRequest, documents: ReadDocuments | None) -> DatasetParts:
    """Queries and judgments of the chosen splits of a folder whose files are named for what they hold."""
    available = qrels_files(folder)
    chosen = choose(list(available), request.split, folder)
    judged = [(split, read_qrels(available[split], allow=request.allow)) for split in chosen]
    return put_together(folder, available, judged, query_files(folder), request, documents)


def put_together(
    folder: str,
    available: Mapping[str, str],
    judged: list[tuple[str, Qrels]],
    files: Mapping[str, str],
    request: DatasetRequest,
    documents: ReadDocuments | None,
) -> DatasetParts:
    """The parts from judgments by split and files of queries."""
    # A split's own file of queries where there is one for each chosen split; otherwise all files together.
    own = [files[split] for split, _ in judged if split in files]
    paths = own if len(own) == len(judged) else list(files.values())
    queries = joined((path, read_queries(path, request.field)) for path in paths)
    qrels = merged(judged, folder)
    notes: list[str] = []
    if len(available) > 1:
        # The queries of other splits stand in the same file: they are not queries without judgments.
        ids = set(qrels.query_ids)
        chosen_queries = tuple(query for query in queries if query.query_id in ids)
        if len(chosen_queries) < len(queries):
            notes.append(f"{len(queries) - len(chosen_queries):,} queries are judged in no chosen split: left out")
        queries = chosen_queries
    several = len(judged) > 1
    return DatasetParts(
        queries,
        qrels,
        documents,
        splits={split: part.query_ids for split, part in judged} if several else {},
        split=None if several or judged[0][0] == UNNAMED else judged[0][0],
        notes=(*qrels.notes, *notes),
    )
