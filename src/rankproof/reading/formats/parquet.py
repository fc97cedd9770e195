"""Parquet: a table with named columns, read through pyarrow (the extra `arrow`).

Columns are found by any usual names, as in tsv. Ids may be text or whole numbers. Written with query_id,
doc_id and score (or distance, or rank), query_id, doc_id and grade (with subtopic where there is one),
query_id and text. A folder of parts (`part-00000.parquet`, ... as Spark writes it) is read as one table.

holds: run, qrels, topics
source: https://parquet.apache.org
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from rankproof.errors import InputError
from rankproof.reading import arrow as _arrow
from rankproof.reading.formats._names import ColumnChoice, chosen
from rankproof.reading.formats.contract import Format, Noun, Options, Read, Sure, Topics
from rankproof.reading.source import Source

if TYPE_CHECKING:
    import pyarrow

    from rankproof.reading.records import Qrels, Run

MAGIC = b"PAR1"


def detect(source: Source, noun: Noun) -> Sure:
    """Parquet's magic number."""
    return Sure.NAMED if is_parquet(source) else Sure.NO


def is_parquet(source: Source) -> bool:
    """Whether a source begins as Parquet does."""
    return source.part(0, len(MAGIC)) == MAGIC


@contextmanager
def _opened(source: Source, part: str | None = None) -> Iterator[pyarrow.NativeFile]:
    """The bytes as pyarrow reads them, in parts; what goes wrong becomes one message."""
    arrow = _arrow.pyarrow("A Parquet file")
    path = part or source.path
    try:
        with arrow.BufferReader(source.data) if path is None else arrow.OSFile(path) as file:
            yield file
    except (arrow.ArrowException, OSError, ValueError) as error:
        source.check()
        raise InputError(f"{part or source.name} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    source.check()


def table_of(source: Source) -> pyarrow.Table:
    """The file, or all parts of a folder, as a pyarrow table."""
    tables: list[pyarrow.Table] = []
    for part in _parts(source):
        with _opened(source, part) as file:
            import pyarrow.parquet

            table = pyarrow.parquet.read_table(file)
            table.validate(full=True)  # in a damaged file, names and ids may be no text
        if tables and table.column_names != tables[0].column_names:
            raise InputError(
                f"{source.name}: {os.path.basename(part or '')} has the columns {', '.join(table.column_names)}, the "
                f"first part {', '.join(tables[0].column_names)}. Parts of one table have the same columns."
            )
        tables.append(table)
    if len(tables) == 1:
        return tables[0]
    arrow = _arrow.pyarrow("A Parquet file")
    try:
        return arrow.concat_tables(tables, promote_options="permissive")
    except arrow.ArrowException as error:
        raise InputError(f"{source.name}: its parts do not fit together: {str(error).splitlines()[0]}") from None


def _parts(source: Source) -> tuple[str | None, ...]:
    return tuple(part.path for part in source.parts) or (None,)


def column_names(source: Source) -> list[str]:
    """The names of the columns, without reading a row."""
    with _opened(source) as file:
        import pyarrow.parquet

        names: list[str] = pyarrow.parquet.ParquetFile(file).schema_arrow.names
    return names


def batches_of(source: Source, columns: Sequence[str]) -> Iterator[pyarrow.RecordBatch]:
    """The file piece by piece, with those of the columns that it has: for tables too large to hold whole."""
    for part in _parts(source):
        with _opened(source, part) as opened:
            import pyarrow.parquet

            file = pyarrow.parquet.ParquetFile(opened)
            present = [name for name in columns if name in file.schema_arrow.names]
            for batch in file.iter_batches(columns=present):
                batch.validate(full=True)
                yield batch


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """The rows, without a copy in Python."""
    table = table_of(source)
    return _arrow.read_table(table, table.column_names, noun, source.name, chosen(options.get("columns"), noun))


def pieces(file: IO[bytes], name: str, options: Options, size: int) -> Iterator[Read]:
    """The rows of a run, some at a time. Their numbers count from the first of each piece."""
    arrow = _arrow.pyarrow("A Parquet file")
    import pyarrow.parquet

    before = 0
    try:
        table = pyarrow.parquet.ParquetFile(file, buffer_size=1 << 20)
        choice = chosen(options.get("columns"), "run")
        columns, _, _ = _arrow.columns_of(table.schema_arrow.names, "run", name, choice)
        names = [*columns.values(), *({"scores"} & {*table.schema_arrow.names} - {*columns.values()})]
        for batch in table.iter_batches(batch_size=size, columns=names, use_threads=False):
            batch.validate(full=True)
            yield _piece(arrow.Table.from_batches([batch]), name, choice, before)
            before += batch.num_rows
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read as Parquet: {str(error).splitlines()[0]}") from None


def _piece(table: pyarrow.Table, name: str, choice: ColumnChoice, before: int) -> Read:
    try:
        return _arrow.read_table(table, table.column_names, "run", name, choice)
    except InputError as error:
        message = str(error).removeprefix(name)
        raise InputError(name + re.sub(r"(?<=^[:,] row )\d+", lambda row: str(int(row[0]) + before), message)) from None


def topics(source: Source, options: Options) -> Topics:
    """Query ids and texts."""
    table = table_of(source)
    return _arrow.topics_from_arrow(table, table.column_names, source.name)


def _written(columns: Mapping[str, Sequence[object]]) -> Iterator[bytes]:
    arrow = _arrow.pyarrow("A Parquet file")
    import pyarrow.parquet

    kinds = {
        "score": arrow.float64(),
        "distance": arrow.float64(),
        "rank": arrow.int64(),
        "grade": arrow.int64(),
    }
    table = arrow.table(
        {name: arrow.array(values, kinds.get(name, arrow.string())) for name, values in columns.items()}
    )
    out = arrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, out)
    yield out.getvalue().to_pybytes()


def write_run(run: Run) -> Iterator[bytes]:
    """query_id, doc_id and what puts the documents in order."""
    query_ids: list[str] = []
    doc_ids: list[str] = []
    numbers: list[float] = []
    for query, docs, values in run.rankings():
        query_ids += [query] * len(docs)
        doc_ids += docs
        numbers += values
    return _written({"query_id": query_ids, "doc_id": doc_ids, run.kind: numbers})


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """query_id, doc_id and grade, with subtopic where there is one."""
    query_ids: list[str] = []
    doc_ids: list[str] = []
    numbers: list[int] = []
    subtopics: list[str] = []
    for query, docs, grades, labels in qrels.judged():
        query_ids += [query] * len(docs)
        doc_ids += docs
        numbers += grades
        subtopics += labels
    columns: dict[str, Sequence[object]] = {"query_id": query_ids, "doc_id": doc_ids, "grade": numbers}
    if qrels.has_subtopics:
        columns["subtopic"] = subtopics
    return _written(columns)


def write_topics(texts: Topics) -> Iterator[bytes]:
    """query_id and text."""
    return _written({"query_id": list(texts), "text": list(texts.values())})


OFFERS = (
    Format(
        name="parquet",
        page=__doc__,
        holds=("run", "qrels", "topics"),
        detect=detect,
        rows=rows,
        pieces=pieces,
        topics=topics,
        write_run=write_run,
        write_qrels=write_qrels,
        write_topics=write_topics,
        endings=(".parquet", ".pq"),
        binary=True,
    ),
)
