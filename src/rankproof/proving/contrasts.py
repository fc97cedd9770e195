"""From paired values to contrasts: all tests of a family together, and tests of equivalence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Answer, Estimate, NotEstimable
from rankproof.kernel.later import Later
from rankproof.kernel.sections import percent
from rankproof.proving.corrections.contract import Block, Correction, Tests
from rankproof.proving.direction import direction_shown
from rankproof.proving.per_unit import PerUnit, no_value_on_one_side
from rankproof.proving.power import queries_needed_each, smallest_difference
from rankproof.proving.records import (
    ALL_QUERIES,
    Adjusted,
    Contrast,
    Design,
    Detectable,
    Equivalence,
    Family,
)
from rankproof.proving.sampling import SampledMeans, Sampling
from rankproof.proving.significance.contract import Significance, SignificanceRequest, refuse_unsampled
from rankproof.proving.significance.t_or_gaffke import spread_tells


def equivalence(
    differences: NDArray[np.float64],
    better: str,
    method: Significance,
    design: Design,
    rng: np.random.Generator,
    widest: float = math.inf,
    sampling: Sampling | None = None,
    binary: bool = False,
    repeated: bool = False,
) -> Equivalence | None:
    """Whether the mean difference lies within the margin; None where the method can say nothing.

    `widest` is how far a difference can lie from 0, where that is known; `sampling` is how the queries were drawn;
    `binary` and `repeated`: whether all values are 0 or 1, and whether they are means over repetitions.

    Each one-sided test is made at 1 - level: both must reject, so no correction is needed between them, and
    the interval that matches is the one at 1 - 2 (1 - level).
    """

    assert design.margin is not None  # whoever asks has one
    kind, margin = design.margin

    def one_sided(null: float, alternative: Alternative) -> Estimate | None:
        question = SignificanceRequest(
            design.confidence, alternative, null, design.resamples, -widest, widest, sampling, binary, repeated
        )
        answer = method.infer(differences, question, rng)
        return answer if isinstance(answer, Estimate) else None

    not_lower = one_sided(-margin, "greater")
    not_higher = one_sided(margin, "less")
    if not_lower is None or not_higher is None:
        return None
    alpha = 1 - design.confidence
    if kind == "equivalence":
        p = max(not_lower.p_value, not_higher.p_value)
        return Equivalence(kind, margin, p <= alpha, p, not_lower.low, not_higher.high)
    # Not worse by the margin: which side is worse, the measure says.
    matters = not_higher if better == "lower" else not_lower
    return Equivalence(kind, margin, matters.p_value <= alpha, matters.p_value, matters.low, matters.high)


Pair = tuple[int, int]


@dataclass(frozen=True)
class _Table:
    """One measure on one set of units, and the differences of its pairs of systems; whether all its values are 0 or 1.

    The units of a segment may be 0 and 1 by chance: it is the values of all units that tell.
    """

    segment: str
    values: PerUnit
    pairs: Sequence[Pair]
    binary: bool

    @cached_property
    def by_id(self) -> NDArray[np.int64]:
        """Units by id: random resamples must not depend on the order in which the qrels name them."""
        return np.argsort(np.array(self.values.unit_ids, dtype=object), kind="stable")

    @cached_property
    def sampling_by_id(self) -> Sampling | None:
        """How the units were drawn, in the order of their ids."""
        sampling, ids = self.values.sampling, self.values.unit_ids
        return None if sampling is None else sampling.of([ids[i] for i in self.by_id.tolist()])

    @cached_property
    def differences(self) -> NDArray[np.float64]:
        """A row for each pair, a column for each unit."""
        baselines, candidates = np.array(self.pairs).T
        return self.values.differences(baselines, candidates).T.copy()

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The mean difference of each pair; of at least one unit."""
        if self.sampled is not None:
            return self.sampled.mean
        return np.asarray(self.differences.mean(axis=1), dtype=np.float64)

    @cached_property
    def sampled(self) -> SampledMeans | None:
        """Mean and error of each pair where the units are no simple random sample, and an error can be told."""
        sampling = self.values.sampling
        if sampling is None or len(self.values.unit_ids) < 2 or sampling.why_no_error:
            return None
        return sampling.means(self.differences.T)

    @cached_property
    def spreads(self) -> NDArray[np.float64]:
        """The standard deviation of each pair's differences; 0 for fewer than two."""
        n = len(self.values.unit_ids)
        if n < 2:
            return np.zeros(len(self.pairs))
        if self.sampled is not None:
            return np.asarray(self.sampled.error * np.sqrt(n / self.sampled.effect), dtype=np.float64)
        return np.asarray(self.differences.std(axis=1, ddof=1), dtype=np.float64)

    @cached_property
    def spreads_by_design(self) -> NDArray[np.float64]:
        """The standard deviation with which as many independent units would have the same error."""
        if self.sampled is None:
            return self.spreads
        return np.asarray(self.sampled.error * math.sqrt(len(self.values.unit_ids)), dtype=np.float64)

    @cached_property
    def system_means(self) -> list[float]:
        """The mean of each system, on the measure's own scale."""
        return [self.values.mean(system) for system in range(self.values.values.shape[1])]


