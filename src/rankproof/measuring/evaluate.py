"""Evaluate: from judgments and a run to values by query, population and fine print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.sections import number, some
from rankproof.measuring.dialects.contract import MISSING_FATE, Dialect, Reading
from rankproof.measuring.evaluations import Evaluations
from rankproof.measuring.functions import PlacedFunctions, with_functions
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Measure, Variant
from rankproof.measuring.names import NamesAndFunctions, at_level, canonical, canonical_at, parse, requested
from rankproof.measuring.prepare import PreparedQrels, PreparedRun, join_run, prepare_qrels
from rankproof.measuring.records import DEFAULT_SETTINGS, Evaluation, LazyLines, Population, Result, Settings, aggregate
from rankproof.measuring.run_sources import settle_reading
from rankproof.measuring.views import condensed, cut, read_negatives, select, without_undefined
from rankproof.reading.naming import SeveralRuns, names_apart, several_runs
from rankproof.reading.records import By, Order

if TYPE_CHECKING:
    from rankproof.reading.formats.contract import Collapse, Columns, Unmapped

# Returns the table of the current run in the given order.
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

    `notes` gives the notes of reading the run, for the end of the fine print; `judgments_hash` the identity of
    the judgments, which tells whether two evaluations can be compared.
    """
    dialect: Dialect = shelf.find("dialects", settings.dialect)
    # A total that the tool counts without regard to the level keeps the plain name.
    kept = dialect.totals if settings.complete else {}
    if settings.level not in (None, 1):
        leveled = at_level(variants, settings.level)
        variants = [v if v.text in kept else level for v, level in zip(variants, leveled, strict=True)]
    spoken, readings, on = [], [], []
    tables_read: dict[Reading, JudgedTable] = {}
    for variant in variants:
        spoken_variant = speak(variant, dialect, settings)
        reading = dialect.read(spoken_variant, settings.complete)
        if reading not in tables_read:
            tables_read[reading] = apply_reading(tables(reading.order), reading, settings)
        spoken.append(spoken_variant)
        readings.append(reading)
        on.append(tables_read[reading])
    on, skipped = without_undefined(spoken, on) if settings.undefined == "skip" else (on, ())
    results, spelled = {}, {}
    for variant, spoken_variant, reading, table in zip(variants, spoken, readings, on, strict=True):
        dialect.check(table, spoken_variant)
        result = measure(table, spoken_variant, reading, settings)
        if variant.text in kept:
            result = replace(result, mean=kept[variant.text].compute(table))
        if dialect.round_mean is not None:
            result = replace(result, mean=round(result.mean, dialect.round_mean))
        results[variant.text] = result if variant.text == result.text else replace(result, text=variant.text)
        if variant.typed:
            spelled[variant.typed] = variant.text
    if not variants:  # functions alone
        readings.append(dialect.read(None, settings.complete))
        on.append(apply_reading(tables(readings[0].order), readings[0], settings))
    first = on[0]
    population = Population.of(tables(first.order), first, skipped, readings[0].missing)
    return Evaluation(
        results, population, LazyLines(partial(fine_print, population, results, first, settings, dialect, notes)),
        run_name, dialect.name, spelled, settings=settings, run_tag=run_tag,
        canonical=canonical if settings.level in (None, 1) else partial(canonical_at, settings.level, frozenset(kept)),
        judgments_hash=judgments_hash,
    )  # fmt: skip


def speak(variant: Variant, dialect: Dialect, settings: Settings) -> Variant:
    """The variant as the dialect and the settings' relevance level define it."""
    if settings.level not in (None, 1):
        (variant,) = at_level((variant,), settings.level)
    return dialect.speak(variant)


