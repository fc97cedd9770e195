"""Filling of the postgres engine: a table with a text column for each field, words as tsvector, vectors of pgvector."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.stack.engines._postgres_pool import ConnectionPool
from rankproof.stack.filling import (
    FillRequest,
    IndexContent,
    IndexDocument,
    IndexFound,
    Vector,
    numbers_of,
    refuse_ids,
    refuse_names,
    short_numbers,
)
from rankproof.stack.records import Values

if TYPE_CHECKING:
    from psycopg import Connection

T = TypeVar("T")

PLACE = ("dsn", "table")
PARAMS = (
    Param("vector_index", Choice(("hnsw", "none")), "hnsw", "index of vectors; with none, all of them are compared"),
)
# Of a row of an index by B-tree, less what it has besides.
MOST_ID_BYTES = 2600
MOST_NAME_BYTES = 63
MOST_HNSW_DIMENSIONS = 2000
SECONDS = 120.0
SECONDS_TO_FINISH = 24 * 3600.0
_SYSTEM = ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid")
_OPERATORS = {"cosine": "vector_cosine_ops", "euclidean": "vector_l2_ops", "inner": "vector_ip_ops"}
_COMMENT = "rankproof index "
# Kind of the table, its comment, rows as the planner knows them, and its columns with their types.
_FOUND = """select c.oid::bigint, c.relkind::text, obj_description(c.oid, 'pg_class'),
  (select json_object_agg(attname, format_type(atttypid, atttypmod))::text from pg_attribute
   where attrelid = c.oid and attnum > 0 and not attisdropped)
from pg_class c where c.oid = to_regclass(%(table)s)"""


def name(text: str) -> str:
    """A name in a statement without bound values.

    >>> name('a"b')
    '"a""b"'
    """
    return '"' + text.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in a statement that binds no values, whatever the server makes of backslashes.

    >>> literal("it's")
    " E'it''s'"
    """
    return " E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


# Comment, documents as the planner knows them since they were all put, and bytes with those of the indexes.
SIZES = """select obj_description(oid, 'pg_class'), greatest(reltuples, 0)::bigint, pg_total_relation_size(oid)
from pg_class where oid = to_regclass(%(table)s)"""


