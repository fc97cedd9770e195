"""The database of the sqlite engine: its tables, and how `rankproof index` fills one that is kept in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rankproof.errors import UsageError
from rankproof.kernel.libraries import library
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.engines._encoded import EncodedCorpus, open_encoded
from rankproof.stack.engines._in_process import holdable
from rankproof.stack.engines._kept_index import KeptFiller
from rankproof.stack.engines.bm25 import weights_of
from rankproof.stack.engines.dense import DECIMALS
from rankproof.stack.filling import DocumentVectors, FillRequest, IndexContent, IndexDocument
from rankproof.stack.models.find import ENDPOINT_PARAMS, MODEL_PARAMS
from rankproof.stack.records import Ground, Values

if TYPE_CHECKING:
    from apsw import Connection

VECTORS = "vector"
# Tokenizer -> as FTS5 names it, and what of it splits a query into words: Porter's stems are taken by FTS5 itself, and
# a stem of a stem would be another word.
_FOLDED = ("unicode61", "remove_diacritics", "2")
TOKENIZERS = {
    "porter": (("porter", *_FOLDED), _FOLDED),
    "unicode61": (_FOLDED, _FOLDED),
    "trigram": (("trigram",), ("trigram",)),
}


def apsw() -> ModuleType:
    """The library."""
    return library("apsw", "The engine sqlite")


class SqliteTable(Protocol):
    """What is kept of the documents: words, or vectors. `content` is what is put into it, document by document."""

    content: IndexContent

    @property
    def identity(self) -> Mapping[str, str]:
        """What the answers depend on."""

    @property
    def plan(self) -> Mapping[str, object]:
        """What an index that is kept is made of."""

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """The documents that are numbered."""

    def create(self, database: Connection) -> None:
        """Makes it, empty."""

    def put(self, database: Connection, documents: Iterable[tuple[int, IndexDocument]]) -> None:
        """Puts documents under their numbers."""

    def read(self, database: Connection, number: int) -> tuple[Mapping[str, str], DocumentVectors]:
        """Texts and vectors of a document that is there."""

    def ready(self, database: Connection) -> None:
        """What a connection needs before it searches or writes."""

    def rows(self, database: Connection, query: Query, depth: int) -> list[tuple[int, float]]:
        """Numbers and scores of the best."""


class Fts5Table:
    """A table of FTS5 with the texts of the documents. Where it is `kept`, they are stored and not only indexed."""

    def __init__(self, corpus: Corpus, values: Values, kept: bool) -> None:
        self.corpus, self._kept = corpus, kept
        self._weights = weights_of(values["fields"], corpus)
        self._indexed, self._split = TOKENIZERS[values["tokenizer"]]
        self._names = [f"f{i}" for i in range(len(self._weights))]
        texts = dict(zip(self._names, (corpus.fields[name] for name in self._weights), strict=True))
        self.content = IndexContent(corpus.doc_ids, texts, named=tuple(self._weights))

    @property
    def identity(self) -> Mapping[str, str]:
        """Corpus and analyzer, which FTS5 calls a tokenizer."""
        return {"corpus": self.corpus.content_hash, "analyzer": " ".join(self._indexed)}

    @property
    def plan(self) -> Mapping[str, object]:
        """The statement that makes the table, and which field is which column."""
        return {"statement": self._statement, "fields": dict(zip(self._names, self._weights, strict=True))}

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """All of them."""
        return self.corpus.doc_ids

    @property
    def _statement(self) -> str:
        columns, tokenizer = ", ".join(self._names), " ".join(self._indexed)
        # In memory what is indexed is enough: the texts themselves are not stored again.
        content = "" if self._kept else "content='', "
        return f"CREATE VIRTUAL TABLE docs USING fts5({columns}, {content}tokenize='{tokenizer}')"

    def create(self, database: Connection) -> None:
        """The table and its vocabulary."""
        if self._weights:  # without any field there is nothing to find
            database.execute(self._statement)
            database.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(docs, row)")

    def put(self, database: Connection, documents: Iterable[tuple[int, IndexDocument]]) -> None:
        """Rows under the numbers of the documents."""
        if self._weights:
            marks = ", ".join("?" for _ in self._names)
            insert = f"INSERT INTO docs(rowid, {', '.join(self._names)}) VALUES (?, {marks})"
            for number, one in documents:
                database.execute(insert, (number, *(one.texts[name] for name in self._names)))

    def read(self, database: Connection, number: int) -> tuple[Mapping[str, str], DocumentVectors]:
        """The stored texts."""
        (row,) = database.execute(f"SELECT {', '.join(self._names)} FROM docs WHERE rowid = ?", (number,))
        return dict(zip(self._names, row, strict=True)), {}

    def ready(self, database: Connection) -> None:
        """The tokenizers of this connection."""
        weights = ", ".join(str(weight) for weight in self._weights.values())
        self._tokenize = [(database.fts5_tokenizer(name[0], list(name[1:]))) for name in (self._split, self._indexed)]
        self._select = (
            f"SELECT rowid, -bm25(docs, {weights}) AS score FROM docs WHERE docs MATCH ? "
            "ORDER BY score DESC, rowid LIMIT ?"
        )

    def rows(self, database: Connection, query: Query, depth: int) -> list[tuple[int, float]]:
        """By bm25() of FTS5."""
        if not self._weights:
            return []
        text = holdable(query.text).encode()
        flag = apsw().FTS5_TOKENIZE_QUERY
        split, stemmed = (
            one(text, flag, None, include_offsets=False, include_colocated=False) for one in self._tokenize
        )
        # FTS5 takes long over each word of a query, also over one that no document has.
        known = {
            term for term in set(stemmed) if database.execute("SELECT 1 FROM vocabulary WHERE term = ?", (term,)).get
        }
        words = [word for word, term in zip(split, stemmed, strict=True) if term in known]
        if not words:
            return []
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        return list(database.execute(self._select, (match, depth)))


class VectorTable:
    """A table with the vectors of the documents. Where it is `kept`, one that has no vector has a row all the same."""

    def __init__(self, encoded: EncodedCorpus, kept: bool) -> None:
        self._encoded, self._kept = encoded, kept
        self.content = IndexContent(encoded.corpus.doc_ids, {}, {VECTORS: encoded})

    @property
    def identity(self) -> Mapping[str, str]:
        """Corpus, model and extension."""
        return {**self._encoded.identity, "sqlite-vec": version("sqlite-vec")}

    @property
    def plan(self) -> Mapping[str, object]:
        """The statement that makes the table."""
        return {"statement": self._statement, "dimensions": self.content.dimensions(VECTORS)}

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Those that have a vector; all of them where it is kept."""
        return self._encoded.corpus.doc_ids if self._kept else self._encoded.doc_ids

    @property
    def _statement(self) -> str:
        return "CREATE TABLE docs (number INTEGER PRIMARY KEY, vector BLOB)"

    def create(self, database: Connection) -> None:
        """The table."""
        database.execute(self._statement)

    def put(self, database: Connection, documents: Iterable[tuple[int, IndexDocument]]) -> None:
        """Rows under the numbers of the documents."""
        vectors = ((number, one.vectors[VECTORS]) for number, one in documents)
        rows = ((number, None if one is None else np.asarray(one, "<f4").tobytes()) for number, one in vectors)
        database.executemany("INSERT INTO docs VALUES (?, ?)", rows)

    def read(self, database: Connection, number: int) -> tuple[Mapping[str, str], DocumentVectors]:
        """The stored vector."""
        ((data,),) = database.execute("SELECT vector FROM docs WHERE number = ?", (number,))
        whole = isinstance(data, bytes) and len(data) % 4 == 0
        return {}, {VECTORS: np.frombuffer(data, "<f4").astype(np.float32) if whole else None}

    def ready(self, database: Connection) -> None:
        """The extension."""
        database.enable_load_extension(True)
        database.load_extension(library("sqlite_vec", "sqlite(mode='vector')").loadable_path())
        database.enable_load_extension(False)

    def rows(self, database: Connection, query: Query, depth: int) -> list[tuple[int, float]]:
        """By vec_distance_cosine() of sqlite-vec."""
        (vector,) = self._encoded.of_queries([query])
        if not vector.any():
            return []
        select = (
            f"SELECT number, round(1 - vec_distance_cosine(vector, ?), {DECIMALS}) AS score FROM docs "
            "WHERE vector IS NOT NULL ORDER BY score DESC, number LIMIT ?"
        )
        return list(database.execute(select, (np.ascontiguousarray(vector, "<f4").tobytes(), depth)))


