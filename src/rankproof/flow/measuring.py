"""Measuring: the one call from judgments and a run to an Evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from rankproof import shelf
from rankproof.errors import UsageError
from rankproof.flow.evaluate import evaluate_tables
from rankproof.flow.joining import join_run, prepare_qrels
from rankproof.flow.prepared import PreparedQrels, PreparedRun
from rankproof.measures._contract import Variant
from rankproof.measures._text import parse
from rankproof.records.evaluation import Evaluation
from rankproof.records.order import By
from rankproof.records.settings import Settings

Measures = str | Variant | Iterable[str | Variant]


def prepare(qrels: Any, format: str | None = None, *, allow: Iterable[str] = (), **options: Any) -> PreparedQrels:
    """Judgments read, checked and ready: `rankproof.prepare(qrels).evaluate(run, "nDCG@10")`, as often as you like."""
    return prepare_qrels(qrels, format, allow, **options)


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
