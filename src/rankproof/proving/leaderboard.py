"""Rank systems by the first measure, with what is significant, and the best against the second."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rankproof.errors import UnknownName, UsageError
from rankproof.measuring.evaluate import Measures, measure_run
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun, join_run, prepare_qrels
from rankproof.measuring.records import Settings
from rankproof.measuring.run_sources import settle_reading
from rankproof.proving.compare import compare_runs, joined_runs, sorted_choices
from rankproof.proving.leaderboard_records import Leaderboard
from rankproof.proving.ranks import leaderboard_of, ranked
from rankproof.proving.summary import measured_with, other_warnings, warnings_on_verdict
from rankproof.reading.collect import named_columns
from rankproof.reading.formats.contract import Columns
from rankproof.reading.naming import several_runs
from rankproof.reading.run_paths import run_paths


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
    columns: Columns = None,
    **choices: Any,
) -> Leaderboard:
    """Runs ranked by the first measure: `leaderboard(qrels, {"bm25": "bm25.run", "dense": "dense.run"}, "nDCG@10")`.

    `runs` is a mapping from names to runs, a list of runs or paths, a folder, or a pattern such as "runs/*.run".
    Differences are taken from `baseline`, a run by its name or path, or from the best where none is named: then all
    pairs of systems are one family of tests. `beyond=False` does not look whether ties and unjudged documents could
    change the verdict. The other choices are those of `Settings`, `Design` and, for reading, of `evaluate`.
    """
    sources = run_sources(runs)
    if len(sources) < 2:
        raise UsageError(
            f"A leaderboard ranks two or more runs; got {len(sources)}. `rankproof evaluate` measures a single one."
        )
    settings, design, reading = sorted_choices(choices)
    gold = settle_reading(reading)
    reading |= named_columns(columns, qrels, [source for _, source in sources])
    join = partial(join_run, format=run_format, allow=tuple(allow), **reading)
    judged = prepare_qrels(qrels, qrels_format, tuple(allow), columns=columns, **gold)
    joined = joined_runs(judged, sources, join)
    if baseline is not None:
        joined = _baseline_first(joined, baseline, [source for _, source in sources])
    variants = parse(measures, settings.dialect)
    if baseline is None:
        joined = _best_first(joined, variants[:1], settings)
        design = replace(design, all_pairs=True)
    comparison = compare_runs(joined, variants, settings, design, topics={}, beyond=beyond)
    warnings = [*warnings_on_verdict(comparison), *other_warnings(comparison)]
    return leaderboard_of(comparison, baseline is not None, warnings, measured_with(comparison))


def _baseline_first(
    runs: Mapping[str, PreparedRun], baseline: str, sources: Sequence[object]
) -> dict[str, PreparedRun]:
    """The run of that name or path in the place of the baseline."""
    named = [name for name, source in zip(runs, sources, strict=True) if baseline in (name, source)]
    if not named:
        raise UnknownName("run to be the baseline", baseline, runs)
    return {named[0]: runs[named[0]], **runs}


def _best_first(
    runs: Mapping[str, PreparedRun], first: tuple[Variant, ...], settings: Settings
) -> dict[str, PreparedRun]:
    """The best run in the place of the baseline: what unjudged documents could change is asked of that one."""
    results = {name: next(iter(measure_run(run, first, settings).results.values())) for name, run in runs.items()}
    means = {name: result.mean for name, result in results.items()}
    order, _ = ranked(list(runs), means, next(iter(results.values())).better)
    return {order[0]: runs[order[0]], **runs}


def run_sources(runs: object) -> list[tuple[str | None, object]]:
    """The runs with their names, None where a run names itself: of a mapping, a list, a folder or a pattern."""
    several = several_runs([runs] if isinstance(runs, str | os.PathLike) else runs)
    if several is None:
        raise UsageError(
            "Runs come as a mapping from names to runs, a list of runs or paths, a folder or a pattern such as "
            f"'runs/*.run'; got {type(runs).__name__}."
        )
    sources: list[tuple[str | None, object]] = []
    for name, source in several:
        if name is None and isinstance(source, str | os.PathLike):
            sources += [(None, path) for path in run_paths([os.fspath(source)])]
        else:
            sources.append((name, source))
    return sources