def table_of(values: Values, ground: Ground) -> SqliteTable:
    """The table that the parameters say; checks that libraries, model and fields are there."""
    corpus, kept = ground.documents("sqlite"), values["path"] is not None
    weights = weights_of(values["fields"], corpus)
    apsw()
    if values["mode"] == "text":
        if kept and not weights:
            raise UsageError("sqlite: the documents have no field of text, so there is nothing to keep an index of.")
        return Fts5Table(corpus, values, kept)
    library("sqlite_vec", "sqlite(mode='vector')")
    fields = None if values["fields"] is None else list(weights)
    return VectorTable(open_encoded("sqlite", {**values, "fields": fields}, ground), kept)


_DECIDES = ("path", "mode", "tokenizer", *(param.name for param in (*MODEL_PARAMS, *ENDPOINT_PARAMS)))


class SqliteFiller(KeptFiller):
    """The database in a folder, to be filled."""

    def __init__(self, request: FillRequest) -> None:
        super().__init__(request)
        values = request.agreed(_DECIDES)
        fields = {mode: [part.partition("^")[0] for part in (one["fields"] or "").split()]
                  for mode, one in request.modes.items()}  # fmt: skip
        first = next(iter(fields))
        for mode, names in fields.items():
            if names != fields[first]:
                raise UsageError(
                    f"sqlite: the modes {first} and {mode} name one folder and index other fields. Give each a folder "
                    "of its own, or name the same fields in the same order; their weights may differ."
                )
        self._table = table_of({**values, "fields": request.first["fields"]}, request.ground)
        self.content = self._table.content
        self.errors = (OSError, apsw().Error)

    @property
    def file(self) -> str:
        """The database."""
        return os.path.join(self.data, "index.sqlite")

    @property
    def plan(self) -> Mapping[str, object]:
        """The statement, and the version of SQLite, on which the words of a text may depend."""
        return {"sqlite": apsw().sqlite_lib_version(), **self._table.plan}

    @cached_property
    def _database(self) -> Connection:
        self.hold()
        with self.failing():
            os.makedirs(self.data, exist_ok=True)
            database = apsw().Connection(self.file)
            self._table.ready(database)
            made = "SELECT 1 FROM sqlite_schema WHERE name = 'docs'"
            with database:
                if not database.execute(made).get:
                    self._table.create(database)
            return database

    @property
    def _id(self) -> str:
        return "number" if VECTORS in self.content.vectors else "rowid"

    def there(self, doc_ids: Sequence[str]) -> set[str]:
        """By their numbers."""
        by_number = {self.numbers[doc]: doc for doc in doc_ids}
        select = f"SELECT {self._id} FROM docs WHERE {self._id} = ?"
        with self.failing():
            return {doc for number, doc in by_number.items() if list(self._database.execute(select, (number,)))}

    def put(self, documents: Sequence[IndexDocument]) -> None:
        """In one transaction: all or none."""
        with self.failing(), self._database as database:
            self._table.put(database, ((self.numbers[one.doc_id], one) for one in documents))

    def finish(self) -> None:
        """Nothing is left to be done."""

    def count(self) -> int:
        """The rows."""
        with self.failing():
            return int(self._database.execute("SELECT count(*) FROM docs").get)

    def read(self, doc_ids: Sequence[str]) -> dict[str, IndexDocument]:
        """The rows under their numbers."""
        with self.failing():
            return {doc: IndexDocument(doc, *self._table.read(self._database, self.numbers[doc]))
                    for doc in self.there(doc_ids)}  # fmt: skip

    def close_index(self) -> None:
        """Closes the database."""
        database = self.__dict__.pop("_database", None)
        if database is not None:
            database.close()
