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
in memory and is made anew for each benchmark, or lies in the folder `path`, where `rankproof index` fills it once and
stores the texts too, so that they can be read back. It is asked by one thread at a time. Its size is noted.

shown on: in this process, apsw 3.54.1.0 and sqlite-vec 0.1.9, in every run of the tests
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

from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.progress import Progress
from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._in_process import NOTHING, Once, numbered, told
from rankproof.stack.engines._kept_index import PATH
from rankproof.stack.engines._kinds import Fields
from rankproof.stack.engines._sqlite_index import TOKENIZERS, SqliteFiller, SqliteTable, apsw, table_of
from rankproof.stack.engines.contract import Engine
from rankproof.stack.filling import FillRequest, Fills, IndexDocument, seconds_of
from rankproof.stack.models.find import ENDPOINT_PARAMS, MODEL_PARAMS
from rankproof.stack.records import Ground, Values

if TYPE_CHECKING:
    from apsw import Connection

PARAMS = (
    Param("mode", Choice(("text", "vector")), "text", "what is compared"),
    Param("fields", Fields(), None, "fields with weights, such as 'title^3 text'; all alike when nothing is said"),
    Param("tokenizer", Choice(tuple(TOKENIZERS)), "porter", "text: what FTS5 finds words with"),
    *MODEL_PARAMS,
    *ENDPOINT_PARAMS,
    PATH,
)


class _SqliteSearcher:
    def __init__(self, table: SqliteTable, progress: Progress, filled: SqliteFiller | None) -> None:
        self._table, self._progress, self._filled, self._lock = table, progress, filled, Lock()
        self._seconds = None if filled is None else seconds_of(filled.require())
        self._once = Once(self._build if filled is None else self._open)

    @property
    def identity(self) -> Mapping[str, str]:
        return {**self._table.identity, "sqlite": apsw().sqlite_lib_version()}

    @property
    def notes(self) -> Mapping[str, str]:
        """The size of the database, once it is built."""
        built = self._once.built
        if built is None:
            return {}
        return {"index": told(len(built.index[1]), self._size)}

    @property
    def observed(self) -> Mapping[str, float]:
        """The bytes, and the time that building took, with the time of the model, or filling by `rankproof index`."""
        built = self._once.built
        if built is None:
            return {}
        seconds = built.seconds if self._filled is None else self._seconds
        counts = {"index_documents": float(len(built.index[1])), "index_bytes": float(self._size)}
        return counts if seconds is None else {**counts, "index_seconds": seconds}

    @property
    def _size(self) -> int:
        database, _ = self._once()
        with self._lock:
            return int(database.pragma("page_count") * database.pragma("page_size"))

    def prepare(self) -> None:
        """Builds the database, so that the first query does not pay for it."""
        self._once()

    def _build(self) -> tuple[Connection, tuple[int, ...]]:
        places = numbered(self._table.doc_ids)
        database = apsw().Connection(":memory:")
        content = self._table.content
        placed = {doc: place for place, doc in enumerate(content.doc_ids)}
        with database:
            self._table.ready(database)
            self._table.create(database)
            self._table.put(database, self._numbered(places, placed))
        return database, places

    def _numbered(self, places: tuple[int, ...], placed: Mapping[str, int]) -> Iterator[tuple[int, IndexDocument]]:
        for number, place in enumerate(places):
            (document,) = self._table.content.documents([placed[self._table.doc_ids[place]]])
            yield number, document
            self._progress("sqlite: indexing document", number + 1, len(places))

    def _open(self) -> tuple[Connection, tuple[int, ...]]:
        """The database that is kept, which is only read."""
        assert self._filled is not None
        made = apsw()
        try:
            database = made.Connection(self._filled.file, flags=made.SQLITE_OPEN_READONLY)
            self._table.ready(database)
            database.execute("SELECT 1 FROM docs LIMIT 1")
        except made.Error as error:
            raise InputError(
                f"{self._filled.name} cannot be read: {error}. Make it anew: rankproof index CONFIG --replace"
            ) from None
        return database, numbered(self._table.doc_ids)

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
    """Checks libraries, model, fields and an index that is kept; another is built by `prepare` or the first search."""
    filled = None if values["path"] is None else SqliteFiller(FillRequest("sqlite", {"": values}, {}, ground))
    return _SqliteSearcher(table_of(values, ground), ground.progress, filled)


OFFERS = (
    Engine(
        name="sqlite",
        page=__doc__,
        params=PARAMS,
        open=open_sqlite,
        needs=frozenset({"corpus"}),
        extra="all",
        fills=Fills(("path",), SqliteFiller),
    ),
)