class PostgresFiller:
    """A table, to be filled."""

    def __init__(self, request: FillRequest) -> None:
        agreed = request.agreed((*PLACE, "id"))
        self._id: str = agreed["id"]
        self._settings = request.settings
        self._table = ".".join(name(part) for part in agreed["table"].split("."))
        self.name = f"postgres: the table {agreed['table']!r}"
        modes = request.modes.items()
        self._words = _languages({mode: one for mode, one in modes if one["mode"] != "vector" and one["tsvector"]})
        columns = {mode: one["vector_column"] for mode, one in modes if one["mode"] != "text"}
        self._distances = {
            column: sorted({one["distance"] for mode, one in modes if columns.get(mode) == column})
            for column in columns.values()
        }
        request.fields_named()
        corpus = request.corpus
        fits = f"a column has a name of 1 to {MOST_NAME_BYTES} bytes, without the character 0"
        taken = [self._id, *self._words, *self._distances, *_SYSTEM]
        refuse_names("postgres", corpus.fields, taken, _possible, fits)
        refuse_ids("postgres", corpus.doc_ids, MOST_ID_BYTES)
        cosine = all(distances == ["cosine"] for distances in self._distances.values())
        self.content = IndexContent(corpus.doc_ids, corpus.fields, request.vectors(columns, cosine))
        self._secrets = Secrets("postgres", agreed["dsn"])
        self._pool = ConnectionPool(agreed["dsn"], self._secrets, writes=True)

    # ---- what is made ----------------------------------------------------------------------------

    @cached_property
    def plan(self) -> Mapping[str, object]:
        """The statements, in their order: the table before documents are put, the indexes after."""
        return {"before": [f"create table {self._table} ({self._columns})"], "after": self._indexes}

    @cached_property
    def _types(self) -> dict[str, str]:
        """By column its type, as the server writes it."""
        types = {
            self._id: "text",
            **dict.fromkeys(self.content.texts, "text"),
            **dict.fromkeys(self._words, "tsvector"),
        }
        return types | {column: f"vector({self.content.dimensions(column)})" for column in self.content.vectors}

    @property
    def _columns(self) -> str:
        joined = " || ' ' || ".join(name(field) for field in self.content.texts) or "''"
        parts = []
        for column, kind in self._types.items():
            more = ""
            if column == self._id:
                more = " primary key"
            elif column in self._words:
                language = literal(self._words[column]).strip()
                more = f" generated always as (to_tsvector({language}::regconfig, {joined})) stored"
            elif column in self.content.texts:
                more = " not null"
            parts.append(f"{name(column)} {kind}{more}")
        return ", ".join(parts)

    @property
    def _indexes(self) -> list[str]:
        made = [self._index(column, "gin", name(column)) for column in self._words]
        if self._settings["vector_index"] == "hnsw":
            for column, distances in self._distances.items():
                size = self.content.dimensions(column)
                if size > MOST_HNSW_DIMENSIONS:
                    raise UsageError(
                        f"postgres: {column!r} has vectors of {size:,} numbers, and an HNSW index of pgvector takes "
                        f'{MOST_HNSW_DIMENSIONS:,} at most. Say [index.postgres] vector_index = "none", or name a '
                        "smaller model."
                    )
                for distance in distances:
                    how = f"{name(column)} {_OPERATORS[distance]}"
                    made.append(self._index(f"{column} {distance}", "hnsw", how))
        return [*made, f"analyze {self._table}"]

    def _index(self, what: str, method: str, how: str) -> str:
        # Names of indexes are unique in a schema; one of an other table would make this one seem to be there.
        digits = sha256(f"{self._table} {what}".encode()).hexdigest()[:16]
        return f"create index if not exists rankproof_{digits} on {self._table} using {method} ({how})"

    def found(self) -> IndexFound | None:
        """What is there under the name: a table, or something else."""
        rows = self._pool.rows(_FOUND, {"table": self._table}, SECONDS)
        if not rows:
            return None
        ((birth, kind, comment, columns),) = rows
        types = json.loads(columns or "{}")
        marker = marker_in(comment or "") if kind == "r" else None
        if marker is not None and types != self._types:
            marker = {**marker, "plan": "the columns were changed"}
        what = f"columns {', '.join(list(types)[:8])}" if kind == "r" else "no table, but a view or the like"
        if kind == "r":
            what = f"{counted(self.count(), 'row')}; {what}"
        return IndexFound(marker, str(birth), what)

    def create(self, marker: Mapping[str, object]) -> None:
        """Makes the table with its comment, in one transaction."""
        statements = [str(one) for one in self._statements("before")]
        if self.content.vectors:
            statements.insert(0, "create extension if not exists vector")
        self._run([*statements, self._comment(marker)], SECONDS)

    def _statements(self, part: str) -> list[str]:
        found = self.plan[part]
        assert isinstance(found, list)
        return found

    def _comment(self, marker: Mapping[str, object]) -> str:
        return f"comment on table {self._table} is{literal(_COMMENT + to_json(dict(marker)))}"

    def mark(self, marker: Mapping[str, object]) -> None:
        """Writes the comment."""
        self._run([self._comment(marker)], SECONDS)

    def remove(self) -> None:
        """Drops the table; refused by the server where something depends on it."""
        self._run([f"drop table if exists {self._table}"], SECONDS)

    def _run(self, statements: Sequence[str], seconds: float) -> None:
        """All of them or none; by one process at a time."""

        def run(connection: Connection[tuple[object, ...]]) -> None:
            with connection.transaction():
                connection.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", [self._table])
                for statement in statements:
                    connection.execute(statement.encode())

        self._pool.do(run, seconds)

    # ---- documents -------------------------------------------------------------------------------

    @cached_property
    def _filled(self) -> list[str]:
        return [self._id, *self.content.texts, *self.content.vectors]

    def there(self, doc_ids: Sequence[str]) -> set[str]:
        """By their ids."""
        sql = f"select {name(self._id)} from {self._table} where {name(self._id)} = any(%(ids)s)"
        return {row[0] for row in self._pool.rows(_doubled(sql), {"ids": list(doc_ids)}, SECONDS)}

    def put(self, documents: Sequence[IndexDocument]) -> None:
        """In one transaction: a batch is there whole or not at all."""
        columns = ", ".join(name(column) for column in self._filled)
        marks = ", ".join(["%s", *("%s" for _ in self.content.texts), *("%s::vector" for _ in self.content.vectors)])
        changed = ", ".join(f"{name(column)} = excluded.{name(column)}" for column in self._filled[1:])
        conflict = f"do update set {changed}" if changed else "do nothing"
        into = f"insert into {self._table} ({columns}) values "
        statement = f"{_doubled(into)}({marks}){_doubled(f' on conflict ({name(self._id)}) {conflict}')}"
        rows = [
            (one.doc_id, *(one.texts[field] for field in self.content.texts),
             *(_written(one.vectors[field]) for field in self.content.vectors))
            for one in documents
        ]  # fmt: skip

        def insert(connection: Connection[tuple[object, ...]]) -> None:
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(statement.encode(), rows)

        self._pool.do(insert, SECONDS)

    def read(self, doc_ids: Sequence[str]) -> dict[str, IndexDocument]:
        """Rows as they are; vectors as texts, which need no adapter."""
        columns = [name(column) for column in (self._id, *self.content.texts)]
        columns += [f"{name(column)}::text" for column in self.content.vectors]
        sql = f"select {', '.join(columns)} from {self._table} where {name(self._id)} = any(%(ids)s)"
        found = {}
        for doc, *values in self._pool.rows(_doubled(sql), {"ids": list(doc_ids)}, SECONDS):
            texts = dict(zip(self.content.texts, values, strict=False))
            vectors = values[len(self.content.texts) :]
            numbers = (None if one is None else numbers_of(json.loads(one)) for one in vectors)
            found[doc] = IndexDocument(doc, texts, dict(zip(self.content.vectors, numbers, strict=True)))
        return found

    def finish(self) -> None:
        """Makes the indexes, of all rows at once, and gathers statistics for the planner."""
        self._run(self._statements("after"), SECONDS_TO_FINISH)

    def count(self) -> int:
        """The rows."""
        ((count,),) = self._pool.rows(_doubled(f"select count(*) from {self._table}"), {}, SECONDS)
        return int(count)

    def size(self) -> int | None:
        """Bytes of the table with its indexes."""
        ((size,),) = self._pool.rows("select pg_total_relation_size(to_regclass(%(t)s))", {"t": self._table}, SECONDS)
        return None if size is None else int(size)

    def close(self) -> None:
        """Gives connections back."""
        self._pool.close()


