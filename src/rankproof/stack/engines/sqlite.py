"""SQLite in this process: full text of FTS5 with its bm25(), or vectors with sqlite-vec.

`mode="text"` matches documents that have any word of the query, by the words of a tokenizer of FTS5: `porter` (the
default) is unicode61 with diacritics removed, and Porter's stemmer for English; `unicode61` is that without stems;
`trigram` finds parts of words. FTS5's bm25() has k1 = 1.2 and b = 0.75, which it does not let one choose, and the
rarity of Robertson's variant; for a word in half of the documents or more it is 0.000001 and never negative. `fields`
has weights, which FTS5 multiplies into the frequency of a word. A word that stands twice in the query counts twice.
FTS5 has no list of stop words and keeps single letters, both unlike the engine bm25. Queries are words and never a
query language: quotes, operators and wildcards in them mean nothing.

`mode="vector"` compares the vector of the query with that of every document, by sqlite-vec's vec_distance_cosine: what
the engine dense finds by exact search, up to the last of six decimals. Vectors are made by a `model`, as in dense, and
fields are joined whatever their weights.

The library is apsw, which brings an SQLite of its own: the sqlite3 of Python may not load extensions. The database is
in memory, is made anew for each benchmark, and is asked by one thread at a time. Its size is noted.

assumes: with tokenizer=porter, English
source: https://www.sqlite.org/fts5.html, https://github.com/asg017/sqlite-vec; variant: Kamphuis et al., ECIR 2020

Four documents of two words each; one of them has "lamp": its rarity is ln((4 - 1 + 0.5) / (1 + 0.5)) = 0.8473, and one
of it makes (1.2 + 1) / (1 + 1.2) = 1 of that:

>>> from rankproof.testing import searched
>>> texts = {"a": "red tent", "b": "green tent", "c": "red lamp", "d": "long rope"}
>>> searched("sqlite", texts, "lamps")
{'c': 0.8473}
>>> searched("sqlite", texts, 'NEAR(lamp* "')
{'c': 0.8473}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from rankproof.kernel.libraries import library
from rankproof.kernel.progress import Progress
from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._encoded import EncodedCorpus, open_encoded
from rankproof.stack.engines._in_process import NOTHING, Once, holdable, numbered, told
from rankproof.stack.engines._kinds import Fields
from rankproof.stack.engines.bm25 import weights_of
from rankproof.stack.engines.contract import Engine
from rankproof.stack.engines.dense import DECIMALS
from rankproof.stack.models.find import ENDPOINT_PARAMS, MODEL_PARAMS
from rankproof.stack.records import Ground, Values

if TYPE_CHECKING:
    from apsw import Connection

# Tokenizer -> as FTS5 names it, and what of it splits a query into words: Porter's stems are taken by FTS5 itself, and
# a stem of a stem would be another word.
_FOLDED = ("unicode61", "remove_diacritics", "2")
TOKENIZERS = {
    "porter": (("porter", *_FOLDED), _FOLDED),
    "unicode61": (_FOLDED, _FOLDED),
    "trigram": (("trigram",), ("trigram",)),
}

PARAMS = (
    Param("mode", Choice(("text", "vector")), "text", "what is compared"),
    Param("fields", Fields(), None, "fields with weights, such as 'title^3 text'; all alike when nothing is said"),
    Param("tokenizer", Choice(tuple(TOKENIZERS)), "porter", "text: what FTS5 finds words with"),
    *MODEL_PARAMS,
    *ENDPOINT_PARAMS,
)


def apsw() -> ModuleType:
    """The library."""
    return library("apsw", "The engine sqlite")


class _Fts5Table:
    """A table of FTS5 with the texts of the documents."""

    def __init__(self, corpus: Corpus, values: Values, progress: Progress) -> None:
        self.corpus, self._progress = corpus, progress
        self._weights = weights_of(values["fields"], corpus)
        self._indexed, self._split = TOKENIZERS[values["tokenizer"]]

    @property
    def identity(self) -> Mapping[str, str]:
        return {"corpus": self.corpus.content_hash, "tokenizer": " ".join(self._indexed)}

    @property
    def doc_ids(self) -> tuple[str, ...]:
        return self.corpus.doc_ids

    def fill(self, database: Connection, places: Sequence[int]) -> None:
        if not self._weights:
            return  # documents without any field: there is nothing to find
        columns = ", ".join(f"f{i}" for i in range(len(self._weights)))
        marks = ", ".join("?" for _ in self._weights)
        weights = ", ".join(str(weight) for weight in self._weights.values())
        tokenizer = " ".join(self._indexed)
        # What is indexed is enough: the texts themselves are not stored again.
        database.execute(f"CREATE VIRTUAL TABLE docs USING fts5({columns}, content='', tokenize='{tokenizer}')")
        database.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(docs, row)")
        insert = f"INSERT INTO docs(rowid, {columns}) VALUES (?, {marks})"
        for number, place in enumerate(places):
            texts = [holdable(self.corpus.fields[name][place]) for name in self._weights]
            database.execute(insert, (number, *texts))
            self._progress("sqlite: indexing document", number + 1, len(places))
        self._tokenize = [(database.fts5_tokenizer(name[0], list(name[1:]))) for name in (self._split, self._indexed)]
        self._select = (
            f"SELECT rowid, -bm25(docs, {weights}) AS score FROM docs WHERE docs MATCH ? "
            "ORDER BY score DESC, rowid LIMIT ?"
        )

    def rows(self, database: Connection, query: Query, depth: int) -> list[tuple[int, float]]:
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


class _SqliteVectors:
    """A table with the vectors of the documents."""

    def __init__(self, encoded: EncodedCorpus) -> None:
        self._encoded = encoded

    @property
    def identity(self) -> Mapping[str, str]:
        return {**self._encoded.identity, "sqlite-vec": version("sqlite-vec")}

    @property
    def doc_ids(self) -> tuple[str, ...]:
        return self._encoded.doc_ids

    def fill(self, database: Connection, places: Sequence[int]) -> None:
        database.enable_load_extension(True)
        database.load_extension(library("sqlite_vec", "sqlite(mode='vector')").loadable_path())
        database.enable_load_extension(False)
        database.execute("CREATE TABLE docs (number INTEGER PRIMARY KEY, vector BLOB NOT NULL)")
        if places:
            vectors = np.ascontiguousarray(self._encoded.vectors, "<f4")
            rows = ((number, vectors[place].tobytes()) for number, place in enumerate(places))
            database.executemany("INSERT INTO docs VALUES (?, ?)", rows)

    def rows(self, database: Connection, query: Query, depth: int) -> list[tuple[int, float]]:
        (vector,) = self._encoded.of_queries([query])
        if not vector.any():
            return []
        select = (
            f"SELECT number, round(1 - vec_distance_cosine(vector, ?), {DECIMALS}) AS score FROM docs "
            "ORDER BY score DESC, number LIMIT ?"
        )
        return list(database.execute(select, (np.ascontiguousarray(vector, "<f4").tobytes(), depth)))


class _SqliteSearcher:
    def __init__(self, table: _Fts5Table | _SqliteVectors) -> None:
        self._table, self._once, self._lock = table, Once(self._build), Lock()

    @property
    def identity(self) -> Mapping[str, str]:
        return {**self._table.identity, "sqlite": apsw().sqlite_lib_version()}

    @property
    def notes(self) -> Mapping[str, str]:
        """The size of the database, once it is built."""
        built = self._once.built
        if built is None:
            return {}
        database, places = built.index
        with self._lock:
            size = database.pragma("page_count") * database.pragma("page_size")
        return {"index": told(len(places), size)}

    @property
    def observed(self) -> Mapping[str, float]:
        """The time that building took, with the time of the model."""
        built = self._once.built
        return {} if built is None else {"index_seconds": built.seconds}

    def prepare(self) -> None:
        """Builds the database, so that the first query does not pay for it."""
        self._once()

    def _build(self) -> tuple[Connection, tuple[int, ...]]:
        places = numbered(self._table.doc_ids)
        database = apsw().Connection(":memory:")
        with database:
            self._table.fill(database, places)
        return database, places

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        database, places = self._once()
        return [self._one(database, places, query, depth) for query in queries]

    def _one(self, database: Connection, places: tuple[int, ...], query: Query, depth: int) -> Ranking:
        if not places:
            return NOTHING
        with self._lock:
            rows = self._table.rows(database, query, depth)
        ids = tuple(self._table.doc_ids[places[number]] for number, _ in rows)
        return Ranking(ids, np.array([score for _, score in rows], dtype=np.float64) + 0.0)  # no -0.0


def open_sqlite(values: Values, ground: Ground) -> _SqliteSearcher:
    """Checks that libraries, model and fields are there; the database is built by `prepare` or the first search."""
    corpus = ground.documents("sqlite")
    weights = weights_of(values["fields"], corpus)
    apsw()
    if values["mode"] == "text":
        return _SqliteSearcher(_Fts5Table(corpus, values, ground.progress))
    library("sqlite_vec", "sqlite(mode='vector')")
    fields = None if values["fields"] is None else list(weights)
    return _SqliteSearcher(_SqliteVectors(open_encoded("sqlite", {**values, "fields": fields}, ground)))


OFFERS = (
    Engine(
        name="sqlite",
        page=__doc__,
        params=PARAMS,
        open=open_sqlite,
        needs=frozenset({"corpus"}),
        extra="all",
    ),
)
