"""Shown: a document as the project's template shows it. Its fields are text, never markup; query words are marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from rankproof.judging.records import Template
from rankproof.web.highlighting.marks import TextPart, mark

_PICTURES = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif)[;,]", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x20\x7f\\]")
_LETTERS = {
    "ja": re.compile("[\u3041-\u30ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ko": re.compile("[\uac00-\ud7a3]"),
    "th": re.compile("[\u0e01-\u0e5b]"),
    "ar": re.compile("[\u0620-\u06ff]"),
    "he": re.compile("[\u05d0-\u05ea]"),
    "el": re.compile("[\u0391-\u03ce]"),
}
# Characters of a text that stand in for a title.
_LEAD, _LEAST_LEAD = 90, 40


@dataclass(frozen=True, slots=True)
class Field:
    """A field below the title: its name, and its text in pieces."""

    name: str
    pieces: tuple[TextPart, ...]


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document to look at. `known` is False where only its id is known; the picture and the link may be empty.

    lead       whether the title is the first words of the text, for want of one of its own
    elsewhere  the machine of a picture that is not shown, because the project does not name it
    """

    doc_id: str
    title: tuple[TextPart, ...]
    fields: tuple[Field, ...]
    image: str
    link: str
    known: bool
    price: str = ""
    lead: bool = False
    elsewhere: str = ""

    @property
    def name(self) -> str:
        """What to call it in a line."""
        return "".join(piece.text for piece in self.title) or self.doc_id

    @property
    def language(self) -> str:
        """What the browser is told to read and draw it as; empty where the letters do not say."""
        texts = [self.name, *("".join(piece.text for piece in field.pieces[:50]) for field in self.fields)]
        return language_of(" ".join(texts)[:5000])


def show_document(template: Template, doc_id: str, fields: Mapping[str, str] | None, query: str) -> DocumentView:
    """A document for a query, by a template. Fields that it does not have, or that are empty, are left out."""
    given = fields or {}
    texts = [(name, given[name]) for name in template.texts if given.get(name, "").strip()]
    title = given.get(template.title, "").strip()
    lead = not title and bool(texts)
    address = given.get(template.image, "") if template.image else ""
    image = picture(address, template.image_hosts)
    return DocumentView(
        doc_id,
        mark(first_words(texts[0][1]) if lead else title, query),
        tuple(Field(name, mark(text, query)) for name, text in texts),
        image,
        link(given.get(template.link, "")) if template.link else "",
        fields is not None,
        given.get(template.price, "").strip() if template.price else "",
        lead,
        "" if image else machine_of(address),
    )


def language_of(text: str) -> str:
    """The language of a text where its letters say it: without it a browser draws Japanese with Chinese letters.

    >>> language_of("赤い靴"), language_of("红鞋"), language_of("รองเท้า"), language_of("shoes")
    ('ja', 'zh', 'th', '')
    """
    letters = [name for name, pattern in _LETTERS.items() for _ in pattern.finditer(text)]
    counts = {name: letters.count(name) for name in _LETTERS}
    if counts["ja"] and 10 * counts["ja"] >= counts["zh"]:
        return "ja"
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] and 4 * counts[most] >= len("".join(text.split())) else ""


def first_words(text: str) -> str:
    """The beginning of a text, to stand in for a title: to the end of a word, or of a sentence that ends early.

    >>> first_words("Light boots. Made for rain.")
    'Light boots. Made for rain.'
    """
    plain = " ".join(text[: 8 * _LEAD].split())
    if len(plain) <= _LEAD:
        return plain
    cut = plain[:_LEAD]
    for stop in (". ", "。", "! ", "? ", " ", ""):
        at = cut.rfind(stop) if stop else _LEAD
        if at >= _LEAST_LEAD:
            break
    while at > 1 and ord(plain[at]) in range(0x300, 0x370):  # never between a letter and its accent
        at -= 1
    return plain[:at].rstrip() + "…"


def picture(address: str, hosts: Sequence[str] = ()) -> str:
    """The address of a picture where it may be shown: a picture in itself, a path on this server, or https on a machine
    that the project names.
    """
    address = address.strip()
    if _PICTURES.match(address):
        return address
    if _scheme(address) == "https":
        return address if any(_is_at(machine_of(address), host) for host in hosts) else ""
    here = address and _scheme(address) == "" and not address.startswith("//")
    return address if here else ""


def machine_of(address: str) -> str:
    """The machine of an https address, in small letters, with a port that is not the usual one; empty for others."""
    address = address.strip()
    if _scheme(address) != "https":
        return ""
    parts = urlsplit(address)
    try:
        port = parts.port
    except ValueError:
        return ""
    name = (parts.hostname or "").lower().rstrip(".")
    return f"{name}:{port}" if port not in (None, 443) else name


def link(address: str) -> str:
    """The address of a document where one may go there: http or https, with a machine."""
    address = address.strip()
    return address if _scheme(address) in ("http", "https") else ""


def _is_at(machine: str, host: str) -> bool:
    """Whether a machine is the one that is named, or below it where `*.` is."""
    return machine.endswith(host[1:]) and machine != host[2:] if host.startswith("*.") else machine == host


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
