"""Corpus and Query: the documents that are searched, and the queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from rankproof.errors import InputError
from rankproof.kernel.llm.answer import NO_USAGE, Usage
from rankproof.reading.ranking import Failure

# A title names a document in a line; where a text stands for it, these are its first words.
MOST_OF_A_TITLE = 120


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its id, its words, and columns with more about it, such as its kind."""

    query_id: str
    text: str
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_words(self) -> bool:
        """Whether it can be asked: blanks are no words. Everything that asks or counts queries goes by this."""
        return bool(self.text.strip())


@dataclass(frozen=True, slots=True)
class Rewritten(Query):
    """A query with its rewritten words, and the failures of the rewrite; after a failure it has its own words.

    kept    the words were read from a cache, so the time of the rewrite means nothing
    usage   what the rewrite asked a language model
    """

    failures: tuple[Failure, ...] = ()
    kept: bool = False
    usage: Usage = NO_USAGE


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents in the order they were read, as columns: one id each, and a text for every field (maybe empty).

    `fields` has a column of texts per name, such as title and text, each as long as `doc_ids`.
    """

    doc_ids: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]]
    name: str = "corpus"

    def __post_init__(self) -> None:
        if len(self.place) < len(self.doc_ids):
            last = {doc: i for i, doc in enumerate(self.doc_ids)}
            double = next(doc for i, doc in enumerate(self.doc_ids) if last[doc] != i)
            raise InputError(f"{self.name}: document {double!r} stands there twice. Keep one of the two.")

    def __len__(self) -> int:
        return len(self.doc_ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.doc_ids)

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Where each document stands."""
        return {doc: i for i, doc in enumerate(self.doc_ids)}

    def texts(self, names: Sequence[str] | None = None, doc_ids: Iterable[str] | None = None) -> list[str]:
        """The fields of each document joined by a line end, empty ones left out; of all documents without `doc_ids`."""
        chosen = [self.fields[name] for name in (names if names is not None else self.fields)]
        places = range(len(self)) if doc_ids is None else [self.place[doc] for doc in doc_ids]
        return ["\n".join(column[i] for column in chosen if column[i]) for i in places]

    def titles(self, doc_ids: Iterable[str]) -> dict[str, str]:
        """The title of each of these documents; without a field of that name, or where it is empty, its first words.

        Documents that are not in the corpus, or have no text, are left out.
        """
        columns = [self.fields[name] for name in sorted(self.fields, key=lambda name: name.casefold() != "title")]
        titles = {}
        for doc in doc_ids:
            at = self.place.get(doc)
            texts = () if at is None else (" ".join(column[at][:MOST_OF_A_TITLE].split()) for column in columns)
            title = next(filter(None, texts), "")
            if title:
                titles[doc] = title
        return titles

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of ids, names of fields and texts, in the order given; with lengths, so that no two are alike."""
        digest = sha256(b"rankproof corpus 1\n")
        for name, column in (("", self.doc_ids), *self.fields.items()):
            digest.update(_sized(f"{len(name)} {name} {len(column)}\n")[8:])
            for text in column:
                digest.update(_sized(text))
        return digest.hexdigest()

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}, {len(self):,} documents, fields {', '.join(self.fields)})"


def _sized(text: str) -> bytes:
    """How many bytes the text has, and they; the highest bit tells a text with half a character, which no file holds.

    >>> _sized("\\udcff")[-1:], _sized("\\ud800")[-4:]
    (b'\\xff', b'\\x80\\xed\\xa0\\x80')
    """
    try:
        data, half = text.encode("utf-8", "surrogateescape"), 0
    except UnicodeEncodeError:
        data, half = text.encode("utf-8", "surrogatepass"), 1 << 63
    return (len(data) | half).to_bytes(8, "little") + data