def apply_reading(table: JudgedTable, reading: Reading, settings: Settings) -> JudgedTable:
    """The table as the reading and the settings require it: negatives, condensing, depth, population."""
    if reading.negatives != table.pool.negatives:
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
            ties = None  # the mean over orders is the tool's own value, not a requested range
    if reading.rounds is not None:
        values = np.array([reading.rounds(value) for value in values.tolist()])
    if reading.missing == "blank":
        values = np.where(table.in_run, values, 0.0)
    undefined = kind.undefined(table, variant)
    ids: Sequence[str] = table.pool.query_ids
    names: tuple[str, ...] = ()
    counted = np.ones(len(values), dtype=bool)
    if undefined.any():
        names = tuple(compress(ids, undefined.tolist()))
        if kind.skips_undefined:
            counted = ~undefined
            ids = list(compress(ids, counted.tolist()))
            if ties is not None:
                ties = replace(ties, by_query=ties.by_query[counted])
    added = counted & table.in_run if reading.missing == "blank" else counted
    order = table.pool.bytewise if reading.sums == "one_by_one" else np.arange(len(values))
    summed = values[order[added[order]]]
    mean = aggregate(summed, kind.aggregate, reading.sums == "one_by_one", blank=int(counted.sum() - added.sum()))
    labels = None
    if kind.labels is not None:
        labels = dict(zip(table.pool.query_ids, kind.labels(table, variant), strict=True))
    return Result(
        variant.text, mean, ids, values[counted], names, kind.aggregate, kind.better, kind.whole,
        partial(kind.fine_print, table, variant), ties, labels,
    )  # fmt: skip


Measures = str | Variant | Iterable[str | Variant]
Undefined = Literal["zero", "skip"]
TieReading = Literal["rule", "expected", "range"]


class ReadyQrels(PreparedQrels):
    """Prepared judgments that evaluate: what `rankproof.prepare` returns."""

    __slots__ = ()

    @overload
    def evaluate(self, run: SeveralRuns, measures: NamesAndFunctions, **settings: Any) -> Evaluations: ...
    @overload
    def evaluate(self, run: Any, measures: NamesAndFunctions, **settings: Any) -> Evaluation: ...
    def evaluate(self, run: Any, measures: NamesAndFunctions, **settings: Any) -> Evaluation | Evaluations:
        """`rankproof.evaluate` on these judgments: an Evaluation, or Evaluations of several runs."""
        made: Evaluation | Evaluations = evaluate(self, run, measures, **settings)
        return made


def prepare(qrels: Any, format: str | None = None, *, allow: Iterable[str] = (), **options: Any) -> ReadyQrels:
    """Judgments read, checked and ready: `rankproof.prepare(qrels).evaluate(run, "nDCG@10")`, as often as you like."""
    prepared = prepare_qrels(qrels, format, allow, **options)
    if isinstance(prepared, ReadyQrels):
        return prepared
    return ReadyQrels(prepared.judgments, prepared.name, prepared.rows, prepared.notes)