def contrasts(
    systems: Sequence[str],
    measured: Sequence[PerUnit],
    segments: Mapping[str, tuple[str, ...]],
    design: Design,
) -> tuple[tuple[Contrast, ...], Family]:
    """Every pair, measure and segment, tested together. Those over all queries come first."""
    correction: Correction = shelf.find("corrections", design.correction_over(len(systems)))
    if design.sampled and correction.draws_queries:
        able = [item.name for item in shelf.offered("corrections").values() if not item.draws_queries]
        raise UsageError(
            f"The correction {correction.name!r} takes the queries for a simple random sample, and knows nothing of "
            f"weights, strata or clusters. Possible: {', '.join(able)}."
        )
    if len(set(systems)) < len(systems):
        raise UsageError(f"Systems need different names; got {', '.join(systems)}.")
    if len(systems) < 2:
        raise UsageError("A comparison needs a baseline and at least one candidate.")
    if correction.needs_all_pairs and not design.all_pairs:
        design = replace(design, all_pairs=True)
    pairs = _pairs(len(systems), design)
    tables = [_Table(ALL_QUERIES, values, pairs, values.binary) for values in measured]
    tables += [
        _Table(name, values.select(frozenset(queries)), pairs, values.binary)
        for name, queries in segments.items()
        for values in measured
    ]
    tests = _Inference(systems, tables, pairs, design)
    primary = measured[0].measure if design.primary == "first" and correction.name != "none" else ""
    family = Family(len(systems), len(pairs), len(measured), 1 + len(segments), len(tables) * len(pairs), primary)
    adjusted: Sequence[Adjusted | None] = [None] * family.tests
    if correction.name != "none" and family.tests > 1:
        adjusted = _adjusted(tests, correction, family, design)
    all_contrasts = []
    for at, table in enumerate(tables):
        span = slice(at * len(pairs), (at + 1) * len(pairs))
        all_contrasts += _contrasts(systems, table, tests.answers[span], adjusted[span], tests.method, design)
    return tuple(all_contrasts), family


def _adjusted(tests: _Inference, correction: Correction, family: Family, design: Design) -> Sequence[Adjusted | None]:
    """Every test as the correction of its family leaves it: primary ones first, then the others, which wait for them.

    A secondary test is significant only where the primary test of the same pair is, so that where no system differs
    from another a false claim needs a false primary one. A false discovery rate promises nothing about single claims,
    and holds nothing back.
    """
    if not family.secondary_tests:
        return correction.adjust(tests.family(0, family.tests), _rng(design, "correction"))
    width = family.contrasts
    first = _one_family(tests.family(0, width), correction, _rng(design, "correction"))
    others = _one_family(tests.family(width, family.tests), correction, _rng(design, "secondary correction"))
    if correction.controls != "family-wise error":
        return [*first, *others]
    return [*first, *(_held(own, first[at % width], family.primary, design) for at, own in enumerate(others))]


