"""Click logs on Spark, a row for each document that was shown. Pages as whole numbers, or counts, come to this machine.

Pages stand in the order of their ids: whole numbers by value, texts by letter. A page with several queries, with ranks
that are not 1, 2, 3, ..., or with a document twice is left out and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.online.clicks.fit_counts import RankCounts
from rankproof.online.clicks.logs.layout import NAMES
from rankproof.online.impressions import Impressions
from rankproof.scale._inputs import is_data_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from rankproof.scale._inputs import SparkSource

# What a click log must have, and what a message calls it.
ROLES = {
    "page": "the page",
    "query": "the query",
    "doc": "the document",
    "rank": "the rank",
    "clicked": "whether the document was clicked",
}
BROKEN = "pages with several queries, a gap in the ranks or a document twice"


def shown_rows(spark: SparkSession, log: SparkSource, columns: Mapping[str, str]) -> tuple[DataFrame, int]:
    """The rows of whole pages (page, query, doc, rank, clicked), and how many pages were broken."""
    from pyspark.sql import functions as f

    frame = log if is_data_frame(log) else spark.read.parquet(str(log))
    chosen = {role: columns.get(role) or _guess(role, frame.columns) for role in ROLES}
    kinds = dict(frame.dtypes)
    order = "long" if kinds[chosen["page"]] in ("tinyint", "smallint", "int", "bigint") else "string"
    casts = {"page": order, "query": "string", "doc": "string", "rank": "long", "clicked": "boolean"}
    rows = frame.select(*(f.col(f"`{name}`").cast(casts[role]).alias(role) for role, name in chosen.items()))
    rows = rows.withColumn("clicked", f.coalesce("clicked", f.lit(False)))
    by_page = rows.groupBy("page").agg(
        f.count("*").alias("rows"),
        f.count_distinct("query").alias("queries"),
        f.count_distinct("doc").alias("docs"),
        f.count_distinct("rank").alias("ranks"),
        f.min("rank").alias("first"),
        f.max("rank").alias("last"),
    )
    whole = "queries = 1 AND docs = rows AND ranks = rows AND first = 1 AND last = rows AND page IS NOT NULL"
    broken = by_page.filter(f"NOT ({whole}) OR page IS NULL").select("page")
    count = int(broken.count())
    if count:
        rows = rows.join(broken, "page", "left_anti").filter("page IS NOT NULL")
    return rows, count


def _guess(role: str, names: list[str]) -> str:
    known = (role, *NAMES["documents"][role])
    match = next((name for name in known if name in names), None)
    if match is None:
        raise UsageError(
            f"The log has no column for {ROLES[role]}. Its columns are {', '.join(names)}. "
            f"Say which one it is: columns={{'{role}': ...}}."
        )
    return match


def counts_of(rows: DataFrame) -> RankCounts:
    """How often each pair stood at each rank and was clicked there: as many entries as there are such places."""
    from pyspark.sql import functions as f

    cells = rows.groupBy("query", "doc", "rank").agg(
        f.count("*").alias("shown"), f.sum(f.col("clicked").cast("long")).alias("clicks"), f.min("page").alias("first")
    )
    table = cells.toArrow()
    if not table.num_rows:
        raise InputError("The log has no whole page. A page has one query and documents at ranks 1, 2, 3, ...")
    first = np.unique(np.array(table.column("first").to_pylist()), return_inverse=True)[1]
    ranks, shown, clicked = (table.column(name).to_numpy().astype(np.int64) for name in ("rank", "shown", "clicks"))
    return RankCounts(table.column("query").to_pylist(), table.column("doc").to_pylist(), ranks, shown, clicked, first)


def pages_of(rows: DataFrame, broken: int) -> Impressions:
    """All pages, as one machine would have read them. Three numbers and a flag for each shown document come here."""
    from pyspark.sql import functions as f

    def numbered(name: str) -> tuple[tuple[str, ...], DataFrame]:
        """Ids in order of first appearance, and a table of their numbers."""
        place = f.min(f.struct("page", "rank")).alias("place")
        ids = [row[0] for row in rows.groupBy(name).agg(place).orderBy("place").select(name).collect()]
        table = rows.sparkSession.createDataFrame(list(enumerate(ids)), f"{name}_number int, {name} string")
        return tuple(ids), f.broadcast(table)

    query_ids, queries = numbered("query")
    if not query_ids:
        raise InputError("The log has no whole page. A page has one query and documents at ranks 1, 2, 3, ...")
    doc_ids, docs = numbered("doc")
    placed = rows.join(queries, "query").join(docs, "doc").orderBy("page", "rank")
    table = placed.select("query_number", "doc_number", f.col("rank").cast("int").alias("rank"), "clicked").toArrow()
    query, doc, rank = (table.column(name).to_numpy() for name in ("query_number", "doc_number", "rank"))
    clicked = np.array(table.column("clicked").to_numpy(zero_copy_only=False), dtype=np.bool_)
    starts = np.flatnonzero(rank == 1)
    lengths = np.diff(starts, append=len(rank))
    page = np.repeat(np.arange(len(starts)), lengths)
    at = np.zeros((len(starts), int(rank.max())), dtype=np.int32)
    clicks = np.zeros(at.shape, dtype=np.bool_)
    at[page, rank - 1], clicks[page, rank - 1] = doc, clicked
    dropped = {BROKEN: broken} if broken else {}
    return Impressions.of(query_ids, doc_ids, query[starts], at, lengths, clicks, dropped=dropped)