@overload
def evaluate(
    qrels: Any, run: SeveralRuns, measures: NamesAndFunctions, *,
    dialect: str = "rankproof", depth: int | None = None, judged_only: bool = False, level: int | None = None,
    complete: bool = False, undefined: Undefined = "zero", ties: TieReading = "rule", order: By | None = None,
    lower_is_better: bool = False, collapse: Collapse | None = None, unmapped: Unmapped | None = None,
    collapse_qrels: bool = False, drop_self: bool = False, allow: Iterable[str] = (), qrels_format: str | None = None,
    run_format: str | None = None, threads: int = 0, name: str | None = None, memory: int | str | None = None,
    columns: Columns = None,
) -> Evaluations: ...  # fmt: skip
@overload
def evaluate(
    qrels: Any, run: Any, measures: NamesAndFunctions, *,
    dialect: str = "rankproof", depth: int | None = None, judged_only: bool = False, level: int | None = None,
    complete: bool = False, undefined: Undefined = "zero", ties: TieReading = "rule", order: By | None = None,
    lower_is_better: bool = False, collapse: Collapse | None = None, unmapped: Unmapped | None = None,
    collapse_qrels: bool = False, drop_self: bool = False, allow: Iterable[str] = (), qrels_format: str | None = None,
    run_format: str | None = None, threads: int = 0, name: str | None = None, memory: int | str | None = None,
    columns: Columns = None,
) -> Evaluation: ...  # fmt: skip
def evaluate(
    qrels: Any, run: Any, measures: NamesAndFunctions, *,
    dialect: str = "rankproof", depth: int | None = None, judged_only: bool = False, level: int | None = None,
    complete: bool = False, undefined: Undefined = "zero", ties: TieReading = "rule", order: By | None = None,
    lower_is_better: bool = False, collapse: Collapse | None = None, unmapped: Unmapped | None = None,
    collapse_qrels: bool = False, drop_self: bool = False, allow: Iterable[str] = (), qrels_format: str | None = None,
    run_format: str | None = None, threads: int = 0, name: str | None = None, memory: int | str | None = None,
    columns: Columns = None,
) -> Evaluation | Evaluations:  # fmt: skip
    """Values of measures on a run: `evaluate(qrels, run, "nDCG@10 RR@10 R@100")["nDCG@10"].mean`.

    `qrels` and `run` are paths, dicts of dicts, frames (pandas, polars, pyarrow, DuckDB), `Qrels`, `Run`, or
    prepared ones. Judgments may name relevant documents without grades: `{query: [doc, ...]}`. `columns` says which
    column is what, `{"query_id": "question_id", "doc_id": "chunk_id"}`. `collapse` makes documents of chunks: a
    separator, a regular expression with a group, a mapping file, `{chunk_id: doc_id}` or a function; `unmapped` says
    what happens to chunks without one, `collapse_qrels` that the judgments are of chunks too. The choices are those of
    `rankproof evaluate`; see `Settings` for the first of them. Several runs, in a list or a mapping from names, give
    `Evaluations`: `evaluate(qrels, {"a": run, "b": other}, "AP")["a"]["AP"].mean`. A function of a `QueryView` is a
    measure too, alone or in a list beside names: `evaluate(qrels, run, [my_function, "nDCG@10"])`.
    """
    (variants, functions), allow = requested(measures, dialect), tuple(allow)
    settings = Settings(dialect, depth, judged_only, level, complete, undefined, ties)
    several = several_runs(run)
    reading: dict[str, Any] = {
        "format": run_format, "order": order, "lower_is_better": lower_is_better, "collapse": collapse,
        "drop_self": drop_self, "allow": allow, "threads": threads, "memory": memory, "unmapped": unmapped,
        "collapse_qrels": collapse_qrels,
    }  # fmt: skip
    gold = settle_reading(reading)
    if columns is not None:
        from rankproof.reading.collect import named_columns

        reading |= named_columns(columns, qrels, [run] if several is None else [each for _, each in several])
    if several is None:
        joined = _joined(qrels, qrels_format, run, {**reading, "name": name}, gold)
        return measure_run(joined, variants, settings, functions)
    if name is not None:
        raise UsageError(f"There are {len(several)} runs and one name, {name!r:.80}. Give a mapping from names.")
    judged = prepare_qrels(qrels, qrels_format, allow, columns=columns, **gold)  # once for all runs
    runs = [_joined(judged, None, each, reading, {}) for _, each in several]
    made = [measure_run(each, variants, settings, functions) for each in runs]
    names = names_apart(several, [each.name for each in runs])
    return Evaluations([replace(each, run_name=name) for each, name in zip(made, names, strict=True)])


def _joined(
    qrels: Any, qrels_format: str | None, run: Any, reading: dict[str, Any], gold: dict[str, Any]
) -> PreparedRun:
    """The run joined with the judgments, where it is not already."""
    if isinstance(run, PreparedRun):
        _refuse_other(qrels, run, reading)
        return run
    judged = prepare_qrels(qrels, qrels_format, reading["allow"], columns=reading.get("columns"), **gold)
    return join_run(judged, run, **reading)


def _refuse_other(qrels: Any, run: PreparedRun, reading: dict[str, Any]) -> None:
    """Refuses other judgments or reading options for a prepared run: it is already joined and read."""
    if qrels is not run.qrels:
        raise UsageError(
            f"The run {run.name!r} was prepared with the judgments {run.qrels.name}. Evaluate it on those "
            "(`run.qrels`), or prepare it with these."
        )
    given = [name for name, value in reading.items() if value]
    if given:
        raise UsageError(
            f"The run {run.name!r} is already read: {', '.join(given)} must be given to `prepare(run, ...)`."
        )


def measure_run(
    run: PreparedRun, variants: tuple[Variant, ...], settings: Settings, functions: PlacedFunctions = ()
) -> Evaluation:
    """Values of variants, and of functions, on a prepared run."""
    dialect: Dialect = shelf.find("dialects", settings.dialect)
    if dialect.drops_self:
        run = run.without_self()
    subtopics = False
    for variant in variants:
        subtopics = subtopics or variant.measure.needs_subtopics
    evaluation = evaluate_tables(
        partial(run.table, subtopics=subtopics),
        variants,
        settings,
        run_name=run.name,
        notes=run.reading_notes,
        judgments_hash=run.qrels.content_hash if subtopics else run.qrels.grades_hash,
    )
    if functions:
        reading = dialect.read(None, settings.complete)
        table = apply_reading(run.table(reading.order), reading, settings)
        evaluation = with_functions(evaluation, functions, table, run, settings, reading.missing == "blank")
    # Known once the run has been read.
    if run.tag or run.findings:
        return replace(evaluation, run_tag=run.tag, findings=run.findings)
    return evaluation


