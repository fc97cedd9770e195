"""PostgreSQL: a table, searched by full text, by vectors of pgvector, or by both in one statement.

`mode="text"` matches words and orders by ts_rank_cd. The words of a document are in a tsvector column (`tsvector`, the
fast way: give it a GIN index), or are made of up to four text columns with weights (`fields`). `match="all"` wants
every word, by websearch_to_tsquery as a search box has it; `match="any"` is content with one, which long queries need.
`mode="vector"` orders by distance to `vector_column`. Vectors of queries come from a `model`, or from a column of the
queries (`vector`). `mode="hybrid"` takes the first `candidates` of each and fuses them by reciprocal rank, with `k` and
weights. hnsw.ef_search is set to as many documents as are wanted (or to `ef_search`, if that is more), up to pgvector's
limit of 1,000: with the server's own 40, an index gives no more than 40 documents.

The address is taken from the environment variable DATABASE_URL unless `dsn` names another one: dsn="${SHOP_DATABASE}".
Neither reports nor errors show what it holds. Connections may only read. Names of tables and columns are
quoted, so they are written as the database has them; everything else is bound.

shown on: a real PostgreSQL 18 with pgvector 0.8 (tests/live)
assumes: one row for each document; `id` has the ids that the judgments use
source: https://www.postgresql.org/docs/current/textsearch-controls.html, https://github.com/pgvector/pgvector

postgres(table="products", fields="title^4 text", match="any")
postgres(table="products", mode="hybrid", tsvector="words", vector_column="embedding", model="minilm")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any

from rankproof.errors import UsageError
from rankproof.kernel.secrets import SECRET, Secrets
from rankproof.kernel.specs.kinds import REQUIRED, Choice, Number, Param, Text, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._answer import ranking_of
from rankproof.stack.engines._fields import names_of, told_of_fields, unknown_field
from rankproof.stack.engines._hit_fields import hit_fields_param, named_fields
from rankproof.stack.engines._kinds import Fields
from rankproof.stack.engines._postgres_fill import PARAMS as FILL_PARAMS
from rankproof.stack.engines._postgres_fill import PLACE, SIZES, marker_in, open_filler
from rankproof.stack.engines._postgres_pool import ConnectionPool
from rankproof.stack.engines._postgres_sql import (
    ABOUT,
    CLASSES,
    COLUMNS,
    DISTANCES,
    TABLES,
    WRITES,
    columns_of,
    rows_of,
    statement,
    table_name,
    weights_of,
)
from rankproof.stack.engines._vectors import VECTOR_PARAMS, open_vectors
from rankproof.stack.engines.contract import AskFailed, Engine
from rankproof.stack.filling import Fills, seconds_of
from rankproof.stack.records import Ground, Values

SECONDS_FOR_IDENTITY = 30.0
SECONDS_FOR_ROWS = 30.0  # to read a table through once
MOST_EF = 1000  # pgvector's own limit
_PASSWORD = re.compile(r"://[^/@\s]*:[^/@\s]+@|password\s*=\s*[^\s]")

PARAMS = (
    Param("table", Text(), REQUIRED, "table to search, perhaps with its schema"),
    Param("mode", Choice(("text", "vector", "hybrid")), "text", "what is compared"),
    Param("dsn", Text(), "${DATABASE_URL}", "address of the database, from an environment variable"),
    Param("id", Text(), "id", "column with the document's id"),
    Param("fields", Fields(), None, "text columns with weights, four at most, such as 'title^4 text'"),
    Param("tsvector", Text(), None, "tsvector column to search, in place of fields"),
    Param("language", Text(), "english", "text search configuration"),
    Param("match", Choice(("all", "any")), "all", "whether all words of the query must match, or one"),
    Param(
        "normalization", Whole(0), 0, "how ts_rank_cd counts the length of a document: 0 does not, 1 divides by its log"
    ),
    Param("vector_column", Text(), "embedding", "pgvector column"),
    Param("distance", Choice(tuple(DISTANCES)), "cosine", "distance between vectors"),
    Param("ef_search", Whole(), 40, "effort of an HNSW index"),
    Param("candidates", Whole(), 100, "hybrid: how many of each list are fused, at least as many as wanted"),
    Param("k", Number(0, open_low=True), 60.0, "hybrid: rank constant"),
    Param("text_weight", Number(0), 1.0, "hybrid: weight of the list by text"),
    Param("vector_weight", Number(0), 1.0, "hybrid: weight of the list by vector"),
    hit_fields_param("a column"),
    *VECTOR_PARAMS,
)


class Postgres:
    """A table, opened."""

    def __init__(self, values: Values, ground: Ground) -> None:
        _refuse_misfit(values)
        self._values = values
        self._secrets = Secrets("postgres", values["dsn"])
        self._pool = ConnectionPool(values["dsn"], self._secrets)
        self._vectors = None if values["mode"] == "text" else open_vectors(values, ground)
        self._sql = statement(values)

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        """One statement, one ranking."""
        values = self._values
        candidates = max(values["candidates"], depth)
        nearest = candidates if values["mode"] == "hybrid" else depth
        bound: dict[str, object] = {
            **{name: values[name] for name in ("language", "normalization", "k", "text_weight", "vector_weight")},
            "query": _sendable(query.text),
            "depth": depth,
            "candidates": candidates,
            "wanted_nearest": nearest,
            "weights": weights_of(values["fields"]),
        }
        settings = {}
        if self._vectors is not None:
            bound["vector"] = str(self._vectors(query))
            settings["hnsw.ef_search"] = str(min(max(values["ef_search"], nearest), MOST_EF))
        try:
            rows = self._pool.rows(self._sql, bound, timeout, settings)
            kept = self._kept([str(row[0]) for row in rows[:depth]], timeout)
        except AskFailed as failed:
            raise told_of_fields(failed, self._wrong_name) from None
        return ranking_of([row[0] for row in rows], [row[1] for row in rows], depth, kept)

    def _kept(self, ids: list[str], timeout: float) -> list[dict[str, str]]:
        """The columns of the hits that are kept, by a statement of their own; nothing where none are."""
        fields: Mapping[str, str] = self._values["hit_fields"]
        if not fields or not ids:
            return []
        rows = self._pool.rows(columns_of(self._values, list(fields.values())), {"ids": ids}, timeout)
        found = {str(row[0]): dict(zip(fields.values(), row[1:], strict=True)) for row in rows}
        return named_fields(fields, [found.get(doc, {}) for doc in ids])

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Versions of server and pgvector; rows, their state and the indexes: a table that changed is another one.

        UsageError for a table or a column that the database does not have.
        """
        if why := self._wrong_name():
            raise UsageError(f"postgres: {why}")
        table = self._values["table"]
        ((server, pgvector, kind, indexes),) = self._pool.rows(
            ABOUT, {"table": table_name(table)}, SECONDS_FOR_IDENTITY
        )
        count, state = self._rows(table, kind)
        model = {} if self._vectors is None else self._vectors.identity
        language, made = self._values["language"], self._values["tsvector"] is not None
        analyzer = f"{language}, of queries; the tsvector column has its own" if made else language
        words = {} if self._values["mode"] == "vector" else {"analyzer": analyzer}
        return {
            "postgresql": server,
            "pgvector": pgvector or "not installed",
            "documents": str(count),
            "rows": "not told" if state is None else sha256(str(state).encode()).hexdigest()[:16],
            "indexes": sha256(indexes.encode()).hexdigest()[:16],
            **words,
            **self._secrets.identity(self._values["dsn"]),
            **model,
        }

    def _wrong_name(self) -> str:
        """What to say of a table or column that is not there; "" where all are."""
        values = self._values
        bound = {"table": table_name(values["table"])}
        columns = [str(row[0]) for row in self._pool.rows(COLUMNS, bound, SECONDS_FOR_IDENTITY)]
        if not columns:
            tables = [str(row[0]) for row in self._pool.rows(TABLES, {}, SECONDS_FOR_IDENTITY)]
            return unknown_field(
                "table of the database", [values["table"]], [t for t in tables if t != values["table"]]
            )
        asked = [values["id"], *values["hit_fields"].values()]
        if values["mode"] != "vector":
            asked += [values["tsvector"]] if values["tsvector"] else names_of(values["fields"])
        if values["mode"] != "text":
            asked.append(values["vector_column"])
        return unknown_field(f"column of the table {values['table']!r}", asked, columns)

    @property
    def observed(self) -> Mapping[str, float]:
        """Of a table that `rankproof index` made: rows, bytes, and the seconds that it took. Else nothing."""
        try:
            rows = self._pool.rows(SIZES, {"table": table_name(self._values["table"])}, SECONDS_FOR_IDENTITY)
        except AskFailed:
            return {}
        ((comment, documents, size),) = rows
        marker = marker_in(comment or "")
        if marker is None:
            return {}
        seconds, counts = seconds_of(marker), {"index_documents": float(documents), "index_bytes": float(size)}
        return counts if seconds is None else {**counts, "index_seconds": seconds}

    def _rows(self, table: str, kind: str) -> tuple[Any, Any]:
        """How many rows, and their state; of a table too large to be read through, how often it was written to."""
        try:
            ((count, state),) = self._pool.rows(rows_of(table, kind), {}, SECONDS_FOR_ROWS)
        except AskFailed as failed:
            if failed.kind != "timeout":
                raise
            ((state,),) = self._pool.rows(WRITES, {"table": table_name(table)}, SECONDS_FOR_IDENTITY)
            return "not told", state
        return count, state

    def close(self) -> None:
        """Gives connections back."""
        self._pool.close()


def _sendable(text: str) -> str:
    """The text without what PostgreSQL cannot hold: bytes that are no UTF-8, and the character 0."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _refuse_misfit(values: Values) -> None:
    fields, words = values["fields"], values["tsvector"]
    if values["mode"] != "vector" and (fields is None) == (words is None):
        named = "neither" if fields is None else "both"
        raise UsageError(
            f"postgres: mode={values['mode']!r} searches fields or a tsvector column; got {named}. Name one."
        )
    if fields is not None and len(fields.split()) > len(CLASSES):
        raise UsageError(
            f"postgres: {len(fields.split())} fields; PostgreSQL weighs four classes of words. "
            "Make a tsvector column of them and name it as tsvector."
        )
    if _PASSWORD.search(SECRET.sub("", values["dsn"])):
        raise UsageError(
            "postgres: the address holds a password. Put it into an environment variable: dsn='${DATABASE_URL}'."
        )


OFFERS = (
    Engine(
        name="postgres",
        page=__doc__,
        params=PARAMS,
        open=Postgres,
        live=True,
        extra="all",
        fills=Fills(PLACE, open_filler, FILL_PARAMS),
    ),
)
