"""Correct: values of runs by a model's grades, corrected by a sample of people's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankproof.judging.correction.frame import (
    GainForm,
    Numbers,
    Rankings,
    depth_of,
    form_of,
    frame_of,
    greatest_gain,
    query_values,
    variants_of,
)
from rankproof.judging.correction.records import Corrected, CorrectedValues, JudgingPlan
from rankproof.judging.correction.sample import GradedSample
from rankproof.judging.correction.totals import LEAST_FREEDOM, ROUNDING, Total, Units, total
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement import LEVEL, Grades
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure

METHOD = "difference estimator"
WHOLE_QUERIES = (
    "it is divided by the query's ideal ranking, which takes all grades of the query, and these are grades of single "
    "pairs: have whole queries graded (`rankproof judge plan` with this measure draws them), or take a measure without "
    "an ideal, such as DCG"
)
# So many sampled pairs must differ from the rest, by people's gain and by the model's, before a weight is tuned.
LEAST_EVENTS = 10
FEW_EVENTS = (
    f"fewer than {LEAST_EVENTS} of the sampled pairs differ from the others, too few to tell what the model's word is "
    "worth: people's grades alone"
)
# A tuned weight was no help where one query can decide it: with 12 to 35 of 54 whole queries intervals of values and
# differences of nDCG@10 covered 86% to 97%, those without it 92% to 97%.
BY_QUERY = "whole queries are too few to tell what the model's word is worth: people's grades alone"


def correct(
    human: Grades,
    model: Grades,
    runs: Mapping[str, Rankings],
    measures: str | list[str],
    *,
    plan: JudgingPlan | None = None,
    depth: int | None = None,
    level: float = LEVEL,
) -> CorrectedValues:
    """Every measure of every run, and of each run its difference to the first."""
    variants = variants_of(measures)
    depth = depth_of(variants, depth if depth is not None or plan is None else plan.depth)
    planned = None if plan is None else [(pair.query_id, pair.doc_id) for pair in plan.pairs]
    frame = frame_of(model, runs, depth, planned)
    sample = GradedSample(frame, human, plan)
    estimates = []
    for variant in variants:
        form = form_of(frame, variant)
        for at, run in enumerate(frame.runs):
            estimates.append(estimate(sample, form, form.weights[at], run, None, level))
        for at, run in enumerate(frame.runs[1:], start=1):
            estimates.append(estimate(sample, form, form.weights[at] - form.weights[0], run, frame.runs[0], level))
    return CorrectedValues(
        len(frame.pairs), len(sample.rows), len(frame.queries), depth, level, sample.design, tuple(estimates),
        tuple(sample.notes),
    )  # fmt: skip


def estimate(
    sample: GradedSample, form: GainForm, weights: Numbers, run: str, baseline: str | None, level: float
) -> Corrected:
    """One measure of a run, or of the difference that the weights are of."""
    frame = sample.frame
    predicted = form.gain(frame.model) * frame.graded
    naive = float(query_values(frame, form, weights, predicted).sum())
    counted = int((weights[sample.rows] != 0).sum())
    doubt = sample.doubt
    if form.over_ideal and not sample.by_query and not sample.complete_frame:
        doubt = doubt or WHOLE_QUERIES
    if doubt:
        none = NotEstimable(doubt, METHOD, len(sample.rows))
        return Corrected(str(form.variant), run, baseline, naive, none, none, none, None, "", counted)
    helpful = predicted
    if len(frame.pairs) and np.ptp(predicted) == 0:  # the model's scale ends below what counts: its grades still tell
        helpful = frame.model.astype(np.float64)
    by_query = sample.by_query or form.over_ideal
    units = (_queries if by_query else _pairs)(sample, form, weights, helpful)
    tuned = not by_query and _can_tune(units, form, sample, helpful)
    alone = Units(
        units.rows, units.z, units.x[:, :1], units.p, units.least, units.most, units.query, units.queries,
        units.clusters,
    )  # fmt: skip
    by_hand = total(alone)
    by_model = total(units) if tuned else by_hand
    bounds = _range(form, baseline is not None)
    figures = [_figure(one, sample, counted, bounds, level) for one in (by_hand, by_model)]
    return Corrected(
        str(form.variant), run, baseline, naive, figures[0], figures[1],
        _over_queries(by_model, sample, figures[1], bounds, level),
        None if by_model is None else by_model.weight if tuned else 0.0,
        "" if tuned or sample.complete_frame else BY_QUERY if by_query else FEW_EVENTS,
        counted,
    )  # fmt: skip


def _pairs(sample: GradedSample, form: GainForm, weights: Numbers, helpful: Numbers) -> Units:
    frame = sample.frame
    most = greatest_gain(form, np.concatenate([sample.grade, frame.model[frame.graded]]))
    return Units(
        sample.rows, weights[sample.rows] * form.gain(sample.grade), np.column_stack([weights, weights * helpful]),
        sample.p, np.minimum(weights, 0.0) * most, np.maximum(weights, 0.0) * most, frame.query, len(frame.queries),
    )  # fmt: skip


def _queries(sample: GradedSample, form: GainForm, weights: Numbers, helpful: Numbers) -> Units:
    """Whole queries: each has its value by people's grades, and its value by the model's beside it."""
    frame, count = sample.frame, len(sample.frame.queries)
    gains = np.zeros(len(frame.pairs))
    gains[sample.rows] = form.gain(sample.grade)
    filled = np.flatnonzero(np.bincount(frame.query, minlength=count) > 0)
    rows = np.searchsorted(filled, sample.complete)
    most, least = np.zeros(count), np.zeros(count)
    np.add.at(most, frame.query, np.maximum(weights, 0.0))
    np.add.at(least, frame.query, np.minimum(weights, 0.0))
    most, least = most[filled], least[filled]
    if form.over_ideal:  # a share of the ideal, of which a run can have all
        most, least = np.where(most > 0, 1 / count, 0.0), np.where(least < 0, -1 / count, 0.0)
    else:
        greatest = greatest_gain(form, np.concatenate([sample.grade, frame.model[frame.graded]]))
        most, least = most * greatest, least * greatest
    values, told = (query_values(frame, form, weights, given)[filled] for given in (gains, helpful))
    p = np.full(len(filled), len(rows) / len(filled))
    x = np.column_stack([(most > least) / count, told])
    return Units(rows, values[rows], x, p, least, most, filled, count, clusters=True)


def _can_tune(units: Units, form: GainForm, sample: GradedSample, helpful: Numbers) -> bool:
    """Whether enough of the sampled pairs differ that a regression on the model's gains is more than an accident."""
    here = units.x[units.rows, 0] != 0
    return all(_differing(values[here]) >= LEAST_EVENTS for values in (form.gain(sample.grade), helpful[sample.rows]))


