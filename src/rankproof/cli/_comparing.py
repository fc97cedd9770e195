"""The work behind `rankproof compare`: inputs read, compared, put on record, drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from rankproof.cli._compare_options import DEFAULT_MEASURES
from rankproof.cli._progress import watched
from rankproof.errors import InputError, UsageError
from rankproof.records.design import Design
from rankproof.records.settings import Settings

if TYPE_CHECKING:
    from rankproof.flow.prepared import PreparedQrels, PreparedRun
    from rankproof.records.comparison import Comparison
    from rankproof.records.manifest import ExperimentManifest

READING = ("order", "lower_is_better", "collapse", "drop_self", "threads", "run_format")


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A comparison and, where runs were read for it, what it was made from."""

    comparison: Comparison
    design: Design
    judged: tuple[str, PreparedQrels] | None = None
    runs: tuple[tuple[str, PreparedRun], ...] = ()
    reading: Mapping[str, Any] | None = None
    by: tuple[str, ...] = ()
    files: Mapping[str, str | None] | None = None
    record: ExperimentManifest | None = None


def from_runs(files: Sequence[str], choices: dict[str, Any]) -> Compared:
    """QRELS BASELINE CANDIDATE... compared."""
    if len(files) < 3:
        raise UsageError(
            f"A comparison takes judgments, a baseline and at least one candidate: QRELS BASELINE CANDIDATE...; "
            f"got {len(files)} {'file' if len(files) == 1 else 'files'}. With --saved it takes kept reports instead."
        )
    from rankproof.cli import _engine
    from rankproof.flow.compare import compare_runs, named_apart
    from rankproof.flow.joining import prepare_qrels
    from rankproof.flow.pooled import documents_of
    from rankproof.measures._text import parse

    design, settings = _design(choices), _settings(choices)
    variants = parse(choices.pop("measures") or DEFAULT_MEASURES)
    allow, qrels_format = choices.pop("allow"), choices.pop("qrels_format")
    reading = {name: choices.pop(name) for name in READING}
    judged = prepare_qrels(files[0], qrels_format, allow)
    how = {**reading, "format": reading["run_format"]}
    del how["run_format"]
    prepare_run = _engine.preparing(choices.pop("engine"), choices.pop("master"), choices.pop("memory"), judged)
    prepared = [prepare_run(run, allow=allow, **how) for run in watched(files[1:], "reading")]
    topics, pool = choices.pop("topics"), choices.pop("pool")
    by = tuple(choices.pop("by"))
    found = compare_runs(
        named_apart(prepared, files[1:]),
        variants,
        settings,
        design,
        topics=_topics(topics),
        queries=choices["queries"],
        by=by,
        universe="open" if choices.pop("open_universe") else "union",
        pool=None if pool is None else documents_of(pool),
        beyond=not choices.pop("no_beyond"),
    )
    return Compared(
        found,
        design,
        (files[0], judged),
        tuple(zip(files[1:], prepared, strict=True)),
        {**reading, "allow": allow, "qrels_format": qrels_format},
        by,
        {"topics": topics, "pool": pool, "queries": choices["queries"]},
    )


def from_reports(files: Sequence[str], choices: dict[str, Any]) -> Compared:
    """Kept reports compared: values alone, on the same judgments by their content."""
    from rankproof.flow.compare import compare_evaluations
    from rankproof.flow.evaluation_report import evaluation_of, read_report

    measured = ("measures", "pool", "depth", "judged_only", "master", "memory")
    said = [f"--{name.replace('_', '-')}" for name in measured if choices[name]]
    said += ["--engine"] if choices["engine"] != "local" else []
    if said:
        raise UsageError(f"Kept reports are already measured: {', '.join(said)} must be said to `rankproof evaluate`.")
    evaluations = [evaluation_of(read_report(path)) for path in files]
    names = [evaluation.run_name for evaluation in evaluations]
    if len(set(names)) < len(names):
        evaluations = [replace(e, run_name=path) for e, path in zip(evaluations, files, strict=True)]
    design = _design(choices)
    found = compare_evaluations(evaluations, design, queries=choices["queries"], by=tuple(choices["by"]))
    topics = _topics(choices["topics"])
    return Compared(replace(found, topics={q: topics[q] for q in found.query_ids if q in topics}), design)


def put_on_record(compared: Compared, name: str, dataset_version: str, notes: Sequence[str]) -> Compared:
    """With its manifest, which the HTML report shows too. Kept reports have no runs to get the numbers again from."""
    if compared.judged is None:
        return compared
    from rankproof.flow.manifest import READING as DECIDES
    from rankproof.flow.manifest import Given, manifest_of

    files = dict(compared.files or {})
    record = manifest_of(
        compared.comparison,
        Given(*compared.judged),
        [Given(*run) for run in compared.runs],
        design=compared.design,
        reading={name: value for name, value in (compared.reading or {}).items() if name in DECIDES},
        queries=files.pop("queries"),
        by=compared.by,
        others=files,
        name=name,
        dataset_version=dataset_version,
        notes=notes,
    )
    shown = {key: value for key, value in record.to_dict().items() if key != "observed"}
    return replace(compared, record=record, comparison=replace(compared.comparison, manifest=shown))


def keep(path: str, compared: Compared, observed: Mapping[str, Any]) -> None:
    """Writes the manifest."""
    from rankproof.store.lasting import write_manifest

    if compared.record is None:
        raise UsageError("A manifest names the runs it can be verified with, and kept reports have none.")
    record = compared.record
    write_manifest(path, replace(record, observed={**record.observed, **observed}))


def draw(folder: str, comparison: Comparison) -> None:
    """Writes every chart as PNG and as SVG."""
    from rankproof.reports._charts.drawn import to_png, to_svg
    from rankproof.reports._charts.every import charts
    from rankproof.store.atomic import replace_file

    specs = charts(comparison)
    try:
        os.makedirs(folder, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{folder} is a file. Name a folder for the charts, or one that can be made.") from None
    for name, spec in watched(list(specs.items()), "drawing"):
        replace_file(os.path.join(folder, f"{name}.svg"), [to_svg(spec).encode()])
        replace_file(os.path.join(folder, f"{name}.png"), [to_png(spec)])


def _design(choices: dict[str, Any]) -> Design:
    names = {field.name for field in fields(Design)} & choices.keys()
    return Design(**{name: choices.pop(name) for name in names})


def _settings(choices: dict[str, Any]) -> Settings:
    names = {field.name for field in fields(Settings)} & choices.keys()
    return Settings(**{name: choices.pop(name) for name in names})


def _topics(path: str | None) -> Mapping[str, str]:
    if path is None:
        return {}
    from rankproof.flow.collect import read_topics

    return read_topics(path)