def _one_family(tests: Tests, correction: Correction, rng: np.random.Generator) -> list[Adjusted | None]:
    """Corrected; a test that is alone in its family is as it was."""
    if len(tests.answers) > 1:
        return correction.adjust(tests, rng)
    kind = f"{percent(tests.level)}, alone in its family"
    return [
        Adjusted(answer.p_value, answer.low, answer.high, kind) if isinstance(answer, Estimate) else None
        for answer in tests.answers
    ]


def _held(own: Adjusted | None, primary: Adjusted | None, measure: str, design: Design) -> Adjusted | None:
    """A secondary test after the primary one of the same pair; one that could not be made holds back too."""
    if own is None:
        return None
    before = 1.0 if primary is None else primary.p_value
    if before <= own.p_value:
        return own
    holds = own.p_value <= 1 - design.confidence < before
    return replace(own, p_value=before, held_by=measure if holds else "")


def _pairs(systems: int, design: Design) -> list[Pair]:
    if design.all_pairs:
        return list(itertools.combinations(range(systems), 2))
    return [(0, candidate) for candidate in range(1, systems)]


def _rng(design: Design, use: str) -> np.random.Generator:
    """A generator of its own for each use: asking again, or for more, changes nothing elsewhere."""
    return np.random.default_rng([design.seed, *use.encode()])


