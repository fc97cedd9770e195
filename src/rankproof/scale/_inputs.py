"""Runs as Spark reads them: a DataFrame, Parquet, JSON lines, or lines of text that the core will read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, TypeVar

from rankproof.errors import InputError, UsageError
from rankproof.measuring.outofcore.findings import Faulty
from rankproof.measuring.run_sources import column_notes, name_of
from rankproof.reading import detect
from rankproof.reading.arrow import columns_of
from rankproof.reading.collect import plan
from rankproof.reading.finding import Unit
from rankproof.reading.formats.contract import TextLayout
from rankproof.reading.records import Order, order_of
from rankproof.reading.source import HEAD, Source
from rankproof.reading.stream import plain_stream
from rankproof.scale._lines import FILE, LINE, SPLIT
from rankproof.scale._work import DOC, PLACE, QUERY, RANK, SCORE, TAG, RowColumns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    # A DataFrame, or a path that executors can read.
    SparkSource: TypeAlias = DataFrame | str | os.PathLike[str]

T = TypeVar("T")

# Lines that are looked at to recognize a text which is on no disk of this machine.
LOOKED_AT = 3000
ROLES = {"query": QUERY, "doc": DOC, "number": SCORE, "rank": RANK, "label": TAG}


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """A run on Spark: `frame` has its rows, or its lines where there is a layout to read them by.

    called   the source's names of the columns that are renamed between tasks
    """

    frame: DataFrame
    shape: RowColumns
    own: Order
    faulty: Faulty
    name: str
    layout: TextLayout | None = None
    notes: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)


def input_of(
    spark: SparkSession,
    run: SparkSource,
    format: str | None,
    place: str | None,
    name: str | None,
    reading: Mapping[str, object],
) -> Input:
    """A run from a DataFrame, or from a path that executors can read."""
    if not isinstance(run, str | os.PathLike):
        if not is_data_frame(run):
            raise UsageError(
                f"Cannot read {type(run).__name__} on Spark. Give a DataFrame, or a path that executors read."
            )
        return _of_frame(run, "<DataFrame>", place, name or "run", reading, "row")
    if place is not None:
        raise UsageError("A place is a column of a DataFrame. Rows of a file stand where they stand.")
    given = os.fspath(run)
    if given == "-":
        raise UsageError("Standard input cannot be read on Spark: executors read files. Give a path.")
    path = f"file://{os.path.abspath(given)}" if os.path.exists(given) else given
    named = name or name_of(given, given.rstrip("/"))
    kind = format or _kind(given)
    if kind == "parquet":
        frame = _loaded(lambda: spark.read.parquet(path), given)
        numbered = _loaded(lambda: len(frame.inputFiles()), given) == 1
        return _of_frame(frame, given, "_metadata.row_index" if numbered else None, named, reading, "row")
    if kind == "jsonl":
        return _of_frame(_loaded(lambda: spark.read.json(path), given), given, None, named, reading, "line")
    return _of_lines(spark, path, given, format, named, reading)


def is_data_frame(value: object) -> TypeGuard[DataFrame]:
    """Whether a value is a DataFrame of Spark, classic or over Spark Connect."""
    return hasattr(value, "mapInArrow")


def _kind(path: str) -> str | None:
    """What a path holds, by its ending; on this machine also by how it begins."""
    plain = path.rstrip("/").casefold()
    if plain.endswith((".parquet", ".pq")):
        return "parquet"
    if plain.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    if os.path.isfile(path):
        with open(path, "rb") as file:
            return "parquet" if file.read(4) == b"PAR1" else None
    return None


def _of_frame(
    frame: DataFrame, source: str, place: str | None, name: str, reading: Mapping[str, object], unit: Unit
) -> Input:
    from pyspark.sql import functions

    chosen, notes, distances = columns_of(frame.columns, "run", source)
    shape = RowColumns("number" in chosen, "rank" in chosen, "label" in chosen, place is not None, True)
    own = order_of(source, shape.scored, shape.ranked, distances, reading)
    if own.by == "given" and place is None:
        raise UsageError(
            f"{source}: the rows have no score and no rank, and no order of their own on Spark. Add one of these "
            "columns, or name a column of whole numbers that says where each row stands (place=...)."
        )
    columns = [functions.col(f"`{column}`").alias(ROLES[role]) for role, column in chosen.items()]
    if place == "_metadata.row_index":
        columns.append((functions.col(place) + 1).alias(PLACE))
    elif place is not None:
        if place not in frame.columns:
            raise UsageError(
                f"{source} has no column {place!r} for the place of rows. It has: {', '.join(frame.columns)}."
            )
        columns.append(functions.col(f"`{place}`").cast("long").alias(PLACE))
    called = {ROLES[role]: column for role, column in chosen.items()}
    return Input(frame.select(*columns), shape, own, Faulty(source, own, unit=unit), name, notes=notes, called=called)


def _of_lines(
    spark: SparkSession, path: str, given: str, format: str | None, name: str, reading: Mapping[str, object]
) -> Input:
    from pyspark.sql import functions

    lines = _loaded(lambda: spark.read.option("lineSep", "\n").text(path), given)
    source = Source(given, _head(lines, given))
    if source.is_empty:
        raise InputError(f"{given} has nothing in it. Check that it is the right file.")
    planned = plan(source, "run", format, **reading)
    if planned is None:
        form = detect.by_name(format, "run") if format else detect.by_content(source, "run")
        raise UsageError(
            f"{given} is in the format {form.name}, which Spark cannot read row by row. Write it as Parquet, TSV or "
            "TREC text, or leave --engine out."
        )
    description = planned.description
    layout = description.layout
    assert layout is not None  # a plan has one
    about = functions.col("_metadata.file_path"), functions.col("_metadata.file_block_start")
    frame = lines.select(functions.col("value").cast("binary").alias(LINE), about[0].alias(FILE), about[1].alias(SPLIT))
    one_file = len(lines.inputFiles()) == 1
    shape = RowColumns(layout.number >= 0, layout.rank >= 0, layout.label >= 0, one_file, False)
    if description.order.by == "given" and not one_file:
        raise UsageError(f"{given}: rows of several files have no order. Add scores or ranks, or give one file.")
    return Input(
        frame,
        shape,
        description.order,
        Faulty(given, description.order, description.shape, description.unit),
        name,
        layout,
        notes=column_notes(description),
    )


def _head(lines: DataFrame, given: str) -> bytes:
    """How a text begins, for its format to be recognized."""
    if os.path.isfile(given):
        with plain_stream(given, given) as stream:
            return stream.read(HEAD + 1).removeprefix(b"\xef\xbb\xbf")
    from pyspark.sql import functions

    first = lines.select(functions.col("value").cast("binary").alias(LINE)).limit(LOOKED_AT).collect()
    return b"".join(bytes(row[LINE]) + b"\n" for row in first)


def _loaded(load: Callable[[], T], given: str) -> T:
    """The DataFrame that Spark loads, or an error with its reason in one line."""
    from pyspark.errors import PySparkException

    try:
        return load()
    except PySparkException as error:
        raise InputError(f"{given} cannot be read by Spark: {str(error).splitlines()[0]}") from None
