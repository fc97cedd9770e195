"""What a model reads of a document: its fields in one line, cut to a length."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.errors import UsageError
from rankproof.reading.collection import Corpus


def passages(corpus: Corpus, doc_ids: Sequence[str], fields: Sequence[str] | None, characters: int) -> list[str | None]:
    """The text of each document, without line ends; None for one that the corpus does not have."""
    known = [doc for doc in doc_ids if doc in corpus.place]
    flat = (" ".join(text[: 4 * characters].split())[:characters].rstrip() for text in corpus.texts(fields, known))
    texts = dict(zip(known, flat, strict=True))
    return [texts.get(doc) for doc in doc_ids]


def refuse_fields(who: str, corpus: Corpus, fields: Sequence[str] | None) -> None:
    """An error for a field that the corpus does not have; asked before anything runs."""
    lacking = [name for name in fields or () if name not in corpus.fields]
    if lacking:
        raise UsageError(
            f"{who}: {corpus.name} has no field {lacking[0]!r}. Its fields: {', '.join(corpus.fields) or 'none'}."
        )
