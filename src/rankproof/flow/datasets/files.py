"""Files: which files of a folder hold queries and judgments, and of which split, by their names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from rankproof.errors import InputError
from rankproof.flow.collect import read_qrels
from rankproof.flow.datasets.parts import Asked, Parts, ReadDocuments, choose, merged
from rankproof.flow.datasets.queries import joined, read_queries
from rankproof.flow.unpack import ENDINGS
from rankproof.records.qrels import Qrels

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
    found = [name for name in entries(folder) if "".join(stem_of(name)).casefold() in stems]
    if len(found) > 1:
        raise InputError(f"{folder} has {' and '.join(found)}, which are the same thing. Remove one of them.")
    return os.path.join(folder, found[0]) if found else None


def query_files(folder: str) -> dict[str, str]:
    """Split (or UNNAMED) -> path of its queries."""
    return _by_split(folder, _QUERIES)


def qrels_files(folder: str) -> dict[str, str]:
    """Split (or UNNAMED) -> path of its judgments; BEIR's folder `qrels` goes first."""
    inside = os.path.join(folder, "qrels")
    if os.path.isdir(inside):
        found = {stem_of(name)[0]: os.path.join(inside, name) for name in entries(inside) if _is_table(name)}
        if found:
            return found
    return _by_split(folder, _QRELS)


def _is_table(name: str) -> bool:
    return stem_of(name)[1] in _TABLES


def _by_split(folder: str, word: re.Pattern[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in entries(folder):
        stem, ending = stem_of(name)
        at = word.search(stem)
        if ending not in _TABLES or at is None:
            continue
        split = "-".join(part for part in (stem[: at.start()].strip("._-"), stem[at.end() :].strip("._-")) if part)
        split = split or UNNAMED
        if split in found:
            other = os.path.basename(found[split])
            raise InputError(f"{folder} has {other} and {name}, which are the same thing. Remove one of them.")
        found[split] = os.path.join(folder, name)
    return found


def read_named(folder: str, asked: Asked, documents: ReadDocuments | None) -> Parts:
    """Queries and judgments of the chosen splits of a folder whose files are named for what they hold."""
    available = qrels_files(folder)
    chosen = choose(list(available), asked.split, folder)
    judged = [(split, read_qrels(available[split], allow=asked.allow)) for split in chosen]
    return put_together(folder, available, judged, query_files(folder), asked, documents)


def put_together(
    folder: str,
    available: Mapping[str, str],
    judged: list[tuple[str, Qrels]],
    files: Mapping[str, str],
    asked: Asked,
    documents: ReadDocuments | None,
) -> Parts:
    """The parts from judgments by split and files of queries."""
    # A split's own file of queries where there is one for each chosen split; otherwise all files together.
    wanted = [files[split] for split, _ in judged if split in files]
    paths = wanted if len(wanted) == len(judged) else list(files.values())
    queries = joined((path, read_queries(path, asked.field)) for path in paths)
    qrels = merged(judged, folder)
    notes: list[str] = []
    if len(available) > 1:
        # The queries of other splits stand in the same file: they are not queries without judgments.
        ids = set(qrels.query_ids)
        kept = tuple(query for query in queries if query.query_id in ids)
        if len(kept) < len(queries):
            notes.append(f"{len(queries) - len(kept):,} queries are judged in no chosen split: left out")
        queries = kept
    several = len(judged) > 1
    return Parts(
        queries,
        qrels,
        documents,
        splits={split: part.query_ids for split, part in judged} if several else {},
        split=None if several or judged[0][0] == UNNAMED else judged[0][0],
        notes=(*qrels.notes, *notes),
    )
