"""Contrasting: from paired values to contrasts, all tests of a family together."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankproof import shelf
from rankproof.corrections._contract import Block, Correction, Tests
from rankproof.errors import UsageError
from rankproof.flow.equivalence import equivalence
from rankproof.flow.paired import Paired
from rankproof.flow.power import queries_needed, smallest_difference
from rankproof.records.comparison import ALL_QUERIES, Adjusted, Contrast, Detectable, Family
from rankproof.records.design import Design
from rankproof.records.estimate import Answer, Estimate
from rankproof.significance._contract import Question, Significance

Pair = tuple[int, int]


@dataclass(frozen=True)
class _Table:
    """One measure on one set of queries."""

    segment: str
    values: Paired

    @cached_property
    def turn(self) -> NDArray[np.int64]:
        """Queries by id: chance must not hang on the order in which the qrels name them."""
        return np.argsort(np.array(self.values.query_ids, dtype=object), kind="stable")


def contrasts(
    systems: Sequence[str],
    measured: Sequence[Paired],
    segments: Mapping[str, tuple[str, ...]],
    design: Design,
) -> tuple[tuple[Contrast, ...], Family]:
    """Every pair, measure and segment, tested together. Those over all queries come first."""
    correction: Correction = shelf.find("corrections", design.correction)
    if len(set(systems)) < len(systems):
        raise UsageError(f"Systems need different names; got {', '.join(systems)}.")
    if len(systems) < 2:
        raise UsageError("A comparison needs a baseline and at least one candidate.")
    if correction.needs_all_pairs and not design.all_pairs:
        design = replace(design, all_pairs=True)
    pairs = _pairs(len(systems), design)
    tables = [_Table(ALL_QUERIES, values) for values in measured]
    tables += [
        _Table(name, values.select(frozenset(queries))) for name, queries in segments.items() for values in measured
    ]
    tests = _Inference(tables, pairs, design)
    family = Family(len(systems), len(pairs), len(measured), 1 + len(segments), len(tables) * len(pairs))
    adjusted: Sequence[Adjusted | None] = [None] * family.tests
    if correction.name != "none" and family.tests > 1:
        adjusted = correction.adjust(tests.family, _chance(design, "correction"))
    found = []
    for at, (table, (baseline, candidate)) in enumerate(itertools.product(tables, pairs)):
        found.append(
            _contrast(systems, table, baseline, candidate, tests.answers[at], adjusted[at], tests.method, design)
        )
    return tuple(found), family


def _pairs(systems: int, design: Design) -> list[Pair]:
    if design.all_pairs:
        return list(itertools.combinations(range(systems), 2))
    return [(0, candidate) for candidate in range(1, systems)]


def _chance(design: Design, use: str) -> np.random.Generator:
    """A generator of its own for each use: asking again, or for more, changes nothing elsewhere."""
    return np.random.default_rng([design.seed, *use.encode()])


class _Inference:
    """The tests of a family. Tests on the same number of queries share their resamples, and so are made together."""

    def __init__(self, tables: Sequence[_Table], pairs: Sequence[Pair], design: Design) -> None:
        self.method: Significance = shelf.find("significance", design.significance)
        self._tables, self._pairs, self._design = tables, pairs, design
        self._columns = [
            table.values.differences(*pair)[table.turn] for table, pair in itertools.product(tables, pairs)
        ]

    def at(self, level: float) -> list[Answer]:
        """The answers at a confidence level; the resamples are the same at every level."""
        question = Question(level=level, resamples=self._design.resamples)
        answers: dict[int, Answer] = {}
        by_size: dict[int, list[int]] = {}
        for test, column in enumerate(self._columns):
            by_size.setdefault(len(column), []).append(test)
        for size, tests in by_size.items():
            matrix = np.stack([self._columns[test] for test in tests], axis=1) if size else np.empty((0, len(tests)))
            chance = _chance(self._design, f"tests of {size}")
            answers.update(zip(tests, self.method.many(matrix, question, chance), strict=True))
        return [answers[test] for test in range(len(self._columns))]

    @cached_property
    def answers(self) -> list[Answer]:
        """The answers at the design's level."""
        return self.at(self._design.confidence)

    @property
    def family(self) -> Tests:
        """What a correction looks at."""
        width = len(self._pairs)
        blocks = [
            Block(table.values.values[table.turn], tuple(self._pairs), tuple(range(at * width, (at + 1) * width)))
            for at, table in enumerate(self._tables)
        ]
        return Tests(self.answers, self.at, blocks, self._design.confidence, self._design.resamples)


def _contrast(
    systems: Sequence[str],
    table: _Table,
    baseline: int,
    candidate: int,
    answer: Answer,
    adjusted: Adjusted | None,
    method: Significance,
    design: Design,
) -> Contrast:
    values = table.values
    differences = values.differences(baseline, candidate)
    spread = float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
    gains = -differences if values.better == "lower" else differences
    contrast = Contrast(
        measure=values.measure,
        baseline=systems[baseline],
        candidate=systems[candidate],
        segment=table.segment,
        better=values.better,
        query_ids=values.query_ids,
        baseline_mean=values.mean(baseline),
        candidate_mean=values.mean(candidate),
        by_query=differences,
        difference=answer,
        effect=float(np.mean(differences)) / spread if spread > 0 else None,
        wins=int((gains > 0).sum()),
        ties=int((gains == 0).sum()),
        losses=int((gains < 0).sum()),
        adjusted=adjusted if isinstance(answer, Estimate) else None,
        scale=values.scale,
    )
    if design.margin is not None and isinstance(answer, Estimate):
        chance = _chance(design, f"margin of {len(differences)}")
        contrast = replace(contrast, equivalence=equivalence(differences, values.better, method, design, chance))
    if contrast.direction == "not shown" and values.better != "neither" and spread > 0:
        contrast = replace(contrast, detectable=_detectable(differences, spread, design))
    return contrast


def _detectable(differences: NDArray[np.float64], spread: float, design: Design) -> Detectable:
    """What these queries could have shown, by the paired t test at the plain level."""
    observed = abs(float(np.mean(differences)))
    return Detectable(
        smallest_difference(spread, len(differences), level=design.confidence, power=design.power),
        design.power,
        queries_needed(spread, observed, level=design.confidence, power=design.power),
    )
