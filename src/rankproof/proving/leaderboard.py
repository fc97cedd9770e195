"""Rank systems by the first measure, with what is significant, and the best against the second."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeVar

from rankproof.errors import UsageError
from rankproof.measuring.evaluate import Measures, measure_run
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun, join_run, prepare_qrels
from rankproof.measuring.records import Settings
from rankproof.proving.compare import compare_runs, joined_runs
from rankproof.proving.leaderboard_records import Leaderboard, leaderboard_of, ranked
from rankproof.proving.records import Design
from rankproof.proving.summary import measured_with, other_warnings, warnings_on_verdict
from rankproof.reading.naming import distinct_names


def leaderboard(
    qrels: object,
    runs: object,
    measures: Measures = "nDCG@10 RR@10 AP R@100 P@10",
    *,
    baseline: str | None = None,
    beyond: bool = True,
    qrels_format: str | None = None,
    run_format: str | None = None,
    allow: Iterable[str] = (),
    **choices: Any,
) -> Leaderboard:
    """Runs ranked by the first measure: `leaderboard(qrels, {"bm25": "bm25.run", "dense": "dense.run"}, "nDCG@10")`.

    `runs` is a mapping from names to runs, a list of runs or paths, a folder, or a pattern such as "runs/*.run".
    Differences are taken from `baseline`, a run by its name or path, or from the best where none is named: then all
    pairs of systems are one family of tests. `beyond=False` does not look whether ties and unjudged documents could
    change the verdict. The other choices are those of `Settings`, `Design` and, for reading, of `evaluate`.
    """
    named = run_sources(runs)
    if len(named) < 2:
        raise UsageError(
            f"A leaderboard ranks two or more runs; got {len(named)}. `rankproof evaluate` measures a single one."
        )
    names = list(named)
    if baseline is not None:
        first = [name for name in names if baseline in (name, named[name])]
        if not first:
            raise UsageError(f"There is no run {baseline!r} to be the baseline. The runs are: {', '.join(names)}.")
        names.sort(key=lambda name: name != first[0])
    settings, choices = _taken(Settings, choices)
    design, reading = _taken(Design, choices)
    join = partial(join_run, format=run_format, allow=tuple(allow), **reading)
    # Runs without given names have their own, as everywhere else.
    called: list[str | None] = [*names] if isinstance(runs, Mapping) else [None] * len(names)
    judged = prepare_qrels(qrels, qrels_format, tuple(allow))
    joined = joined_runs(judged, [named[name] for name in names], called, join)
    variants = parse(measures, settings.dialect)
    if baseline is None:
        joined = _best_first(joined, variants[:1], settings)
        design = replace(design, all_pairs=True)
    comparison = compare_runs(joined, variants, settings, design, topics={}, beyond=beyond)
    warnings = [*warnings_on_verdict(comparison), *other_warnings(comparison)]
    return leaderboard_of(comparison, baseline is not None, warnings, measured_with(comparison))


Record = TypeVar("Record")


def _taken(kind: type[Record], choices: Mapping[str, Any]) -> tuple[Record, dict[str, Any]]:
    """The record of the choices that are its fields, and the other choices."""
    own = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    record = kind(**{name: value for name, value in choices.items() if name in own})
    return record, {name: value for name, value in choices.items() if name not in own}


def _best_first(
    runs: Mapping[str, PreparedRun], first: tuple[Variant, ...], settings: Settings
) -> dict[str, PreparedRun]:
    """The best run in the place of the baseline: what unjudged documents could change is asked of that one."""
    results = {name: next(iter(measure_run(run, first, settings).results.values())) for name, run in runs.items()}
    means = {name: result.mean for name, result in results.items()}
    order, _ = ranked(list(runs), means, next(iter(results.values())).better)
    return {order[0]: runs[order[0]], **runs}


def run_sources(runs: object) -> dict[str, object]:
    """The runs by name: of a mapping, a list, a folder or a pattern."""
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        return {str(name): run for name, run in runs.items()}
    if isinstance(runs, str | os.PathLike):
        runs = _files(os.fspath(runs))
    if not isinstance(runs, list | tuple):
        raise UsageError(
            "Runs come as a mapping from names to runs, a list of runs or paths, a folder or a pattern such as "
            f"'runs/*.run'; got {type(runs).__name__}."
        )
    paths = [os.fspath(run) if isinstance(run, os.PathLike) else run for run in runs]
    expanded = [each for run in paths for each in (_files(run) if isinstance(run, str) else [run])]
    places = [run if isinstance(run, str) else f"run {at}" for at, run in enumerate(expanded, start=1)]
    own = [
        os.path.basename(run).partition(".")[0] if isinstance(run, str) else getattr(run, "name", "") or place
        for run, place in zip(expanded, places, strict=True)
    ]
    return dict(zip(distinct_names(own, places, [f"run {at}" for at in range(1, len(own) + 1)]), expanded, strict=True))


def _is_one_run(runs: Mapping[object, object]) -> bool:
    """Whether it is a run itself, queries with the scores of their documents, and no mapping from names to runs."""
    first = next(iter(runs.values()), None)
    return isinstance(first, Mapping) and isinstance(next(iter(first.values()), None), int | float)


def _files(path: str) -> list[str]:
    """The files that a folder holds or a pattern finds, by name; a plain path is itself."""
    if os.path.isdir(path):
        inside = [os.path.join(path, name) for name in sorted(os.listdir(path)) if not name.startswith(".")]
        files = [file for file in inside if os.path.isfile(file)]
        if not files:
            raise UsageError(f"The folder {path} has no file. Name a folder of runs.")
        return files
    if glob.has_magic(path) and not os.path.exists(path):
        files = sorted(glob.glob(path))
        if not files:
            raise UsageError(f"No file matches {path}. Check the pattern.")
        return files
    return [path]
