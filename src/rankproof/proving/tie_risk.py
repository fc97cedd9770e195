"""Tie risk: how far the order of documents with equal scores could move a difference, and change the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import signed
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.evaluate import apply_reading, speak
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import Settings
from rankproof.measuring.run_sources import comparable
from rankproof.measuring.ties import extreme, over_ties, refuse_split_ties, worth_of
from rankproof.measuring.views import reranked
from rankproof.proving.movement_records import TieRisk
from rankproof.proving.per_unit import logarithms, mean_of, range_of, worst_value
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.proving.significance.contract import Significance, SignificanceRequest
from rankproof.proving.significance.t_or_gaffke import EXACT
from rankproof.reading.records import Order

# A range narrower than this is rounding.
NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class TieReach:
    """The least and greatest value of each query over all orders of tied documents: a row for each query.

    A query for which the measure has no value has its worst one, or NaN where there is no worst one.
    """

    query_ids: Sequence[str]
    ends: NDArray[np.float64]
    exact: bool
    order: Order

    @cached_property
    def _place(self) -> dict[str, int]:
        return {query: at for at, query in enumerate(self.query_ids)}

    def of(self, queries: tuple[str, ...]) -> NDArray[np.float64]:
        """The rows of these queries."""
        if queries not in self._chosen:
            self._chosen[queries] = self.ends[[self._place[query] for query in queries]].reshape(-1, 2)
        return self._chosen[queries]

    @cached_property
    def _chosen(self) -> dict[tuple[str, ...], NDArray[np.float64]]:
        """Rows by queries: all contrasts of a measure have the same queries."""
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class _Range:
    """A contrast that ties can move: its queries' least and greatest differences."""

    contrast: Contrast
    least: NDArray[np.float64]
    greatest: NDArray[np.float64]
    exact: bool

    @property
    def differences(self) -> tuple[NDArray[np.float64], ...]:
        """As they are, at the least end and at the greatest."""
        return self.contrast.by_query, self.least, self.greatest


def tie_risks(runs: Sequence[PreparedRun], comparison: Comparison) -> tuple[TieRisk, ...]:
    """For each contrast over all queries that ties can move: the range, and whether it could change the verdict.

    `runs` are those of `comparison.systems`. The sides are tied independently of each other, so a query's least
    difference is the candidate's least value minus the baseline's greatest; but where both have the same ranking with
    the same ties (`tied_alike`), whatever orders tied documents orders both alike.
    """
    settings = comparison.evaluations[0].settings
    if settings.ties != "rule":
        return ()  # the values themselves are over all orders already
    by_name = dict(zip(comparison.systems, runs, strict=True))
    known: dict[tuple[str, str], TieReach | None] = {}
    alike: dict[tuple[str, str, Order], frozenset[str]] = {}
    results: list[TieRisk | _Range] = []
    for contrast in comparison.contrasts:
        if contrast.segment != ALL_QUERIES:
            continue
        sides = []
        names = (contrast.baseline, contrast.candidate)
        for name in names:
            if (name, contrast.measure) not in known:
                known[name, contrast.measure] = tie_reach(by_name[name], contrast.measure, settings)
            sides.append(known[name, contrast.measure])
        baseline, candidate = sides
        if baseline is None or candidate is None:
            results.append(_not_looked_at(contrast, settings))
            continue
        if _range(contrast, baseline, candidate) is None:
            continue
        key = (*names, baseline.order)
        if key not in alike:
            alike[key] = tied_alike(by_name[contrast.baseline], by_name[contrast.candidate], baseline.order)
        reached = _range(contrast, baseline, candidate, alike[key])
        if reached is not None:
            results.append(reached)
    shown = _shown([reached for reached in results if isinstance(reached, _Range)], comparison)
    return tuple(_risk(one, next(shown), comparison) if isinstance(one, _Range) else one for one in results)


def tied_alike(baseline: PreparedRun, candidate: PreparedRun, order: Order) -> frozenset[str]:
    """Queries where both runs have the same documents in the same order, with the same ties among them."""
    before, after = baseline.table(order), candidate.table(order)
    if before.pool is not after.pool:
        return frozenset()
    first, second = comparable((baseline, candidate), None, order)
    same = []
    for at, query in enumerate(before.pool.query_ids):
        if query not in first or first[query] != second.get(query):
            continue
        one, other = (slice(table.start[at], table.start[at + 1]) for table in (before, after))
        groups = ((before.tie_first, after.tie_first), (before.tie_last, after.tie_last))
        if all(np.array_equal(ours[one], theirs[other]) for ours, theirs in groups):
            same.append(query)
    return frozenset(same)


