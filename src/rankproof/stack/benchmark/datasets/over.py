"""One verdict over datasets: the modes by their means over datasets, and where datasets disagree.

Every dataset has the same weight, however many queries it has, as in BEIR: the mean over datasets is a stratified mean,
and its error is that of the queries of each. The comparison is the one of `rankproof.proving.datasets`; the way to the
mode to ship is that of a benchmark on one dataset. Both speak of the datasets that were chosen, and of no others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from rankproof.errors import InputError
from rankproof.kernel.sections import counted, some
from rankproof.proving.datasets import compare_datasets
from rankproof.reading.collection import Query
from rankproof.stack.benchmark.datasets.config import DatasetsConfig
from rankproof.stack.benchmark.datasets.records import Disagreement, MultiBenchmark
from rankproof.stack.benchmark.records import Advice, Benchmark, ModeSummary
from rankproof.stack.benchmark.reranks import RerankCheck, unbroken
from rankproof.stack.benchmark.run import leader, shipping_path
from rankproof.stack.benchmark.sections import against
from rankproof.stack.benchmark.withheld import withhold


def over_datasets(
    config: DatasetsConfig, parts: Mapping[str, Benchmark], overlaps: tuple[str, ...] = ()
) -> MultiBenchmark:
    """The whole of what came out on each dataset; `overlaps` are warnings of queries that datasets share."""
    data = SharedData()
    for name, part in parts.items():
        data.add(name, part.dataset_hash)
    measures = config.first.measures
    over = compare_datasets({name: part.comparison for name, part in parts.items()}, config.first.design)
    lacking = [measure for measure in measures if measure not in over.overall.measures]
    if lacking:
        without = [name for name, part in parts.items() if lacking[0] not in part.comparison.measures]
        raise InputError(f"{lacking[0]} has no value on {', '.join(without)}, so there is no mean over datasets.")
    modes = [row.mode for row in next(iter(parts.values())).rows]
    means = {measure: {mode: _mean_over(parts, measure, mode) for mode in modes} for measure in measures}
    broken = {mode for part in parts.values() for mode in part.broken}
    is_open = any(part.open_since for part in parts.values())
    sound = [mode for mode in modes if mode not in broken]
    over = replace(
        over,
        overall=withhold(over.overall, is_open, broken),
        like_these=tuple(like for like in over.like_these if like.candidate not in broken),
        left_out=tuple(out for out in over.left_out if out.candidate not in broken),
    )
    best = {measure: None if is_open else leader(over.overall, measure, sound) for measure in measures}
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


class SharedData:
    """What datasets share: the same data under two names would count twice, and shared queries make a test too sure."""

    def __init__(self) -> None:
        self._by_hash: dict[str, str] = {}
        self._first: dict[tuple[str, str], str] = {}
        self._shared: dict[tuple[str, str], list[str]] = {}

    def add(self, name: str, dataset_hash: str, queries: Sequence[Query] = ()) -> None:
        """One dataset more; InputError where it is another one again."""
        twin = self._by_hash.setdefault(dataset_hash, name)
        if twin != name:
            raise InputError(
                f"The datasets {twin} and {name} are the same documents, queries and judgments, which would count "
                "twice. Leave one out."
            )
        for query in queries:
            first = self._first.setdefault((query.query_id, query.text), name)
            if first != name:
                self._shared.setdefault((first, name), []).append(query.query_id)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Of queries that stand in two datasets."""
        return tuple(
            f"{counted(len(both), 'query is', 'queries are')} in {first} and in {second} ({some(both)}): the test "
            "takes datasets for independent, so it is too sure"
            for (first, second), both in self._shared.items()
        )


def _advise(whole: MultiBenchmark) -> Advice:
    """What to ship by the first measure over the datasets. A mode that is broken on one of them is never shipped."""
    measure, base = whole.measure, whole.config.first.baseline
    checks: dict[str, RerankCheck] = {}
    for part in whole.parts.values():
        for row in part.rows:
            if row.rerank is not None and (row.mode not in checks or row.rerank.verdict == "broken"):
                checks[row.mode] = row.rerank
    path: tuple[str, ...] = ()
    if not whole.is_open:
        sound = [mode for mode in whole.modes if mode not in whole.broken]
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
    return Advice(
        measure, path[-1] if path else None, path, summaries, broken=whole.broken, left_out=whole.config.first.left_out
    )


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
