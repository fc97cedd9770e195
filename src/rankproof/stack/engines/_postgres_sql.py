"""The SQL of the postgres engine: names are quoted, everything else is bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankproof.stack.records import Values

# Sign of a distance in pgvector, and how a score is made of it: the greater, the nearer.
DISTANCES: Mapping[str, tuple[str, str]] = {
    "cosine": ("<=>", "1 - distance"),
    "euclidean": ("<->", "-distance"),
    "inner": ("<#>", "-distance"),  # the sign gives the negative inner product
}
# Classes of words that ts_rank_cd can weigh, in the order of the fields.
CLASSES = "ABCD"
USUAL_WEIGHTS = [0.1, 0.2, 0.4, 1.0]  # of D, C, B, A, as PostgreSQL has them


def quoted(name: str) -> str:
    """A name in SQL, whatever characters it has; the percent sign is doubled because values are bound with it.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'


def table_of(name: str) -> str:
    """A table, perhaps with its schema: shop.products."""
    return ".".join(quoted(part) for part in name.split("."))


def table_name(name: str) -> str:
    """The same, for a value that is bound."""
    return table_of(name).replace("%%", "%")


# Versions, what kind of table it is, and its indexes: another index may find other documents.
ABOUT = """select current_setting('server_version'),
  (select extversion from pg_extension where extname = 'vector'),
  (select relkind::text from pg_class where oid = %(table)s::regclass),
  (select coalesce(string_agg(pg_get_indexdef(indexrelid), ';' order by indexrelid), '')
   from pg_index where indrelid = %(table)s::regclass)"""


# The columns of a table, and the tables that there are. No row where there is no such table.
COLUMNS = """select attname::text from pg_attribute
where attrelid = to_regclass(%(table)s) and attnum > 0 and not attisdropped order by attnum"""
TABLES = """select case when pg_table_is_visible(c.oid) then relname::text else nspname || '.' || relname end
from pg_class c join pg_namespace n on n.oid = relnamespace
where relkind in ('r', 'p', 'v', 'm', 'f') and nspname not in ('pg_catalog', 'information_schema')
order by 1 limit 10000"""

# How often rows were written, as the server counts them; its partitions count too.
WRITES = """select sum(pg_stat_get_tuples_inserted(relid) + pg_stat_get_tuples_updated(relid)
  + pg_stat_get_tuples_deleted(relid))
from (select %(table)s::regclass::oid as relid union select relid from pg_partition_tree(%(table)s::regclass)) parts"""


def rows_of(table: str, kind: str) -> str:
    """How many rows, and a number that changes with each row that is written; NULL for a view, which has no rows."""
    # Every version of a row has a place and a transaction of its own.
    version = "tableoid::text || ' ' || ctid::text || ' ' || xmin::text"
    state = f"sum(hashtextextended({version}, 0)::numeric)" if kind in ("r", "m", "p") else "null"
    return f"select count(*), {state} from {table_of(table)}"


def weights_of(fields: str | None) -> list[float]:
    """Weights of the classes D, C, B, A. PostgreSQL takes none above 1, and only their ratios order documents.

    >>> weights_of("title^4 text")
    [0.0, 0.0, 0.25, 1.0]
    """
    if fields is None:
        return USUAL_WEIGHTS
    weights = [float(part.partition("^")[2] or 1) for part in fields.split()]
    return [weight / max(weights) for weight in [*weights, 0.0, 0.0, 0.0, 0.0][: len(CLASSES)]][::-1]


def statement(values: Values) -> str:
    """The statement of a mode. It gives id and score, best first, ties by id in the order of bytes, last first."""
    parts = {"text": _text, "vector": _vector, "hybrid": _hybrid}
    return f'{parts[values["mode"]](values)}\norder by score desc, id collate "C" desc limit %(depth)s'


def columns_of(values: Values, columns: Sequence[str]) -> str:
    """The statement that gives columns of the documents with these `ids`, as text."""
    named = ", ".join(f"t.{quoted(column)}::text" for column in columns)
    key = f"t.{quoted(values['id'])}::text"
    return f"select {key}, {named} from {table_of(values['table'])} t where {key} = any(%(ids)s)"


def _text(values: Values) -> str:
    return f"""select id, score from (
  select t.{quoted(values["id"])}::text as id,
         ts_rank_cd(%(weights)s::float4[], d.words, q.wanted, %(normalization)s)::float8 as score
  from {table_of(values["table"])} t,
       lateral (select {_words(values)} as words) d,
       (select {_query(values)} as wanted) q
  where d.words @@ q.wanted
) found"""


def _words(values: Values) -> str:
    """The words of a document: a column that has them, or made of the fields, each field a class of its own."""
    if values["tsvector"] is not None:
        return f"t.{quoted(values['tsvector'])}"
    names = [part.partition("^")[0] for part in values["fields"].split()]
    return " || ".join(
        f"setweight(to_tsvector(%(language)s::regconfig, coalesce(t.{quoted(name)}::text, '')), '{letter}')"
        for name, letter in zip(names, CLASSES, strict=False)
    )


def _query(values: Values) -> str:
    if values["match"] == "all":
        return "websearch_to_tsquery(%(language)s::regconfig, %(query)s)"
    # The parser gives no word with a blank in it, so that this sign stands between words only.
    return "replace(plainto_tsquery(%(language)s::regconfig, %(query)s)::text, ' & ', ' | ')::tsquery"


def _vector(values: Values) -> str:
    sign, score = DISTANCES[values["distance"]]
    # Ordered by the bare distance inside, as an index of pgvector can do it. Of a vector of zeros the cosine is NaN,
    # which PostgreSQL takes to be greater than infinity.
    column = f"t.{quoted(values['vector_column'])}"
    return f"""select id, {score} as score from (
  select t.{quoted(values["id"])}::text as id, {column} {sign} %(vector)s::vector as distance
  from {table_of(values["table"])} t
  where {column} is not null
  order by {column} {sign} %(vector)s::vector limit %(wanted_nearest)s
) nearest where distance < 'infinity'"""


def _hybrid(values: Values) -> str:
    """Reciprocal rank fusion of the first candidates of both; a document of one list only has a part from that one."""
    order = 'order by score desc, id collate "C" desc'
    return f"""select id, score from (
  select id, sum(part) as score from (
    select id, %(text_weight)s::float8 / (%(k)s + row_number() over ({order})) as part
    from ({_text(values)} {order} limit %(candidates)s) by_text
    union all
    select id, %(vector_weight)s::float8 / (%(k)s + row_number() over ({order})) as part
    from ({_vector(values)} {order} limit %(candidates)s) by_vector
  ) parts group by id
) fused"""
