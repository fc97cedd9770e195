"""Uploads: a file of queries, documents or a run into a project: whole, or refused with the reader's own reason."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import read_run
from rankproof.reading.datasets.documents import read_json_lines
from rankproof.reading.datasets.plain import read_collection
from rankproof.reading.datasets.queries import of_topics, read_queries
from rankproof.reading.source import Source, packing_of, require_text

if TYPE_CHECKING:
    from rankproof.judging.store.store import Store
    from rankproof.reading.collection import Corpus

UploadKind = Literal["queries", "documents", "run"]
UPLOAD_KINDS: tuple[UploadKind, ...] = ("queries", "documents", "run")
# Documents of each query of a run that are kept, unless somebody asks for another number.
DEPTH, DEEPEST = 100, 1000
# A table that is packed inside (Parquet) may be far greater than its file: it is refused beyond these.
MOST_ROWS, MOST_UNPACKED = 2_000_000, 1 << 30
_NO_NAME = re.compile(r"[\x00-\x1f\x7f/\\]+")


@dataclass(frozen=True, slots=True)
class UploadSummary:
    """What was added. `name` is the file's, of a run the run's.

    left_out  queries of a run that the project does not have
    notes     what the reader evened out
    """

    what: UploadKind
    name: str
    added: int
    there: int
    left_out: int = 0
    notes: tuple[str, ...] = field(default_factory=tuple)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "what": self.what,
            "name": self.name,
            "added": self.added,
            "there": self.there,
            "left_out": self.left_out,
            "notes": list(self.notes),
        }


def plain_name(name: str) -> str:
    """The name of an uploaded file, for messages: without folders and control characters.

    >>> plain_name("../../etc/passwd"), plain_name("C:\\\\runs\\\\bm25.run")
    ('passwd', 'bm25.run')
    """
    return _NO_NAME.sub(" ", re.split(r"[/\\]", name)[-1]).strip()[:200] or "upload"


def uploaded(path: str, name: str) -> Source:
    """The file at a path under the name that it was sent by; nothing of it is unpacked."""
    from rankproof.reading.source import open_source

    with open(path, "rb") as file:
        head = file.read(10)
    if packing_of(head) is not None:
        # A small file may unpack to one that no memory holds.
        raise InputError(f"{name} is compressed, and compressed files are not taken here. Unpack it first.")
    if head.startswith(b"PAR1"):
        _refuse_inflated(path, name)
    return open_source(path, name)


def take_upload(
    store: Store,
    slug: str,
    what: UploadKind,
    source: Source,
    *,
    form: str | None = None,
    name: str = "",
    depth: int = DEPTH,
) -> UploadSummary:
    """Adds what a file has to a project, all or nothing. `name` and `depth` are of a run."""
    if what == "queries":
        return _queries(store, slug, source, form)
    if what == "documents":
        return _documents(store, slug, source)
    if what == "run":
        return _run(store, slug, source, form, name, depth)
    raise UsageError(f"No kind of file is called {what!r}. There are: {', '.join(UPLOAD_KINDS)}.")


def _queries(store: Store, slug: str, source: Source, form: str | None) -> UploadSummary:
    from rankproof.reading.collect import read_topics

    queries = read_queries(source) if form is None else of_topics(read_topics(source, form))
    without = next((one.query_id for one in queries if not one.has_words), None)
    if without is not None:
        raise InputError(f"{source.name}: the query {without!r} has no words, so nobody could judge it.")
    added = store.items.add_queries(slug, queries, whole=True)
    return UploadSummary("queries", source.name, added, len(queries) - added, notes=tuple(source.notes))


def _documents(store: Store, slug: str, source: Source) -> UploadSummary:
    if source.is_empty:
        raise InputError(f"{source.name} is empty: it has no documents.")
    require_text(source)
    lines = source.head.lstrip()[:1] == b"{"
    corpus, notes = read_json_lines(source) if lines else _collection(source)
    columns = list(corpus.fields.items())
    rows = ((doc, {name: column[at] for name, column in columns if column[at]}) for at, doc in enumerate(corpus))
    added = store.items.add_documents(slug, rows, whole=True)
    return UploadSummary("documents", source.name, added, len(corpus) - added, notes=(*source.notes, *notes))


def _collection(source: Source) -> tuple[Corpus, tuple[str, ...]]:
    try:
        return read_collection(source)
    except InputError as error:
        raise InputError(
            f"{error} Documents are read as JSON lines, each with an id and any fields, or as columns between tabs: "
            "id and text, perhaps with a title before the text."
        ) from None


def _run(store: Store, slug: str, source: Source, form: str | None, name: str, depth: int) -> UploadSummary:
    if not 1 <= depth <= DEEPEST:
        raise UsageError(f"Between 1 and {DEEPEST:,} documents of each query are kept; got {depth}.")
    run = read_run(source, form, name=name.strip() or None)
    known = {query.query_id for query in store.items.queries(slug)}
    every = [(query, list(docs[:depth])) for query, docs, _ in run.rankings()]
    ranked = {query: docs for query, docs in every if query in known}
    if not ranked:
        raise InputError(
            f"The run {run.name!r} has none of the project's {len(known):,} queries. Add the queries first, and check "
            "that it is the right file."
        )
    added = store.runs.add(slug, run.name, ranked, run.content_hash)
    return UploadSummary(
        "run", run.name, len(ranked) * added, len(ranked) * (not added), len(every) - len(ranked), tuple(run.notes)
    )


def _refuse_inflated(path: str, name: str) -> None:
    """Refuses a Parquet file whose rows would take far more memory than the file; none of them is unpacked."""
    from rankproof.reading.arrow import pyarrow

    pyarrow("A Parquet file")
    from pyarrow import parquet

    try:
        about = parquet.ParquetFile(path)
        groups = [about.metadata.row_group(at) for at in range(about.metadata.num_row_groups)]
        size = sum(group.total_byte_size for group in groups)
        if about.metadata.num_rows <= MOST_ROWS and size <= MOST_UNPACKED:
            size = sum(_text_sizes(path, about.schema_arrow.names))
    except (OSError, ValueError) as error:
        raise InputError(f"{name} is no whole Parquet file: {' '.join(str(error).split())[:200]}") from None
    if about.metadata.num_rows > MOST_ROWS or size > MOST_UNPACKED:
        raise InputError(
            f"{name} has {about.metadata.num_rows:,} rows, which unpack to about {size:,} bytes; {MOST_ROWS:,} rows "
            f"and {MOST_UNPACKED:,} bytes are the most here. Use: rankproof judgments add ({os.path.getsize(path):,} "
            "bytes as a file are no measure of it)."
        )


def _text_sizes(path: str, names: list[str]) -> list[int]:
    """How many bytes texts take that the file holds once and its rows name often."""
    from pyarrow import compute, parquet

    sizes = []
    reader = parquet.ParquetFile(path, read_dictionary=names)
    for batch in reader.iter_batches(batch_size=1 << 16):
        for column in batch.columns:
            if str(column.type).startswith("dictionary"):
                lengths = compute.binary_length(column.dictionary.cast("large_string"))
                sizes.append(compute.sum(lengths.take(column.indices)).as_py() or 0)
        if sum(sizes) > MOST_UNPACKED:
            break
    return sizes
