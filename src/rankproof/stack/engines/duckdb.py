"""DuckDB in this process: vectors by its array functions, or full text where its extension fts is installed.

`mode="vector"` (the default) compares the vector of the query with that of every document, by array_cosine_similarity
or array_inner_product: what the engine dense finds by exact search, as far as 32 bits hold. Vectors are made by a
`model`, as in dense.

`mode="text"` matches documents that have any word of the query and orders them by match_bm25. Its formula is Lucene's
variant times k1 + 1, with logarithms to the base of 10; `k1` and `b` may be chosen. All fields are one text, and a word
counts once however often the query has it. `ignore` is what separates words. DuckDB's own, the default, takes all but
the letters a to z for separators, after accents are taken off: numbers and other scripts are not found. For those say
ignore='[^\\p{L}\\p{N}]+'. Stop words are 571 of English, or none; stems are those of Porter's algorithm or of
Snowball's. The engine bm25 has another stemmer, 33 stop words, and drops single letters. Queries are words and never a
query language, and none reaches SQL but as a value.

The extension is taken from the package duckdb-extension-fts, whose version must be that of duckdb, or from where DuckDB
itself installed it with INSTALL fts. Nothing is downloaded. The database is in memory, is made anew for each benchmark,
and works with one thread, so that sums are added in one order; several threads may ask it at once.

shown on: in this process, duckdb 2.0.0, in every run of the tests; words only where the extension is installed
assumes: mode="text" with its defaults: English
source: https://duckdb.org/docs/stable/sql/functions/array, https://duckdb.org/docs/stable/core_extensions/full_text_search;
    variant: Kamphuis et al., Which BM25 Do You Mean?, ECIR 2020

>>> from rankproof.testing import searched
>>> found = searched("duckdb", {"a": "a cat sleeps", "b": "tax law"}, "the kitten naps", model="wordllama")
>>> list(found)
['a', 'b']
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.libraries import install_line, library
from rankproof.kernel.specs.kinds import Choice, Number, Param, Text, Texts
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._encoded import EncodedCorpus, open_encoded
from rankproof.stack.engines._in_process import NOTHING, Once, holdable, numbered
from rankproof.stack.engines.contract import Engine
from rankproof.stack.engines.dense import DECIMALS
from rankproof.stack.models.find import ENDPOINT_PARAMS, MODEL_PARAMS
from rankproof.stack.records import Ground, Values

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Similarity -> DuckDB's function.
SIMILARITIES = {"cosine": "array_cosine_similarity", "dot": "array_inner_product"}
STEMMERS = (
    "none", "arabic", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german", "greek",
    "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "porter",
    "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish",
)  # fmt: skip
DIGITS = 9  # further decimals of a sum depend on the order in which its parts were added
ROWS = 1_000  # that are sent at once

PARAMS = (
    Param("mode", Choice(("vector", "text")), "vector", "what is compared"),
    Param("fields", Texts(), None, "fields whose texts are joined; all when nothing is said"),
    Param("similarity", Choice(tuple(SIMILARITIES)), "cosine", "vector: how near two vectors are"),
    Param("k1", Number(0, 1000), 1.2, "text: how much more of a word still counts"),
    Param("b", Number(0, 1), 0.75, "text: how much long documents are held back"),
    Param("stemming", Choice(STEMMERS), "porter", "text: algorithm that takes words to their stems, or none"),
    Param("stop_words", Choice(("english", "none")), "english", "text: list of words that are left out, or none"),
    Param("ignore", Text(), "(\\.|[^a-z])+", "text: regular expression of what separates words"),
    *MODEL_PARAMS,
    *ENDPOINT_PARAMS,
)


def duckdb() -> ModuleType:
    """The library."""
    return library("duckdb", "The engine duckdb")


def connected() -> DuckDBPyConnection:
    """A database in memory that downloads nothing and reads no extension that it was not told to."""
    settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "threads": "1"}
    database: DuckDBPyConnection = duckdb().connect(":memory:", config=settings)
    return database


def load_full_text(database: DuckDBPyConnection) -> None:
    """Loads fts, from its package or from where DuckDB installed it; UsageError where neither has it."""
    made = duckdb()
    spec = find_spec("duckdb_extension_fts")
    for folder in list(spec.submodule_search_locations or ()) if spec is not None else []:
        file = os.path.join(folder, "extensions", f"v{made.__version__}", "fts.duckdb_extension")
        if os.path.isfile(file):
            with suppress(made.Error):
                database.execute(f"LOAD {quoted(file)}")
                return
    with suppress(made.Error):
        database.execute("LOAD fts")
        return
    raise UsageError(
        f"duckdb(mode='text') needs DuckDB's extension fts, and duckdb {made.__version__} finds none for its version. "
        f"Install one with: {install_line('duckdb_extension_fts')}, which brings the version of duckdb that it was "
        "made for; or type INSTALL fts once in DuckDB where there is a network."
    )


def quoted(text: str) -> str:
    """A text as SQL writes it, where it cannot be bound."""
    return "'" + text.replace("'", "''") + "'"


class _DuckdbTexts:
    """A table of texts with its index of words."""

    def __init__(self, corpus: Corpus, values: Values) -> None:
        self.corpus, self._values = corpus, values

    def check(self) -> None:
        """Refuses what would fail later: no extension, or an expression that is none."""
        with connected() as database:
            load_full_text(database)
            try:
                database.execute("SELECT regexp_replace('a', ?, ' ', 'g')", [self._values["ignore"]])
            except duckdb().Error as error:
                reason = str(error).splitlines()[0]
                raise UsageError(
                    f"duckdb: ignore={self._values['ignore']!r} is no regular expression that DuckDB reads: {reason} "
                    "Its syntax is RE2's: https://github.com/google/re2/wiki/Syntax."
                ) from None

    @property
    def identity(self) -> Mapping[str, str]:
        with connected() as database:
            load_full_text(database)
            found = "SELECT extension_version FROM duckdb_extensions() WHERE extension_name = 'fts'"
            ((extension,),) = database.execute(found).fetchall()
        stop, stem = self._values["stop_words"], self._values["stemming"]
        parts = [f"strip_accents, lowercase, split {self._values['ignore']}"]
        parts += [] if stop == "none" else [f"stopwords {stop}"]
        parts += [] if stem == "none" else [f"stemmer {stem}"]
        return {
            "corpus": self.corpus.content_hash,
            "analyzer": ", ".join(parts),
            "fts": extension or "not told",
        }

    @property
    def doc_ids(self) -> tuple[str, ...]:
        return self.corpus.doc_ids

    def fill(self, database: DuckDBPyConnection, places: Sequence[int]) -> None:
        load_full_text(database)
        texts = self.corpus.texts(self._values["fields"])
        database.execute("CREATE TABLE docs (number BIGINT, text VARCHAR)")
        for at in range(0, len(places), ROWS):
            part = [holdable(texts[place]) for place in places[at : at + ROWS]]
            numbers = list(range(at, at + len(part)))
            database.execute("INSERT INTO docs SELECT unnest(?::BIGINT[]), unnest(?::VARCHAR[])", [numbers, part])
        values = self._values
        database.execute(
            "PRAGMA create_fts_index('docs', 'number', 'text', "
            f"stemmer={quoted(values['stemming'])}, stopwords={quoted(values['stop_words'])}, "
            f"ignore={quoted(values['ignore'])}, strip_accents=1, lower=1)"
        )

    def rows(self, database: DuckDBPyConnection, query: Query, depth: int) -> list[tuple[int, float]]:
        select = (
            f"SELECT number, round(fts_main_docs.match_bm25(number, ?, k := ?, b := ?), {DIGITS}) AS score FROM docs "
            "WHERE score IS NOT NULL ORDER BY score DESC, number LIMIT ?"
        )
        bound = [holdable(query.text), self._values["k1"], self._values["b"], depth]
        return list(database.execute(select, bound).fetchall())


class _DuckdbVectors:
    """A table of arrays."""

    def __init__(self, encoded: EncodedCorpus, values: Values) -> None:
        self._encoded, self._function = encoded, SIMILARITIES[values["similarity"]]

    @property
    def identity(self) -> Mapping[str, str]:
        return self._encoded.identity

    @property
    def doc_ids(self) -> tuple[str, ...]:
        return self._encoded.doc_ids

    def fill(self, database: DuckDBPyConnection, places: Sequence[int]) -> None:
        vectors = self._encoded.vectors
        size = vectors.shape[1]
        database.execute(f"CREATE TABLE docs (number BIGINT, vector FLOAT[{size}])")
        insert = f"INSERT INTO docs SELECT unnest(?::BIGINT[]), unnest(?::FLOAT[{size}][])"
        for at in range(0, len(places), ROWS):
            part = vectors[list(places[at : at + ROWS])]
            database.execute(insert, [list(range(at, at + len(part))), part.tolist()])

    def rows(self, database: DuckDBPyConnection, query: Query, depth: int) -> list[tuple[int, float]]:
        (vector,) = self._encoded.of_queries([query])
        if not vector.any():
            return []
        select = (
            f"SELECT number, round({self._function}(vector, ?::FLOAT[{len(vector)}])::DOUBLE, {DECIMALS}) AS score "
            "FROM docs ORDER BY score DESC, number LIMIT ?"
        )
        return list(database.execute(select, [vector.tolist(), depth]).fetchall())


class _DuckdbSearcher:
    def __init__(self, table: _DuckdbTexts | _DuckdbVectors) -> None:
        self._table, self._once = table, Once(self._build)

    @property
    def identity(self) -> Mapping[str, str]:
        return {**self._table.identity, "duckdb": duckdb().__version__}

    @property
    def notes(self) -> Mapping[str, str]:
        """How many documents the index has, once it is built."""
        built = self._once.built
        return {} if built is None else {"index": f"{len(built.index[1]):,} documents"}

    @property
    def observed(self) -> Mapping[str, float]:
        """The time that building took, with the time of the model, and the memory that DuckDB holds."""
        built = self._once.built
        if built is None:
            return {}
        held = "SELECT sum(memory_usage_bytes) FROM duckdb_memory()"
        ((size,),) = built.index[0].cursor().execute(held).fetchall()
        documents = float(len(built.index[1]))
        return {"index_documents": documents, "index_bytes": float(size), "index_seconds": built.seconds}

    def prepare(self) -> None:
        """Builds the database, so that the first query does not pay for it."""
        self._once()

    def _build(self) -> tuple[DuckDBPyConnection, tuple[int, ...]]:
        places = numbered(self._table.doc_ids)
        database = connected()
        if places:
            self._table.fill(database, places)
        return database, places

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        database, places = self._once()
        if not places:
            return [NOTHING for _ in queries]
        # A cursor is a connection of its own to the same database: threads do not share one.
        with database.cursor() as cursor:
            return [self._ranking(places, self._table.rows(cursor, query, depth)) for query in queries]

    def _ranking(self, places: tuple[int, ...], rows: list[tuple[int, float]]) -> Ranking:
        ids = tuple(self._table.doc_ids[places[number]] for number, _ in rows)
        return Ranking(ids, np.array([score for _, score in rows], dtype=np.float64) + 0.0)  # no -0.0


def open_duckdb(values: Values, ground: Ground) -> _DuckdbSearcher:
    """Checks that libraries, model and fields are there; the database is built by `prepare` or the first search."""
    corpus = ground.documents("duckdb")
    for name in values["fields"] or ():
        if name not in corpus.fields:
            raise UnknownName(f"field of {corpus.name}", name, corpus.fields)
    duckdb()
    if values["mode"] == "vector":
        return _DuckdbSearcher(_DuckdbVectors(open_encoded("duckdb", values, ground), values))
    words = _DuckdbTexts(corpus, values)
    words.check()
    return _DuckdbSearcher(words)


OFFERS = (
    Engine(
        name="duckdb",
        page=__doc__,
        params=PARAMS,
        open=open_duckdb,
        needs=frozenset({"corpus"}),
        extra="all",
    ),
)