def _differing(values: Numbers) -> int:
    """How many values are not the most frequent one."""
    if not len(values):
        return 0
    return len(values) - int(np.unique(values, return_counts=True)[1].max())


def _range(form: GainForm, difference: bool) -> tuple[float, float]:
    low, high = form.variant.measure.low, form.variant.measure.high
    return (low - high, high - low) if difference else (low, high)


def _figure(
    estimated: Total | None, sample: GradedSample, counted: int, bounds: tuple[float, float], level: float
) -> AgreementAnswer:
    n, queries = len(sample.rows), len(sample.frame.queries)
    if estimated is None:
        if sample.by_query:
            whole, least = len(sample.complete), LEAST_FREEDOM + 1
            return NotEstimable(f"people graded {whole:,} of the queries whole, and it takes {least}", METHOD, n)
        return NotEstimable(f"only {counted:,} of the pairs that people graded have a part in it", METHOD, n)
    low, high = estimated.interval(level)
    if high - low <= ROUNDING and not sample.complete_frame:
        return NotEstimable("nothing that people graded has a part in it", METHOD, n, estimated.value)
    return AgreementFigure(*_within(estimated.value, low, high, bounds), level, METHOD, n, queries)


def _over_queries(
    estimated: Total | None, sample: GradedSample, given: AgreementAnswer, bounds: tuple[float, float], level: float
) -> AgreementAnswer:
    n, queries = len(sample.rows), len(sample.frame.queries)
    if isinstance(given, NotEstimable):
        return given
    ends = None if estimated is None else estimated.interval_queries(level)
    if estimated is None or ends is None:
        return NotEstimable("one query says nothing about others", METHOD, n, given.value)
    return AgreementFigure(*_within(estimated.value, *ends, bounds), level, METHOD, n, queries)


def _within(value: float, low: float, high: float, bounds: tuple[float, float]) -> tuple[float, float, float]:
    """What the measure cannot be is not estimated: all three keep to its range, and the value to its interval."""
    value, low, high = (min(max(at, bounds[0]), bounds[1]) for at in (value, low, high))
    return min(max(value, low), high), low, high
