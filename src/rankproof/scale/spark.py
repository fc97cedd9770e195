"""Spark: the same evaluations, comparisons and click models on DataFrames and files of any size.

    from rankproof.scale import spark as on_spark
    on_spark.evaluate(spark, qrels, frame, "nDCG@10 AP")

Rows are grouped by query, each task joins its queries with the judgments by the compiled core, and returns the ranks
of judged documents. From there on everything is as on one machine, and so are the numbers, to the
last bit. Executors need rankproof and pyarrow; the judgments are sent to each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from rankproof.errors import UsageError
from rankproof.kernel.libraries import library
from rankproof.kernel.sections import counted
from rankproof.measuring.records import Settings
from rankproof.reading.records import By

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from rankproof.measuring.evaluate import Measures
    from rankproof.measuring.prepare import PreparedQrels, PreparedRun
    from rankproof.measuring.records import Evaluation
    from rankproof.online.clicks.fit_counts import CountedFit
    from rankproof.online.impressions import Impressions
    from rankproof.proving.records import Comparison
    from rankproof.scale._inputs import SparkSource

_OF_SETTINGS = {field.name for field in fields(Settings)}
# What needs all rows of a run in one place before they are joined.
ELSEWHERE = ("collapse", "unmapped", "drop_self", "allow")


def prepare_qrels(qrels: object, format: str | None = None, allow: Iterable[str] = ()) -> PreparedQrels:
    """Judgments from anything that `rankproof.prepare` takes, or from a DataFrame, collected on this machine."""
    from rankproof.measuring.prepare import prepare_qrels as prepare

    refuse_without_spark()
    from rankproof.scale._inputs import is_data_frame

    return prepare(qrels.toArrow() if is_data_frame(qrels) else qrels, format, allow)


def prepare_run(
    spark: SparkSession,
    qrels: PreparedQrels,
    run: SparkSource,
    *,
    format: str | None = None,
    order: By | None = None,
    lower_is_better: bool | None = None,
    place: str | None = None,
    partitions: int | None = None,
    name: str | None = None,
    **elsewhere: object,
) -> PreparedRun:
    """A run on Spark, joined with judgments when it is measured.

    run         a DataFrame with columns for query, document and score (or rank) under any usual names; or the path of
                Parquet, JSON lines or text (TREC, TSV, CSV) that executors can read
    place       the column of a DataFrame that says where each row stands, for runs whose order is the order given
    partitions  how many tasks the queries are dealt out to; from the size of the input by default
    """
    refuse_without_spark()
    not_on_spark = [option for option in ELSEWHERE if elsewhere.pop(option, None)]
    if not_on_spark:
        raise UsageError(
            f"{' and '.join(not_on_spark)} cannot be used on Spark: all rows are needed in one place. Apply it before."
        )
    if elsewhere:
        raise UsageError(f"A run on Spark has no option {', '.join(map(repr, elsewhere))}.")
    if partitions is not None and partitions < 1:
        raise UsageError(f"partitions must be 1 or more; got {partitions}.")
    from rankproof.scale._inputs import input_of
    from rankproof.scale._joining import OnSpark, prepared

    reading = {"order": order, "lower_is_better": lower_is_better or None}
    given = input_of(spark, run, format, place, name, reading)
    return prepared(qrels, OnSpark(spark, given, partitions or usual_partitions(spark, given.frame)), order)


def evaluate(
    spark: SparkSession,
    qrels: object,
    run: SparkSource,
    measures: Measures,
    *,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order: By | None = None,
    lower_is_better: bool | None = None,
    place: str | None = None,
    partitions: int | None = None,
    name: str | None = None,
    **choices: Any,
) -> Evaluation:
    """`rankproof.evaluate` on Spark; `choices` are those of `Settings`. See `prepare_run` for the others."""
    from rankproof.measuring.evaluate import measure_run
    from rankproof.measuring.names import parse

    settings = Settings(**{option: choices.pop(option) for option in _OF_SETTINGS & choices.keys()})
    ready = prepare_run(
        spark, prepare_qrels(qrels, qrels_format), run, format=run_format, order=order,
        lower_is_better=lower_is_better, place=place, partitions=partitions, name=name, **choices,
    )  # fmt: skip
    return measure_run(ready, parse(measures, settings.dialect), settings)


def compare(
    spark: SparkSession,
    qrels: object,
    baseline: SparkSource,
    candidates: SparkSource | list[SparkSource] | tuple[SparkSource, ...],
    measures: Measures,
    *,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order: By | None = None,
    lower_is_better: bool | None = None,
    place: str | None = None,
    partitions: int | None = None,
    names: Sequence[str] | None = None,
    **choices: Any,
) -> Comparison:
    """`rankproof.compare` on Spark; the other choices are those of `rankproof.compare`.

    What looks at documents and not at values alone (`beyond`, and the queries that moved most) brings the rows of the
    judged queries to this machine; `beyond=False, most_moved=0` does without.
    """
    from rankproof.proving.compare import compare as compare_here

    judged = prepare_qrels(qrels, qrels_format)
    sources: list[SparkSource] = [baseline, *(candidates if isinstance(candidates, list | tuple) else [candidates])]
    run_names: Sequence[str | None] = names if names is not None else [None] * len(sources)
    if len(run_names) != len(sources):
        raise UsageError(
            f"There are {counted(len(sources), 'run')} and {counted(len(run_names), 'name')}. Give each run one name."
        )
    runs = [
        prepare_run(
            spark, judged, source, format=run_format, order=order, lower_is_better=lower_is_better, place=place,
            partitions=partitions, name=name,
        )
        for source, name in zip(sources, run_names, strict=True)
    ]  # fmt: skip
    return compare_here(judged, runs[0], runs[1:], measures, **choices)


def pages(spark: SparkSession, log: SparkSource, columns: Mapping[str, str] | None = None) -> Impressions:
    """The pages of a click log, for every click model: `rankproof.online.clicks.study.fit_models(pages(...))`.

    log       a DataFrame or Parquet with a row for each document that was shown: page, query, doc, rank and clicked
    columns   what these are called, where their names do not say: {"page": "impression"}

    Every page is collected on this machine, as whole numbers; `fit_clicks` needs only counts.
    """
    refuse_without_spark()
    from rankproof.scale._clicks import pages_of, shown_rows

    return pages_of(*shown_rows(spark, log, columns or {}))


def fit_clicks(
    spark: SparkSession, log: SparkSource, model: str = "position_based", columns: Mapping[str, str] | None = None
) -> CountedFit:
    """A click model that needs counts only (`position_based`, `ctr`), from a log of any size.

    What is collected on this machine grows with the pairs at ranks, not with the pages that showed them.
    """
    refuse_without_spark()
    from rankproof.online.clicks.fit_counts import fit_counts
    from rankproof.scale._clicks import counts_of, shown_rows

    rows, _ = shown_rows(spark, log, columns or {})
    return fit_counts(counts_of(rows), model)


def usual_partitions(spark: SparkSession, frame: DataFrame) -> int:
    """Two tasks for each core and for each split of the input: enough for small files and for large ones."""
    from pyspark.errors import PySparkException

    try:
        return max(2 * int(spark.sparkContext.defaultParallelism), 2 * int(frame.rdd.getNumPartitions()))
    except (PySparkException, AttributeError):  # a session over Spark Connect does not say
        return int(spark.conf.get("spark.sql.shuffle.partitions") or 200)  # 200 is Spark's own default


def refuse_without_spark() -> None:
    """An error that says what to install, where it is not."""
    for name in ("pyspark", "pyarrow"):
        library(name, "An evaluation on Spark", "spark")