def tie_reach(run: PreparedRun, measure: str, settings: Settings) -> TieReach | None:
    """The range of each query's value; None where a depth splits ties and it is not known what moves the measure up."""
    dialect: Dialect = shelf.find("dialects", settings.dialect)
    (parsed,) = parse(measure)
    variant = speak(parsed, dialect, settings)
    reading = dialect.read(variant, settings.complete)
    if dialect.drops_self:
        run = run.without_self()
    whole = run.table(reading.order, variant.measure.needs_subtopics)
    depth = settings.depth
    if depth is not None:
        if _looks_no_deeper(variant, depth):
            # cut, a table would not know what its last documents are tied with
            settings = replace(settings, depth=None)
        else:
            try:
                refuse_split_ties(whole, depth)
            except UsageError:
                return _reach_before_cut(whole, variant, reading, settings)
    table = apply_reading(whole, reading, settings)
    ties = over_ties(table, variant)
    # A dialect that takes the mean over all orders leaves nothing to the order of ties.
    ends = ties.by_query[:, [0, 2] if reading.ties == "rule" else [1, 1]]
    ends = _with_worst(_rounded(ends, reading), table, variant)
    return TieReach(table.pool.query_ids, ends, ties.exact, reading.order)


def _reach_before_cut(whole: JudgedTable, variant: Variant, reading: Reading, settings: Settings) -> TieReach | None:
    """The range where a depth splits ties: tied documents are ordered first, and what lies below the depth cut off."""
    measure = variant.measure
    ranked = measure.cutoff in ("optional", "required")
    whole = apply_reading(whole, reading, replace(settings, depth=None, judged_only=False))
    # Within a depth one more relevant document can lower a value that it only raises in a whole ranking.
    within = Variant(measure, variant.values, settings.depth) if ranked else variant
    worth = None if measure.skips_undefined else worth_of(whole, within)
    if worth is None:
        return None
    ends = []
    for by in (-worth, worth):
        table = apply_reading(reranked(whole, extreme(whole, by)), reading, settings)
        ends.append(measure.compute(table, variant))
    columns = _rounded(np.sort(np.stack(ends, axis=1), axis=1), reading)
    return TieReach(whole.pool.query_ids, columns, ranked and not settings.judged_only, reading.order)


def _with_worst(ends: NDArray[np.float64], table: JudgedTable, variant: Variant) -> NDArray[np.float64]:
    if not variant.measure.skips_undefined:
        return ends
    worst = worst_value(variant.text)
    return np.where(variant.measure.undefined(table, variant)[:, None], np.nan if worst is None else worst, ends)


def _looks_no_deeper(variant: Variant, depth: int) -> bool:
    return variant.measure.cutoff in ("optional", "required") and variant.k is not None and variant.k <= depth


def _rounded(values: NDArray[np.float64], reading: Reading) -> NDArray[np.float64]:
    """The values as the dialect reports them: rounded, where it rounds."""
    if reading.rounds is None:
        return values
    return np.array([[reading.rounds(value) for value in row] for row in values.tolist()])


def _range(
    contrast: Contrast, baseline: TieReach, candidate: TieReach, alike: frozenset[str] = frozenset()
) -> _Range | None:
    """The differences at both ends; None where no order of ties moves any."""
    a, b = (side.of(contrast.query_ids) for side in (baseline, candidate))
    if contrast.scale:  # differences of geometric means are differences of logarithms
        a, b = logarithms(a), logarithms(b)
    least, greatest = b[:, 0] - a[:, 1], b[:, 1] - a[:, 0]
    if alike:
        joint = [query in alike for query in contrast.query_ids]
        least, greatest = (np.where(joint, contrast.by_query, end) for end in (least, greatest))
    if not len(least) or float((greatest - least).max()) <= NOTHING:
        return None
    return _Range(contrast, least, greatest, baseline.exact and candidate.exact)


def _risk(reached: _Range, shown: Sequence[bool], comparison: Comparison) -> TieRisk:
    """What the range means; `shown`: whether a difference is significant now, at the least end and at the greatest."""
    contrast = reached.contrast
    means = [mean_of(differences, contrast.sampling) for differences in reached.differences]
    now, *ends = (_result(mean, sure) for mean, sure in zip(means, shown, strict=True))
    other = {where: says for where, says in zip(("least", "greatest"), ends, strict=True) if says != now}
    observed, low, high = means
    risk = TieRisk(
        contrast.measure, contrast.candidate, low, high, observed, bool(other), reached.exact,
        baseline=contrast.baseline,
    )  # fmt: skip
    return replace(risk, note=_note(risk, contrast, comparison, now, other))


def _result(mean: float, shown: bool) -> tuple[str, str]:
    """The comparison's result for a difference: the side of the mean, and whether it is significant."""
    side = "no difference" if abs(mean) <= NOTHING else "higher" if mean > 0 else "lower"
    return side, "significant" if shown else "not significant"


