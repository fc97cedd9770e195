"""The index of the tantivy engine: analyzer, fields, and how `rankproof index` fills one that is kept in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING

from rankproof.errors import UsageError
from rankproof.kernel.libraries import library
from rankproof.reading.collection import Corpus
from rankproof.stack.engines._kept_index import KeptFiller
from rankproof.stack.engines.bm25 import weights_of
from rankproof.stack.filling import FillRequest, IndexContent, IndexDocument
from rankproof.stack.records import Values

if TYPE_CHECKING:
    from tantivy import Index, IndexWriter, Schema, TextAnalyzer

# Snowball stemmers and lists of stop words that Tantivy has.
STEMMERS = (
    "none", "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian", "italian",
    "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "tamil", "turkish",
)  # fmt: skip
STOP_LISTS = (
    "none", "danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian", "norwegian",
    "portuguese", "russian", "spanish", "swedish",
)  # fmt: skip
LONGEST_WORD = 40  # bytes, as in Tantivy's own analyzers
ANALYZER = "rankproof"


def tantivy() -> ModuleType:
    """The library."""
    return library("tantivy", "The engine tantivy")


class TantivyLayout:
    """How documents are indexed: analyzer and fields."""

    def __init__(self, corpus: Corpus, values: Values) -> None:
        self.corpus, self._values = corpus, values
        fields: str | None = values["fields"]
        self._weights = None if fields is None else weights_of(fields, corpus)

    @property
    def analysis(self) -> str:
        """The analyzer, as a text."""
        stop, stem = self._values["stop_words"], self._values["stemming"]
        filters = [f"remove_long({LONGEST_WORD})", "lowercase"]
        filters += [] if stop == "none" else [f"stopword({stop})"]
        filters += [] if stem == "none" else [f"stemmer({stem})"]
        return ", ".join(["simple", *filters])

    @cached_property
    def analyzer(self) -> TextAnalyzer:
        """The same, of Tantivy."""
        made = tantivy()
        filters = [made.Filter.remove_long(LONGEST_WORD), made.Filter.lowercase()]
        if self._values["stop_words"] != "none":
            filters.append(made.Filter.stopword(self._values["stop_words"]))
        if self._values["stemming"] != "none":
            filters.append(made.Filter.stemmer(self._values["stemming"]))
        builder = made.TextAnalyzerBuilder(made.Tokenizer.simple())
        for one in filters:
            builder = builder.filter(one)
        return builder.build()

    @property
    def names(self) -> tuple[tuple[str, float], ...]:
        """The fields of the index with their weights."""
        weights = [1.0] if self._weights is None else self._weights.values()
        return tuple((f"f{i}", weight) for i, weight in enumerate(weights))

    @property
    def columns(self) -> dict[str, Sequence[str]]:
        """The texts of each field of the index."""
        if self._weights is None:
            return {"f0": self.corpus.texts()}
        return {f"f{i}": self.corpus.fields[name] for i, name in enumerate(self._weights)}

    @property
    def plan(self) -> Mapping[str, object]:
        """What an index that is kept is made of."""
        fields = {"f0": list(self.corpus.fields)} if self._weights is None else {
            f"f{i}": [name] for i, name in enumerate(self._weights)
        }  # fmt: skip
        return {"tantivy": version("tantivy"), "analyzer": self.analysis, "fields": fields}

    def schema(self, stored: bool) -> Schema:
        """Numbers and texts."""
        builder = tantivy().SchemaBuilder()
        # Only where documents are read back one by one are numbers words of the index.
        builder.add_unsigned_field("number", fast=True, indexed=stored, stored=stored)
        for name, _ in self.names:
            builder.add_text_field(name, tokenizer_name=ANALYZER, index_option="freq", stored=stored)
        return builder.build()


class TantivyFiller(KeptFiller):
    """The index in a folder, to be filled."""

    errors = (OSError, ValueError)  # Tantivy raises the second for all that its files refuse

    def __init__(self, request: FillRequest) -> None:
        super().__init__(request)
        values = request.agreed(("path", "stemming", "stop_words"))
        fields = {mode: _names_of(one["fields"]) for mode, one in request.modes.items()}
        first = next(iter(fields))
        for mode, names in fields.items():
            if names != fields[first]:
                raise UsageError(
                    f"tantivy: the modes {first} and {mode} name one folder and index other fields. Give each a folder "
                    "of its own, or name the same fields in the same order; their weights may differ."
                )
        self._layout = TantivyLayout(request.corpus, {**values, "fields": request.first["fields"]})
        named = next(iter(fields.values())) or request.corpus.fields
        self.content = IndexContent(request.corpus.doc_ids, self._layout.columns, named=tuple(named))
        tantivy()

    @property
    def plan(self) -> Mapping[str, object]:
        """Version, analyzer and fields."""
        return self._layout.plan

    @cached_property
    def _index(self) -> Index:
        with self.failing():
            os.makedirs(self.data, exist_ok=True)
            index = tantivy().Index(self._layout.schema(stored=True), path=self.data, reuse=True)
            index.register_tokenizer(ANALYZER, self._layout.analyzer)
            return index

    @cached_property
    def _writer(self) -> IndexWriter:
        self.hold()
        with self.failing():
            return self._index.writer(num_threads=1)

    @cached_property
    def _present(self) -> set[int]:
        """The numbers of the documents that are there: read once, since nobody else writes."""
        self.hold()
        return set(self._all_numbers())

    def _all_numbers(self) -> list[int]:
        with self.failing():
            self._index.reload()
            searcher = self._index.searcher()
            if not searcher.num_docs:
                return []
            hits = searcher.search(tantivy().Query.all_query(), searcher.num_docs).hits
            return list(searcher.fast_field_values("number", [address for _, address in hits]))

    def there(self, doc_ids: Sequence[str]) -> set[str]:
        """By their numbers."""
        return {doc for doc in doc_ids if self.numbers[doc] in self._present}

    def put(self, documents: Sequence[IndexDocument]) -> None:
        """With one commit: all or none."""
        made, writer = tantivy(), self._writer
        with self.failing():
            try:
                for one in documents:
                    document = made.Document()
                    document.add_unsigned("number", self.numbers[one.doc_id])
                    for name, text in one.texts.items():
                        document.add_text(name, text)
                    writer.add_document(document)
                writer.commit()
            except BaseException:
                with suppress(Exception):
                    writer.rollback()
                raise
        self._present.update(self.numbers[one.doc_id] for one in documents)

    def finish(self) -> None:
        """Waits for merges, which end the writer."""
        if "_writer" in self.__dict__:
            writer = self.__dict__.pop("_writer")
            with self.failing():
                writer.wait_merging_threads()

    def count(self) -> int:
        """The documents; two with one number are counted as such."""
        return len(self._all_numbers())

    def read(self, doc_ids: Sequence[str]) -> dict[str, IndexDocument]:
        """By their numbers."""
        made, found = tantivy(), {}
        with self.failing():
            self._index.reload()
            searcher = self._index.searcher()
            for doc in doc_ids:
                query = made.Query.term_query(self._index.schema, "number", self.numbers[doc])
                hits = searcher.search(query, 1).hits
                if hits:
                    stored = searcher.doc(hits[0][1]).to_dict()
                    texts = {name: "".join(stored.get(name, [])) for name in self.content.texts}
                    found[doc] = IndexDocument(doc, texts, {})
        return found

    def close_index(self) -> None:
        """Forgets index and writer."""
        for name in ("_writer", "_index", "_present"):
            self.__dict__.pop(name, None)


def _names_of(fields: str | None) -> list[str] | None:
    return None if fields is None else [part.partition("^")[0] for part in fields.split()]
