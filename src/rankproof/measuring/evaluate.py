"""Evaluate: from judgments and a run to values by query, population and fine print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.measuring.aggregate import aggregate
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.fine_print import fine_print
from rankproof.measuring.judged_table import JudgedTable, condensed, cut, read_negatives, select
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import canonical, parse
from rankproof.measuring.prepare import PreparedQrels, PreparedRun, join_run, prepare_qrels
from rankproof.measuring.records import DEFAULT_SETTINGS, Evaluation, LazyLines, Population, Result, Settings
from rankproof.reading.records import By, Order

# Gives the table of the run at hand, built with the order asked for.
Tables = Callable[[Order], JudgedTable]


def evaluate_tables(
    tables: Tables,
    variants: Sequence[Variant],
    settings: Settings = DEFAULT_SETTINGS,
    run_name: str = "run",
    run_tag: str = "",
    notes: Callable[[], Sequence[str]] = tuple,
    judgments_hash: Callable[[], str] = str,
) -> Evaluation:
    """Values of all variants on one run.

    `notes` gives what was noticed in reading the run, for the end of the fine print; `judgments_hash` the identity
    of the judgments, for whoever asks whether two evaluations stand on the same.
    """
    dialect: Dialect = shelf.find("dialects", settings.dialect)
    spoken = [speak(variant, dialect, settings) for variant in variants]
    readings = [_reading(dialect, variant, settings) for variant in spoken]
    seen: dict[Reading, JudgedTable] = {}
    for reading in readings:
        if reading not in seen:
            seen[reading] = apply_reading(tables(reading.order), reading, settings)
    on = [seen[reading] for reading in readings]
    skipped: tuple[str, ...] = ()
    if settings.undefined == "skip":
        on, skipped = _skip_undefined(spoken, on)
    results = {}
    for said, variant, reading, table in zip(variants, spoken, readings, on, strict=True):
        dialect.check(table, variant)
        result = measure(table, variant, reading, settings)
        if dialect.round_mean is not None:
            result = replace(result, mean=round(result.mean, dialect.round_mean))
        results[said.text] = result if said.text == result.text else replace(result, text=said.text)
    first = on[0]
    population = _population(tables(first.order), first, skipped, readings[0].missing)
    spelled = {variant.typed: variant.text for variant in variants if variant.typed}
    return Evaluation(
        results, population, LazyLines(lambda: (*fine_print(population, results, first, settings, dialect), *notes())),
        run_name, dialect.name, spelled, settings=settings, run_tag=run_tag, canonical=canonical,
        judgments_hash=judgments_hash,
    )  # fmt: skip


def _reading(dialect: Dialect, variant: Variant, settings: Settings) -> Reading:
    """How the dialect reads a run for this variant, with what the caller wants otherwise."""
    reading = dialect.read(variant)
    return replace(reading, missing="zero") if settings.complete else reading


def speak(variant: Variant, dialect: Dialect, settings: Settings) -> Variant:
    """The variant as the dialect and the settings' relevance level define it."""
    if settings.level is not None and "rel" in variant.values:
        (rel,) = (p for p in variant.measure.params if p.name == "rel")
        # A level replaces the usual `grade >= 1` only; measures whose rel means something else keep theirs.
        if rel.default == 1 and variant["rel"] == 1:
            variant = Variant(variant.measure, {**variant.values, "rel": settings.level}, variant.at)
    return dialect.speak(variant)


def apply_reading(table: JudgedTable, reading: Reading, settings: Settings) -> JudgedTable:
    """The table as a reading and the settings want it: negatives, condensing, depth, population."""
    table = read_negatives(table, reading.negatives)
    # trec_eval cuts before it condenses: -M counts documents as retrieved.
    if settings.depth is not None:
        if settings.ties != "rule" or reading.ties != "rule":
            from rankproof.measuring.ties import refuse_split_ties

            refuse_split_ties(table, settings.depth)
        table = cut(table, settings.depth)
    if settings.judged_only:
        table = condensed(table)
    return select(table, table.in_run) if reading.missing == "drop" else table


def measure(table: JudgedTable, variant: Variant, reading: Reading, settings: Settings) -> Result:
    """One variant's values on a table, and their aggregate."""
    kind = variant.measure
    ties = None
    if settings.ties == "rule" and reading.ties == "rule":
        values = kind.compute(table, variant)
    else:
        from rankproof.measuring.ties import over_ties

        ties = over_ties(table, variant)
        values = ties.by_query[:, 1].copy()
        if settings.ties == "rule":
            ties = None  # the mean over orders is the tool's own value, not a range that somebody asked for
    if reading.rounds is not None:
        values = np.array([reading.rounds(value) for value in values.tolist()])
    undefined = kind.undefined(table, variant)
    ids: Sequence[str] = table.pool.query_ids
    names: tuple[str, ...] = ()
    if undefined.any():
        names = tuple(ids[i] for i in np.flatnonzero(undefined).tolist())
        if kind.skips_undefined:
            ids = [ids[i] for i in np.flatnonzero(~undefined).tolist()]
            values = values[~undefined]
            if ties is not None:
                ties = replace(ties, by_query=ties.by_query[~undefined])
    mean = aggregate(values, kind.aggregate)
    labels = None
    if kind.labels is not None:
        labels = dict(zip(table.pool.query_ids, kind.labels(table, variant), strict=True))
    return Result(
        variant.text, mean, ids, values, names, kind.aggregate, kind.better, kind.whole,
        lambda: kind.fine_print(table, variant), ties, labels,
    )  # fmt: skip


