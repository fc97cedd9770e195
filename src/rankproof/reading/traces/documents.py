"""Documents of a span: the ranking that it recorded, or why it cannot be read. Never half a ranking.

OpenTelemetry's `gen_ai.retrieval.documents` is a list of objects, or the JSON text of one, which a limit on lengths
may have cut. OpenInference spreads documents over attributes, `retrieval.documents.0.document.id`, of which a limit on
their number may have dropped some.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from rankproof.errors import InputError
from rankproof.reading.formats._gather import id_text
from rankproof.reading.formats._records import Naming
from rankproof.reading.traces.attributes import DOCUMENTS, dotted
from rankproof.reading.traces.records import (
    CUT,
    HALF,
    MALFORMED,
    UNNAMED,
    UNRECORDED,
    Role,
    SpanRanking,
    TraceCounts,
)

# What OpenInference writes in the place of content that is hidden.
REDACTED = "__REDACTED__"
SPREAD: Mapping[Role, str] = {"retriever": "retrieval.documents", "reranker": "reranker.output_documents"}
_FIELD = re.compile(r"\.(\d{1,9})\.document\.(.+)")
_TEXTS = ("content", "text", "page_content")
# Outputs longer than this are not looked at to see whether they are an empty list.
_SHORT = 200


class _Unreadable(Exception):
    """A ranking that cannot be read; its text is the reason."""


def ranking_of(
    attributes: Mapping[str, object], role: Role, dropped: bool, doc_id: str | None, counts: TraceCounts
) -> SpanRanking:
    """The ranking that a span recorded. `dropped`: the span says that attributes are missing."""
    try:
        documents = _structured(attributes)
        if documents is None:
            documents = _spread(attributes, SPREAD[role], dropped)
        if documents is None:
            return SpanRanking((), "") if _returned_nothing(attributes) else SpanRanking(None, UNRECORDED)
        return _named(documents, doc_id, counts)
    except _Unreadable as unreadable:
        return SpanRanking(None, str(unreadable))


def _structured(attributes: Mapping[str, object]) -> Sequence[Mapping[str, object]] | None:
    """The documents of OpenTelemetry's attribute; None where there is none."""
    given = attributes.get(DOCUMENTS)
    if given is None:
        return None
    if isinstance(given, str):
        if given == REDACTED:
            return None
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise _Unreadable(CUT) from None
    if not isinstance(given, list) or not all(isinstance(document, Mapping) for document in given):
        raise _Unreadable(MALFORMED)
    return given


def _spread(attributes: Mapping[str, object], prefix: str, dropped: bool) -> Sequence[Mapping[str, object]] | None:
    """The documents of OpenInference's attributes; None where there are none."""
    whole = attributes.get(prefix)
    if isinstance(whole, str) and whole != REDACTED:
        try:
            whole = json.loads(whole)
            attributes = dotted({prefix: whole}, prefix)
        except (ValueError, RecursionError, InputError):
            raise _Unreadable(CUT) from None
    if whole == []:
        return []
    found: dict[int, dict[str, object]] = {}
    for key, value in attributes.items():
        if key.startswith(prefix) and value is not None:
            place = _FIELD.fullmatch(key, len(prefix))
            if place is None:
                raise _Unreadable(MALFORMED)
            found.setdefault(int(place[1]), {})[place[2]] = value
    if not found:
        # All of them may be among the attributes that were dropped.
        if dropped:
            raise _Unreadable(CUT)
        return None
    if dropped or max(found) + 1 != len(found):
        raise _Unreadable(CUT)
    return [found[at] for at in range(len(found))]


def _returned_nothing(attributes: Mapping[str, object]) -> bool:
    """Whether the output says that nothing was returned: OpenInference has no attribute for an empty list."""
    output = attributes.get("output.value")
    if not isinstance(output, str) or len(output) > _SHORT:
        return False
    try:
        value = json.loads(output)
    except (ValueError, RecursionError):
        return False
    return value == [] or (isinstance(value, Mapping) and list(value.values()) == [[]])


def _named(documents: Sequence[Mapping[str, object]], doc_id: str | None, counts: TraceCounts) -> SpanRanking:
    """The documents by their ids or texts, with what their scores say."""
    naming = Naming()
    ids = [_id_of(document, doc_id, naming, counts) for document in documents]
    scores = [_score(document.get("score")) for document in documents]
    unscored = sum(score is None for score in scores)
    known = [score for score in scores if score is not None]
    rising = any(below > above for above, below in pairwise(known))
    counts.documents += len(ids)
    counts.documents_without_ids += naming.texts
    counts.documents_without_scores += unscored
    counts.rising += rising
    return SpanRanking(tuple(naming.ranking(ids)), "", unscored, rising)


def _id_of(document: Mapping[str, object], doc_id: str | None, naming: Naming, counts: TraceCounts) -> str:
    given = document.get("id") if doc_id is None else _metadata(document).get(doc_id)
    if doc_id is not None and given is None:
        raise _Unreadable(f"documents without {doc_id!r:.60} in their metadata")
    if given is not None and given != "":
        if isinstance(given, str) and not given.isascii() and any("\ud800" <= char <= "\udfff" for char in given):
            raise _Unreadable(HALF)
        try:
            return id_text(given, "")
        except InputError:
            raise _Unreadable(MALFORMED) from None
    text = next((document[key] for key in _TEXTS if document.get(key)), None)
    if not isinstance(text, str) or not text.strip() or text == REDACTED:
        raise _Unreadable(UNNAMED)
    counts.doc_texts.saw(text)
    counts.metadata = counts.metadata or tuple(_metadata_keys(document))
    return naming.doc(None, text, "")


def _metadata(document: Mapping[str, object]) -> Mapping[str, object]:
    """A document's metadata: an object, its JSON text, or fields of the document itself."""
    given = document.get("metadata")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise _Unreadable(CUT) from None
    own = {key.removeprefix("metadata."): value for key, value in document.items()}
    return {**own, **given} if isinstance(given, Mapping) else own


def _metadata_keys(document: Mapping[str, object]) -> Sequence[str]:
    """The fields of a document's metadata, for a note; none where it cannot be read."""
    try:
        found = _metadata(document)
    except _Unreadable:
        return ()
    return [key for key in found if key not in (*_TEXTS, "score", "metadata", "id")]


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None