def open_filler(request: FillRequest) -> PostgresFiller:
    """Checks ids, fields, columns and model."""
    return PostgresFiller(request)


def _languages(modes: Mapping[str, Values]) -> dict[str, str]:
    """By tsvector column the language in which modes search it."""
    found: dict[str, str] = {}
    for mode, values in modes.items():
        column, language = values["tsvector"], values["language"]
        if found.setdefault(column, language) != language:
            raise UsageError(
                f"postgres: the column {column!r} is searched in {found[column]!r} and, by the mode {mode}, in "
                f"{language!r}. Give each language a column of its own."
            )
    return found


def _possible(column: str) -> bool:
    try:
        return 0 < len(column.encode()) <= MOST_NAME_BYTES and "\0" not in column
    except UnicodeEncodeError:
        return False


def _doubled(statement: str) -> str:
    """A statement that binds values: percent signs in names are doubled, the marks of values stay."""
    return statement.replace("%", "%%").replace("%%(ids)s", "%(ids)s")


def _written(vector: Vector | None) -> str | None:
    return None if vector is None else to_json(short_numbers(vector))


def marker_in(comment: str) -> Mapping[str, object] | None:
    """The marker in a comment; an empty one where somebody wrote something else after its first words."""
    if not comment.startswith(_COMMENT):
        return None
    try:
        found = json.loads(comment.removeprefix(_COMMENT))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
