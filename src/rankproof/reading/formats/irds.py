"""Collections of ir_datasets by name, such as `irds:cranfield`; needs the extra `irds`.

Qrels are the collection's judgments, with its subtopics where it has them; topics are its queries; a run is
its scored documents, where it has such. The library downloads what is not on this machine yet.

holds: run, qrels, topics
source: MacAvaney et al., Simplified data wrangling with ir_datasets, 2021

    rankproof convert irds:cranfield cranfield.qrels --noun qrels
"""

from __future__ import annotations

from typing import Any

from rankproof.errors import InputError, MissingExtra, Unreadable, UsageError
from rankproof.reading.formats._gather import Gather, add_topic
from rankproof.reading.formats.contract import Format, Noun, Options, Read, Topics
from rankproof.reading.source import Source

PREFIX = "irds:"


def dataset(source: Source, part: str) -> Any:
    """The collection, which must have the part that is wanted."""
    try:
        import ir_datasets
    except ModuleNotFoundError:
        raise MissingExtra(f"{source.name}", "ir_datasets", "irds") from None
    name = source.name.removeprefix(PREFIX)
    try:
        found = ir_datasets.load(name)
    except KeyError:
        raise UsageError(
            f"ir_datasets has no collection {name!r}. They are listed at https://ir-datasets.com/"
        ) from None
    if not getattr(found, f"has_{part}")():
        raise InputError(f"{source.name} has no {part}. A collection's page says what it has.")
    return found


def _read(items: Any, source: Source) -> list[Any]:
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
    found: Topics = {}
    for item in _read(dataset(source, "queries").queries_iter(), source):
        text = item.default_text() if hasattr(item, "default_text") else item.text
        add_topic(found, item.query_id, text, source.name)
    return found


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
