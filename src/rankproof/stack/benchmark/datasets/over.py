"""One verdict over datasets: the modes by their means over datasets, and where datasets disagree.

Every dataset has the same weight, however many queries it has, as in BEIR: the mean over datasets is a stratified mean,
and its error is that of the queries of each. The comparison is the one of `rankproof.proving.datasets`; the way to the
mode to ship is that of a benchmark on one dataset. Both speak of the datasets that were chosen, and of no others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from rankproof.errors import InputError
from rankproof.proving.datasets import compare_datasets
from rankproof.stack.benchmark.datasets.config import DatasetsConfig
from rankproof.stack.benchmark.datasets.records import Disagreement, MultiBenchmark
from rankproof.stack.benchmark.records import Advice, Benchmark, ModeSummary
from rankproof.stack.benchmark.reranks import RerankCheck, unbroken
from rankproof.stack.benchmark.run import leader, shipping_path
from rankproof.stack.benchmark.sections import against


def over_datasets(
    config: DatasetsConfig, parts: Mapping[str, Benchmark], overlaps: tuple[str, ...] = ()
) -> MultiBenchmark:
    """The whole of what came out on each dataset; `overlaps` are warnings of queries that datasets share."""
    _refuse_same(parts)
    measures = config.first.measures
    over = compare_datasets({name: part.comparison for name, part in parts.items()}, config.first.design)
    lacking = [measure for measure in measures if measure not in over.overall.measures]
    if lacking:
        without = [name for name, part in parts.items() if lacking[0] not in part.comparison.measures]
        raise InputError(f"{lacking[0]} has no value on {', '.join(without)}, so there is no mean over datasets.")
    modes = [row.mode for row in next(iter(parts.values())).rows]
    means = {measure: {mode: _mean_over(parts, measure, mode) for mode in modes} for measure in measures}
    best = {measure: leader(over.overall, measure) for measure in measures}
    whole = MultiBenchmark(
        config,
        parts,
        over,
        means,
        best,
        Advice(measures[0], None, (), ()),
        (),
        (*overlaps, *_tells_nothing(parts, measures[0]), *over.warnings),
    )
    if whole.undecided:
        whole = replace(whole, best=dict.fromkeys(measures))
    return replace(whole, advice=_advise(whole), disagreements=_disagreements(whole))


def _tells_nothing(parts: Mapping[str, Benchmark], measure: str) -> Iterator[str]:
    """Warnings of datasets that count like the others, and on which no query tells any two modes apart."""
    for name, part in parts.items():
        contrasts = [contrast for contrast in part.comparison.contrasts if contrast.measure == measure]
        if contrasts and not any(contrast.wins or contrast.losses for contrast in contrasts):
            yield f"{name} tells nothing: in every query all modes have the same {measure}; it counts like the others"


def _mean_over(parts: Mapping[str, Benchmark], measure: str, mode: str) -> float:
    values = [e[measure].mean for part in parts.values() for e in part.comparison.evaluations if e.run_name == mode]
    return math.fsum(values) / len(values)


def _refuse_same(parts: Mapping[str, Benchmark]) -> None:
    """The same data under two names would count twice, and its queries as if they were more."""
    seen: dict[str, str] = {}
    for name, part in parts.items():
        if part.dataset_hash in seen:
            raise InputError(
                f"{seen[part.dataset_hash]} and {name} are the same documents, queries and judgments, which would "
                "count twice. Leave one out."
            )
        seen[part.dataset_hash] = name


def _advise(whole: MultiBenchmark) -> Advice:
    """What to ship by the first measure over the datasets. A mode that is broken on one of them is never shipped."""
    measure, base = whole.measure, whole.config.first.baseline
    checks: dict[str, RerankCheck] = {}
    for part in whole.parts.values():
        for row in part.rows:
            if row.rerank is not None and (row.mode not in checks or row.rerank.verdict == "broken"):
                checks[row.mode] = row.rerank
    broken = tuple(mode for mode, check in checks.items() if check.verdict == "broken")
    path: tuple[str, ...] = ()
    if not whole.undecided:
        sound = [mode for mode in whole.modes if mode not in broken]
        path = shipping_path(unbroken(base, checks), sound, partial(whole.held, measure))
    summaries = tuple(
        ModeSummary(
            row.mode,
            whole.means[measure][row.mode],
            tuple(
                whole.held(measure, row.mode, other) for other in row.inputs or ((base,) if row.mode != base else ())
            ),
            sum(sum(r.failures.values()) for part in whole.parts.values() for r in part.rows if r.mode == row.mode),
        )
        for row in whole.first.rows
    )
    return Advice(measure, path[-1] if path else None, path, summaries, broken=broken)


def _disagreements(whole: MultiBenchmark) -> tuple[Disagreement, ...]:
    """The pairs that are asked about, where one direction is significant here and the other there."""
    found = []
    for row in whole.first.rows:
        for other in against(whole.first, row):
            overall = whole.held(whole.measure, row.mode, other).shown
            shown = {name: held.shown for name, held in whole.by_dataset(whole.measure, row.mode, other).items()}
            better, worse = (
                tuple(name for name, word in shown.items() if word == side) for side in ("better", "worse")
            )
            if (better or overall == "better") and (worse or overall == "worse"):
                found.append(Disagreement(row.mode, other, overall, better, worse))
    return tuple(found)