def _shown(ranges: Sequence[_Range], comparison: Comparison) -> Iterator[list[bool]]:
    """For each range, whether the difference is significant by the comparison's method now and at both ends.

    A method that draws nothing answers all of a size together; one that draws takes each with a generator of its own,
    so that a contrast's own differences get the comparison's own answer.
    """
    method: Significance = shelf.find("significance", comparison.significance)
    columns = [differences for reached in ranges for differences in reached.differences]
    answers: list[Answer | None] = [None] * len(columns)
    if method.random:
        for at, differences in enumerate(columns):
            question = _question(ranges[at // 3].contrast, comparison)
            answers[at] = method.infer(differences, question, np.random.default_rng(comparison.seed))
    else:
        alike: dict[tuple[int, float, bool, tuple[str, ...]], list[int]] = {}
        for at, differences in enumerate(columns):
            contrast = ranges[at // 3].contrast
            drawn = () if contrast.sampling is None else contrast.query_ids
            alike.setdefault((len(differences), _widest(contrast), _binary(contrast), drawn), []).append(at)
        for places in alike.values():
            matrix = np.stack([columns[at] for at in places], axis=1)
            rng = np.random.default_rng(comparison.seed)
            question = _question(ranges[places[0] // 3].contrast, comparison)
            for at, answer in zip(places, method.many(matrix, question, rng), strict=True):
                answers[at] = answer
    sure = [
        isinstance(answer, Estimate) and answer.p_value * _correction(ranges[at // 3].contrast) <= 1 - comparison.level
        for at, answer in enumerate(answers)
    ]
    return iter([sure[at : at + 3] for at in range(0, len(sure), 3)])


def _correction(contrast: Contrast) -> float:
    """How much the correction raised the p-value of a contrast; as much is it taken to raise those at the ends."""
    answer, adjusted = contrast.difference, contrast.adjusted
    if adjusted is None or not isinstance(answer, Estimate) or not answer.p_value:
        return 1.0
    return max(1.0, adjusted.p_value / answer.p_value)


def _question(contrast: Contrast, comparison: Comparison) -> SignificanceRequest:
    """With as many resamples as the comparison drew, so that its own verdict comes out for its own differences."""
    answer = contrast.difference
    drawn = answer.resamples if isinstance(answer, Estimate) else None
    widest = _widest(contrast)
    question = SignificanceRequest(
        comparison.level, low=-widest, high=widest, sampling=contrast.sampling, binary=_binary(contrast)
    )
    return question if drawn is None else replace(question, resamples=drawn)


def _binary(contrast: Contrast) -> bool:
    """Whether the contrast was tested as one of values that are 0 or 1: another order of ties leaves them so."""
    return isinstance(contrast.difference, Estimate) and contrast.difference.method == EXACT


def _widest(contrast: Contrast) -> float:
    """How far one difference can lie from 0."""
    low, high = range_of(contrast.measure)
    return high - low


def _note(
    risk: TieRisk,
    contrast: Contrast,
    comparison: Comparison,
    now: tuple[str, str],
    other: Mapping[str, tuple[str, str]],
) -> str:
    """The result in sentences with the numbers, and how it was obtained."""
    how = "" if risk.exact else ", as far as random orders show"
    text = (
        f"{contrast.measure}, {contrast.candidate} against {contrast.baseline}: documents with equal scores could be "
        f"in another order; the difference of {signed(risk.observed)} could then be anything from {signed(risk.least)} "
        f"to {signed(risk.greatest)}{how}."
    )
    plain = "" if contrast.adjusted is None else ", corrected as the observed one is"
    looked = f"({comparison.significance} at the two ends{plain})"
    if not other:
        return f"{text} At both ends the verdict is the same {looked}."
    turns = " and ".join(f"at the {where} it would be {_in_words(says, now)}" for where, says in other.items())
    return f"{text} That can change the verdict: now it is {' and '.join(now)}; {turns} {looked}."


def _in_words(says: tuple[str, str], now: tuple[str, str]) -> str:
    return " and ".join(word for word, before in zip(says, now, strict=True) if word != before)


def _not_looked_at(contrast: Contrast, settings: Settings) -> TieRisk:
    observed = mean_of(contrast.by_query, contrast.sampling) if len(contrast.by_query) else 0.0
    note = (
        f"{contrast.measure}, {contrast.candidate} against {contrast.baseline}: what ties could change was not looked "
        f"at, since the depth of {settings.depth} cuts through documents with equal scores."
    )
    return TieRisk(
        contrast.measure, contrast.candidate, observed, observed, observed, False, False, note, contrast.baseline
    )
