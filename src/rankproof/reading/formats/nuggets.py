"""Nuggets: facts that an answer needs and the documents that support them, read as judgments by subtopic.

One JSON line for each nugget. `importance` is vital or okay; the support of a document is support, partial_support or
not_support, the words of TREC's RAG track. A document has grade 1 for an okay nugget that it supports in part, 2 for
one that it supports, 3 and 4 for a vital one, and 0 for a nugget that it was found not to support. A nugget that no
document supports cannot be retrieved and is in no measure; the fine print counts them. A query of whose nuggets none
was held against a document is a judged query without a relevant document.

holds: qrels

    {"query_id": "q1", "nugget": "the drug is safe", "importance": "vital", "support": {"d1": "support"}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from rankproof.errors import InputError
from rankproof.reading.formats.contract import UNSUPPORTED, Format, Noun, Options, Read, Sure
from rankproof.reading.source import Source, is_file_like, open_source, require_text

if TYPE_CHECKING:
    from rankproof.core import Rows
    from rankproof.reading.records import Qrels

IMPORTANCE = {"okay": 0, "vital": 2}
SUPPORT = {"not_support": 0, "partial_support": 1, "support": 2}
NEEDED = ("query_id", "nugget", "importance", "support")


def read_nuggets(what: object) -> Qrels:
    """Judgments by nugget, for NuggetRecall, StRecall and AllStRecall, from a file or from mappings like its lines.

    A document has grade 1 for an okay nugget that it supports in part, 2 for one that it supports, 3 and 4 for a vital
    one, and 0 for a nugget that it was found not to support.
    """
    from rankproof.reading.records import Qrels

    name, records = _records(what)
    judged, notes, empty = _judged(name, records)
    return Qrels.of(judged, name, notes, empty)


def detect(source: Source, noun: Noun) -> Sure:
    """The first line has the fields of a nugget."""
    try:
        record = json.loads(source.head.lstrip().split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return Sure.NO
    is_nugget = noun == "qrels" and isinstance(record, dict) and all(key in record for key in NEEDED)
    return Sure.CERTAIN if is_nugget else Sure.NO


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """A row for each nugget and document, labelled with the nugget."""
    judged, notes, empty = _judged(*_records(source))
    how = "judged by nugget: grades say importance and support"
    return Read(judged, (how, *notes), without_documents=empty)


def _judged(name: str, records: Iterable[tuple[str, object]]) -> tuple[Rows, tuple[str, ...], tuple[str, ...]]:
    """The rows, notes on them, and queries of whose nuggets no document was held against any."""
    import numpy as np

    from rankproof.core import Rows

    queries: list[str] = []
    docs: list[str] = []
    labels: list[str] = []
    grades: list[int] = []
    seen: dict[tuple[str, str], None] = {}
    unsupported = 0
    for place, record in records:
        query, nugget, importance, support = _nugget(record, place)
        if (query, nugget) in seen:
            raise InputError(f"{place}: query {query!r:.80} has the nugget {nugget!r:.80} twice. Keep one of the two.")
        seen[query, nugget] = None
        unsupported += not any(support.values())
        for doc, held in support.items():
            queries.append(query)
            docs.append(doc)
            labels.append(nugget)
            grades.append(held + IMPORTANCE[importance] if held else 0)
    if not queries:
        raise InputError(f"{name} has no nugget that a document was held against. Give one JSON line for each nugget.")
    judged = Rows.from_columns(queries, docs, np.array(grades, dtype=np.float64), label=labels)
    notes = (f"{UNSUPPORTED}{unsupported} of {len(seen)}; recall is over the others",) if unsupported else ()
    with_documents = set(queries)
    return (
        judged,
        notes,
        tuple(query for query in dict.fromkeys(query for query, _ in seen) if query not in with_documents),
    )


def _records(what: object) -> tuple[str, Iterable[tuple[str, object]]]:
    """The name of the source, and its nuggets, each with its place."""
    if is_file_like(what):
        from rankproof.reading.stream import objects

        source = open_source(what)
        require_text(source)
        text = source.text().removeprefix("\ufeff")
        return source.name, ((f"{source.name}, line {line}", record) for line, record in objects(text, source.name))
    if isinstance(what, Mapping | str) or not isinstance(what, Iterable):
        raise InputError(f"Nuggets are a file of JSON lines, or a list of mappings like them; got {what!r:.60}.")
    return "nuggets", ((f"nuggets, entry {at}", record) for at, record in enumerate(what, 1))


def _nugget(record: object, place: str) -> tuple[str, str, str, dict[str, int]]:
    """Query, nugget, importance, and the support of each document as a number."""
    given = cast("Mapping[str, object]", record) if isinstance(record, Mapping) else {}
    missing = [key for key in NEEDED if key not in given]
    if missing:
        raise InputError(
            f"{place}: {', '.join(missing)} is missing. A nugget has {', '.join(NEEDED)}; got {record!r:.80}."
        )
    query, nugget, importance, support = (given[key] for key in NEEDED)
    for key, value in (("query_id", query), ("nugget", nugget)):
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{place}: {key} must be a text that is not empty; got {value!r:.60}.")
    if importance not in IMPORTANCE:
        raise InputError(f"{place}: importance must be 'vital' or 'okay'; got {importance!r:.60}.")
    if not isinstance(support, Mapping):
        raise InputError(f"{place}: support must be a mapping from documents to words; got {support!r:.60}.")
    held: dict[str, int] = {}
    for doc, word in support.items():
        if not isinstance(doc, str) or not doc or not isinstance(word, str) or word not in SUPPORT:
            words = ", ".join(map(repr, SUPPORT))
            raise InputError(f"{place}: the support of document {doc!r:.60} must be one of {words}; got {word!r:.60}.")
        held[doc] = SUPPORT[word]
    return str(query), str(nugget), str(importance), held


OFFERS = (Format(name="nuggets", page=__doc__, holds=("qrels",), detect=detect, rows=rows),)
