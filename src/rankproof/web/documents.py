"""Shown: a document as the project's template shows it. Its fields are text, never markup; query words are marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from rankproof.judging.records import Template

_WORD = re.compile(r"\w+(?:['’]\w+)*")
# Too common to say anything about a match; marked only where a query has nothing else.
_COMMON = frozenset({
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "before", "but", "by",
    "can", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it",
    "its", "me", "my", "no", "not", "of", "off", "on", "one", "or", "our", "out", "over", "so", "some", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "under", "up",
    "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "without", "you", "your",
})  # fmt: skip
_ENDINGS = ("s", "es", "'s", "’s", "d", "ed", "ing", "er", "ers", "ly")
_LEAST = 3  # letters of a word that endings may follow
_PICTURES = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif)[;,]", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x20\x7f\\]")


class TextPart(NamedTuple):
    """A stretch of a text, and whether it is a word of the query."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Field:
    """A field below the title: its name, and its text in pieces."""

    name: str
    pieces: tuple[TextPart, ...]


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document to look at. `known` is False where only its id is known; the picture and the link may be empty."""

    doc_id: str
    title: tuple[TextPart, ...]
    fields: tuple[Field, ...]
    image: str
    link: str
    known: bool

    @property
    def name(self) -> str:
        """What to call it in a line."""
        return "".join(piece.text for piece in self.title) or self.doc_id


def show_document(template: Template, doc_id: str, fields: Mapping[str, str] | None, query: str) -> DocumentView:
    """A document for a query, by a template. Fields that it does not have, or that are empty, are left out."""
    fields_given = fields or {}
    forms = _forms(query)
    texts = (
        Field(name, mark(fields_given[name], forms)) for name in template.texts if fields_given.get(name, "").strip()
    )
    return DocumentView(
        doc_id,
        mark(fields_given.get(template.title, "").strip(), forms),
        tuple(texts),
        picture(fields_given.get(template.image, "")) if template.image else "",
        link(fields_given.get(template.link, "")) if template.link else "",
        fields is not None,
    )


def mark(text: str, forms: frozenset[str]) -> tuple[TextPart, ...]:
    """A text in pieces; together they are the text."""
    pieces: list[TextPart] = []
    end = 0
    for match in _WORD.finditer(text):
        if match[0].casefold() in forms:
            if match.start() > end:
                pieces.append(TextPart(text[end : match.start()], False))
            pieces.append(TextPart(match[0], True))
            end = match.end()
    if end < len(text):
        pieces.append(TextPart(text[end:], False))
    return tuple(pieces)


def picture(address: str) -> str:
    """The address of a picture where it may be shown: https, a picture in itself, or a path on this server."""
    address = address.strip()
    if _PICTURES.match(address) or _scheme(address) == "https":
        return address
    here = address and _scheme(address) == "" and not address.startswith("//")
    return address if here else ""


def link(address: str) -> str:
    """The address of a document where one may go there: http or https, with a machine."""
    address = address.strip()
    return address if _scheme(address) in ("http", "https") else ""


def _scheme(address: str) -> str | None:
    """What an address begins with, in small letters; empty for a path, None where it cannot be trusted."""
    if _UNSEEN.search(address):
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme:
        return parts.scheme.lower() if parts.netloc else None
    return None if ":" in address.partition("/")[0] else ""


def _forms(query: str) -> frozenset[str]:
    """The words of a query in the forms in which they may stand in a text."""
    words = {match[0].casefold() for match in _WORD.finditer(query)}
    return frozenset(_with_endings((words - _COMMON) or words))


def _with_endings(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        yield word
        if len(word) < _LEAST or any(c.isdigit() for c in word):
            continue
        stems = {word, *(word.removesuffix(end) for end in _ENDINGS)}
        for stem in stems:
            if len(stem) >= _LEAST:
                yield stem
                yield from (stem + end for end in _ENDINGS)