# ---- the fine print: what a table of numbers does not show, in a few lines below it ---------------

# Where the judged share is looked at when no measure has a cutoff.
USUAL_CUTOFF = 10
# Below this mean share of judged documents a warning stands beside it: unjudged ones can decide a comparison then.
LOW = 0.8


def fine_print(
    population: Population,
    results: Mapping[str, Result],
    table: JudgedTable,
    settings: Settings,
    dialect: Dialect,
    notes: Callable[[], Sequence[str]] = tuple,
) -> tuple[str, ...]:
    """The lines: each measure's own, then order, population, judged share, settings and the notes of reading."""
    lines = []
    for text, result in results.items():
        if note := result.note():
            lines.append(f"{text}: {note}")
    lines.append(f"order: {table.order}")
    if settings.ties != "rule":
        lines += _ties(results, settings)
    if dialect.name != "rankproof":
        lines.append(f"dialect: {dialect.name}")
        lines += dialect.reading_lines({text: parse(text)[0] for text in results}, table.order)
        if settings.complete and settings.level not in (None, 1):
            totals = [(text, dialect.totals[text].note) for text in results if text in dialect.totals]
            lines += [f"{text}: {note}" for text, note in totals if note]
    lines.append(f"queries: {population.scored} scored of {population.judged} judged")
    if population.missing:
        counted = MISSING_FATE[population.missing_policy]
        lines.append(f"missing from the run: {len(population.missing)}, {counted} ({some(population.missing)})")
    if population.without_relevant:
        n = len(population.without_relevant)
        lines.append(f"without a relevant document: {n} ({some(population.without_relevant)})")
    if population.unjudged:
        lines.append(f"in the run, not judged, not scored: {len(population.unjudged)} ({some(population.unjudged)})")
    if population.skipped:
        lines.append(f"skipped as undefined: {len(population.skipped)} ({some(population.skipped)})")
    lines += _undefined(results)
    # In condensed rankings every document is judged: the share would say nothing.
    if not settings.judged_only:
        lines += _judged(results, table)
    if settings.depth is not None:
        lines.append(f"depth: only the first {settings.depth} documents of each ranking")
    if settings.judged_only:
        lines.append("judged only: unjudged documents removed before ranking")
    return (*lines, *notes())


def _ties(results: Mapping[str, Result], settings: Settings) -> list[str]:
    """How the values treat tied documents, when not by the rule of the order, and how that was computed."""
    what = "mean" if settings.ties == "expected" else "least and greatest"
    notes = [f"{text}: {r.ties.note}" for text, r in results.items() if r.ties is not None and r.ties.note]
    return [f"ties: {what} over all orders of documents with equal scores", *notes]


def _undefined(results: Mapping[str, Result]) -> list[str]:
    """For how many queries each measure has no value, and how they count in the mean."""
    groups: dict[tuple[int, bool], list[str]] = {}
    for text, result in results.items():
        if result.undefined:
            counts = result.undefined[0] in result.query_ids
            groups.setdefault((len(result.undefined), counts), []).append(text)
    lines = []
    for (n, counts), texts in groups.items():
        one = n == 1
        fate = ("counts as 0 in" if one else "count as 0 in") if counts else "left out of"
        lines.append(f"undefined: {n} {'query' if one else 'queries'} {fate} {', '.join(texts)}")
    return lines


def _judged(results: Mapping[str, Result], table: JudgedTable) -> list[str]:
    """Which share of the documents that the measures look at is judged; a warning where it is low."""
    if not table.pool.query_ids:
        return []
    cutoffs: set[int] = set()
    for text in results:
        for variant in parse(text):
            if variant.measure.cutoff != "recall" and variant.k is not None:
                cutoffs.add(variant.k)
    judged: Measure = shelf.find("measures", "Judged")
    shares, low = [], []
    for k in sorted(cutoffs) or [USUAL_CUTOFF]:
        mean = float(judged.compute(table, judged.variant(at=k)).mean())
        shares.append(f"Judged@{k} {number(mean)}")
        if mean < LOW:
            low.append(str(k))
    lines = [f"{', '.join(shares)} (share of the first k documents that is judged)"]
    if low:
        lines.append(
            f"few of the first {', '.join(low)} documents are judged: unjudged ones count as not relevant, "
            "so the true values may be higher"
        )
    return lines
