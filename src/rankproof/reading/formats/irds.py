"""Collections of ir_datasets by name, such as `irds:cranfield`; needs the extra `irds`.

Qrels are the collection's judgments, with its subtopics where it has them; topics are its queries; a run is
its scored documents, where it has such. The library downloads what is not on this machine yet.

holds: run, qrels, topics
source: MacAvaney et al., Simplified data wrangling with ir_datasets, 2021

    rankproof convert irds:cranfield cranfield.qrels --noun qrels
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.kernel.libraries import library
from rankproof.reading.formats._gather import Gather, add_topic
from rankproof.reading.formats.contract import Format, Noun, Options, Read, Topics
from rankproof.reading.source import Source

if TYPE_CHECKING:
    import ir_datasets

PREFIX = "irds:"
T = TypeVar("T")


def dataset(source: Source, part: str) -> ir_datasets.Dataset:
    """The collection, which must have the part: docs, queries, qrels or scoreddocs."""
    catalog = library("ir_datasets", source.name)
    name = source.name.removeprefix(PREFIX)
    try:
        collection = catalog.load(name)
    except KeyError:
        raise UsageError(
            f"ir_datasets has no collection {name!r}. They are listed at https://ir-datasets.com/"
        ) from None
    if not getattr(collection, f"has_{part}")():
        raise InputError(f"{source.name} has no {part}. A collection's page says what it has.")
    return collection


def _read(items: Iterable[T], source: Source) -> list[T]:
    try:
        return list(items)
    except Exception as error:  # whatever a download or a parser of another library raises
        # Such errors carry every address that was tried: the beginning says what went wrong.
        raise Unreadable(f"{source.name} cannot be read: {type(error).__name__}: {error!s:.200}") from error


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """Judgments, or scored documents."""
    gather = Gather(noun, source.name)
    if noun == "run":
        for item in _read(dataset(source, "scoreddocs").scoreddocs_iter(), source):
            gather.add(item.query_id, item.doc_id, item.score)
        return Read(gather.rows(), ("scored documents of the collection",))
    for item in _read(dataset(source, "qrels").qrels_iter(), source):
        label = getattr(item, "subtopic_id", None) or getattr(item, "iteration", None)
        gather.add(item.query_id, item.doc_id, item.relevance, label=label)
    return Read(gather.rows(), ("judgments of the collection",))


def topics(source: Source, options: Options) -> Topics:
    """The queries' texts."""
    texts: Topics = {}
    for item in _read(dataset(source, "queries").queries_iter(), source):
        text = item.default_text() if hasattr(item, "default_text") else item.text
        add_topic(texts, item.query_id, text, source.name)
    return texts


OFFERS = (
    Format(
        name="irds",
        page=__doc__,
        holds=("run", "qrels", "topics"),
        rows=rows,
        topics=topics,
        prefix=PREFIX,
        binary=True,
    ),
)