class _Inference:
    """The tests of a family. Tests on the same number of queries share their resamples, and so are made together."""

    def __init__(self, systems: Sequence[str], tables: Sequence[_Table], pairs: Sequence[Pair], design: Design) -> None:
        self.method: Significance = shelf.find("significance", design.significance)
        if design.sampled:
            refuse_unsampled(self.method)
        self._systems, self._tables, self._pairs, self._design = systems, tables, pairs, design

    def at(self, level: float, tables: Sequence[_Table]) -> list[Answer]:
        """The answers of some tables at a confidence level; the resamples are the same at every level."""
        answers: dict[int, list[Answer]] = {}
        alike: dict[tuple[int, float, bool, bool, tuple[str, ...]], list[int]] = {}
        for at, table in enumerate(tables):
            widest = table.values.widest if self.method.bounded else math.inf
            drawn = () if table.sampling_by_id is None else table.sampling_by_id.unit_ids
            kind = len(table.values.unit_ids), widest, table.binary, table.values.repeated, drawn
            alike.setdefault(kind, []).append(at)
        width = len(self._pairs)
        untestable = {
            at: [_left_out(table.values, self._systems, pair, self.method.name) for pair in self._pairs]
            for at, table in enumerate(tables)
            if any(table.values.lacking)
        }
        for (size, widest, binary, repeated, _), places in alike.items():
            question = SignificanceRequest(
                level, resamples=self._design.resamples, low=-widest, high=widest,
                sampling=tables[places[0]].sampling_by_id, binary=binary, repeated=repeated,
            )  # fmt: skip
            rows = np.concatenate([tables[at].differences[:, tables[at].by_id] for at in places])
            rng = _rng(self._design, f"tests of {size}")
            results = self.method.many(np.ascontiguousarray(rows.T), question, rng)
            answers.update((at, results[i * width : (i + 1) * width]) for i, at in enumerate(places))
        for at, reasons in untestable.items():
            answers[at] = [reason or answer for reason, answer in zip(reasons, answers[at], strict=True)]
        return [answer for at in range(len(tables)) for answer in answers[at]]

    @cached_property
    def answers(self) -> list[Answer]:
        """The answers at the design's level."""
        return self.at(self._design.confidence, self._tables)

    def family(self, begin: int, end: int) -> Tests:
        """What a correction looks at: the tests of some tables, from one to before another."""
        width = len(self._pairs)
        tables = self._tables[begin // width : end // width]
        blocks = [
            Block(
                table.values.values[table.by_id],
                tuple(self._pairs),
                tuple(range(at * width, (at + 1) * width)),
                tuple(table.values.unit_ids[i] for i in table.by_id.tolist()),
                table.sampling_by_id,
            )
            for at, table in enumerate(tables)
        ]
        answers, design = self.answers[begin:end], self._design
        return Tests(answers, partial(self.at, tables=tables), blocks, design.confidence, design.resamples)


def _left_out(values: PerUnit, systems: Sequence[str], pair: Pair, method: str) -> NotEstimable | None:
    """Why a pair cannot be tested: one side lacks values that the other has, and nothing stands for them."""
    baseline, candidate = pair
    lost, gained = values.unpaired(baseline, candidate)
    if not lost and not gained:
        return None
    sides = ((candidate, baseline, lost), (baseline, candidate, gained))
    reasons = [
        no_value_on_one_side(values.measure, systems[one], systems[other], units)
        for one, other, units in sides
        if units
    ]
    return NotEstimable("; and ".join(reasons), method, len(values.unit_ids))


def _contrasts(
    systems: Sequence[str],
    table: _Table,
    answers: Sequence[Answer],
    adjusted: Sequence[Adjusted | None],
    method: Significance,
    design: Design,
) -> list[Contrast]:
    """The contrasts of one table, a pair after the other."""
    values = table.values
    gains = -table.differences if values.better == "lower" else table.differences
    wins, ties, losses = (side.sum(axis=1).tolist() for side in (gains > 0, gains == 0, gains < 0))
    spreads = table.spreads.tolist()
    detectable = _DetectableInTable(table, design)
    # A query that only one side has a value for is won by that side, though it is in no mean.
    unpaired = [values.unpaired(*pair) for pair in table.pairs]
    results = []
    for at, (baseline, candidate) in enumerate(table.pairs):
        answer = answers[at]
        estimable = isinstance(answer, Estimate)
        beside = adjusted[at] if estimable else None
        could_have: Later[Detectable | None] | None = None
        unshown = direction_shown(answer, beside, values.better) == "not shown"
        by_spread = estimable and spread_tells(answer.method, wins[at] + losses[at], len(values.unit_ids))
        if by_spread and unshown and values.better != "neither" and spreads[at] > 0:
            could_have = Later(partial(detectable.of_pair, at))
        within = None
        if design.margin is not None and estimable:
            rng = _rng(design, f"margin of {len(values.unit_ids)}")
            within = equivalence(
                table.differences[at], values.better, method, design, rng, values.widest, values.sampling,
                table.binary, values.repeated,
            )  # fmt: skip
        results.append(
            Contrast(
                measure=values.measure,
                baseline=systems[baseline],
                candidate=systems[candidate],
                segment=table.segment,
                better=values.better,
                query_ids=values.unit_ids,
                baseline_mean=table.system_means[baseline],
                candidate_mean=table.system_means[candidate],
                by_query=table.differences[at],
                difference=answer,
                effect=float(table.means[at]) / spreads[at] if spreads[at] > 0 and not any(unpaired[at]) else None,
                wins=wins[at] + len(unpaired[at][1]),
                ties=ties[at],
                losses=losses[at] + len(unpaired[at][0]),
                adjusted=beside,
                equivalence=within,
                detectable=could_have,
                scale=values.scale,
                sampling=values.sampling,
                design_effect=None if table.sampled is None else float(table.sampled.effect[at]),
            )
        )
    return results


class _DetectableInTable:
    """What the queries of a table could have shown of each pair, by the paired t test at the plain level.

    All pairs are computed together, when the first of them is read: a report that shows none pays for none.
    """

    def __init__(self, table: _Table, design: Design) -> None:
        self._table, self._design = table, design

    @cached_property
    def _needed(self) -> dict[int, int | None]:
        pairs = np.flatnonzero(self._table.spreads > 0).tolist()
        spreads, means = self._table.spreads_by_design[pairs].tolist(), np.abs(self._table.means[pairs]).tolist()
        design = self._design
        return dict(
            zip(pairs, queries_needed_each(spreads, means, level=design.confidence, power=design.power), strict=True)
        )

    def of_pair(self, pair: int) -> Detectable:
        """Of the pair at this place."""
        design, spread = self._design, float(self._table.spreads_by_design[pair])
        queries = len(self._table.values.unit_ids)
        smallest = smallest_difference(spread, queries, level=design.confidence, power=design.power)
        return Detectable(smallest, design.power, self._needed[pair])