def _skip_undefined(
    variants: Sequence[Variant], on: Sequence[JudgedTable]
) -> tuple[list[JudgedTable], tuple[str, ...]]:
    """Leaves out of every table the queries where any asked measure is undefined: one population for all."""
    out: dict[str, None] = {}
    for variant, table in zip(variants, on, strict=True):
        undefined = variant.measure.undefined(table, variant)
        out.update(dict.fromkeys(table.pool.query_ids[i] for i in np.flatnonzero(undefined).tolist()))
    chosen: dict[int, JudgedTable] = {}
    for table in on:
        if id(table) not in chosen:
            keep = np.array([query not in out for query in table.pool.query_ids], dtype=bool)
            chosen[id(table)] = select(table, keep)
    return [chosen[id(table)] for table in on], tuple(out)


def _population(whole: JudgedTable, scored: JudgedTable, skipped: tuple[str, ...], missing: str) -> Population:
    ids = whole.pool.query_ids
    absent = np.flatnonzero(~whole.in_run).tolist()
    empty = np.flatnonzero(scored.pool.relevant(1) == 0).tolist()
    return Population(
        scored=len(scored),
        judged=len(whole),
        missing=tuple(ids[i] for i in absent),
        missing_policy=missing,
        without_relevant=tuple(scored.pool.query_ids[i] for i in empty),
        unjudged=whole.unjudged_queries,
        skipped=skipped,
    )


Measures = str | Variant | Iterable[str | Variant]


class ReadyQrels(PreparedQrels):
    """Prepared judgments that evaluate: what `rankproof.prepare` returns."""

    __slots__ = ()

    def evaluate(self, run: Any, measures: Measures, **settings: Any) -> Evaluation:
        """`rankproof.evaluate` on these judgments."""
        return evaluate(self, run, measures, **settings)


def prepare(qrels: Any, format: str | None = None, *, allow: Iterable[str] = (), **options: Any) -> ReadyQrels:
    """Judgments read, checked and ready: `rankproof.prepare(qrels).evaluate(run, "nDCG@10")`, as often as you like."""
    prepared = prepare_qrels(qrels, format, allow, **options)
    if isinstance(prepared, ReadyQrels):
        return prepared
    return ReadyQrels(prepared.judgments, prepared.name, prepared.rows, prepared.notes)


def evaluate(
    qrels: Any,
    run: Any,
    measures: Measures,
    *,
    dialect: str = "rankproof",
    depth: int | None = None,
    judged_only: bool = False,
    level: int | None = None,
    complete: bool = False,
    undefined: Literal["zero", "skip"] = "zero",
    ties: Literal["rule", "expected", "range"] = "rule",
    order: By | None = None,
    lower_is_better: bool = False,
    collapse: str | None = None,
    drop_self: bool = False,
    allow: Iterable[str] = (),
    qrels_format: str | None = None,
    run_format: str | None = None,
    threads: int = 0,
    name: str | None = None,
    memory: int | str | None = None,
) -> Evaluation:
    """Values of measures on a run: `evaluate(qrels, run, "nDCG@10 RR@10 R@100")["nDCG@10"].mean`.

    `qrels` and `run` are paths, dicts of dicts, frames (pandas, polars, pyarrow, DuckDB), `Qrels`, `Run`, or
    prepared ones. The choices are those of `rankproof evaluate`; see `Settings` for the first of them.
    """
    variants = parse(measures)
    reading: dict[str, Any] = {
        "format": run_format, "order": order, "lower_is_better": lower_is_better, "collapse": collapse,
        "drop_self": drop_self, "allow": allow, "threads": threads, "name": name, "memory": memory,
    }  # fmt: skip
    if isinstance(run, PreparedRun):
        _refuse_other(qrels, run, reading)
    else:
        run = join_run(prepare_qrels(qrels, qrels_format, allow), run, **reading)
    settings = Settings(dialect, depth, judged_only, level, complete, undefined, ties)
    return measure_run(run, variants, settings)


def _refuse_other(qrels: Any, run: PreparedRun, reading: dict[str, Any]) -> None:
    """A prepared run stands on its own judgments and was read in its own way: neither can be changed now."""
    if qrels is not run.qrels:
        raise UsageError(
            f"The run {run.name!r} was prepared with the judgments {run.qrels.name}. Evaluate it on those "
            "(`run.qrels`), or prepare it with these."
        )
    said = [name for name, value in reading.items() if value]
    if said:
        raise UsageError(
            f"The run {run.name!r} is already read: {', '.join(said)} must be said to `prepare(run, ...)`."
        )


def measure_run(run: PreparedRun, variants: tuple[Variant, ...], settings: Settings) -> Evaluation:
    """Values of variants on a prepared run."""
    if shelf.find("dialects", settings.dialect).drops_self:
        run = run.without_self()
    subtopics = any(variant.measure.needs_subtopics for variant in variants)
    evaluation = evaluate_tables(
        lambda order: run.table(order, subtopics),
        variants,
        settings,
        run_name=run.name,
        notes=lambda: (*run.qrels.notes, *run.notes),
        judgments_hash=run.qrels.content_hash if subtopics else run.qrels.grades_hash,
    )
    # Known once the run has been read.
    if run.tag or run.findings:
        return replace(evaluation, run_tag=run.tag, findings=run.findings)
    return evaluation
