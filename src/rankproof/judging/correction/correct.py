"""Correct: values of runs by a model's grades, corrected by a sample of people's."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.judging.correction.frame import (
    ASSUMPTION,
    LEAST_FREEDOM,
    Frame,
    GainForm,
    Numbers,
    Rankings,
    Seen,
    Total,
    depth_of,
    form_of,
    frame_of,
    ideals,
    levels_of,
    total,
    variants_of,
)
from rankproof.judging.correction.records import Corrected, CorrectedValues, JudgingPlan
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement import LEVEL, Grades, flat
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure

# Numbers that are held at once, about: more are worked through in parts.
ROOM = 4_000_000


def ratio_total(seen: Seen, ideals: Numbers, weights: Numbers, gains: Numbers, x: Numbers) -> Total | None:
    """The mean of a weighted sum over its ideal: the estimator of `regression.total`, once for each set of ideals.

    ideals    by query: first those of the whole sample, then those without each sampled pair in turn
    weights   of all pairs, before the division by the ideal; `x` are the auxiliaries of all pairs, likewise
    gains     of the sampled pairs
    """
    n = len(seen.rows)
    free = 1 - seen.p
    freedom = int((weights[seen.rows] != 0).sum()) - x.shape[1] - 1
    if freedom < LEAST_FREEDOM:
        return None
    part = max(1, ROOM // len(weights))
    ratios = []
    for start in range(0, n + 1, part):
        left_out = np.arange(start, min(start + part, n + 1)) - 1
        ratios.append(_estimates(seen, ideals[start : start + part], left_out, weights, gains, x))
    estimates = np.concatenate([values for values, _ in ratios])
    without = estimates[1:]
    # The jackknife with each pair's finite-population correction.
    variance = (n - 1) / n * float((free * (without - without.mean()) ** 2).sum())
    return Total(float(estimates[0]), math.sqrt(variance), freedom, float(ratios[0][1][0]))


def _estimates(
    seen: Seen, ideals: Numbers, left_out: NDArray[np.int64], weights: Numbers, gains: Numbers, x: Numbers
) -> tuple[Numbers, Numbers]:
    """The estimate without each of these places of the sample (-1: with all), and the weight of the model.

    Pair i of the sample has the expanded auxiliaries 1 and c_i x_i and the value c_i u_i, where c_i is 1 over its
    query's ideal and over its probability; c differs from row to row, x and u do not, so that all sums are products of
    matrices.
    """
    n, size = len(seen.rows), x.shape[1]
    over = 1 / ideals[:, seen.query]
    c = over[:, seen.rows] / seen.p
    out = np.flatnonzero(left_out >= 0)
    c[out, left_out[out]] = 0.0
    sizes = np.full(len(left_out), n) - (left_out >= 0)
    free = 1 - seen.p if (seen.p < 1).any() else np.ones(n)
    inner, u = x[seen.rows], weights[seen.rows] * gains
    gram = np.empty((len(left_out), size + 1, size + 1))
    gram[:, 0, 0] = free.sum()
    gram[out, 0, 0] -= free[left_out[out]]
    gram[:, 0, 1:] = gram[:, 1:, 0] = c @ (free[:, None] * inner)
    squares = c**2
    products = (inner[:, :, None] * inner[:, None, :]).reshape(n, -1)
    gram[:, 1:, 1:] = (squares @ (free[:, None] * products)).reshape(-1, size, size)
    right = np.concatenate([(c @ (free * u))[:, None], squares @ (free[:, None] * inner * u[:, None])], axis=1)
    b = np.einsum("kpq,kq->kp", np.linalg.pinv(gram, hermitian=True), right)
    residuals = c @ u - sizes * b[:, 0] - np.einsum("kp,kp->k", b[:, 1:], c @ inner)
    totals = over @ x
    estimates = b[:, 0] * n + np.einsum("kp,kp->k", b[:, 1:], totals) + residuals * n / np.maximum(sizes, 1)
    return estimates, b[:, -1]


METHOD = "difference estimator"
# In simulations such intervals covered 74% to 92%; those of differences, where the ideal's error is shared, 92% to 99%.
UNEVEN = (
    "an uneven draw tells too little about the ideal ranking; draw plainly for the value, or take the difference of "
    "two runs, or a measure without an ideal"
)
ROUNDING = 1e-9
PLAIN = "a plain random draw without replacement, as nothing else was said"


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


class GradedSample:
    """The pairs that people graded, with the probability of each to be among them."""

    def __init__(self, frame: Frame, human: Grades, plan: JudgingPlan | None) -> None:
        places = frame.places()
        human_grades = flat(human)
        inside = [(places[pair], grade) for pair, grade in human_grades.items() if pair in places]
        chosen = {(p.query_id, p.doc_id): p.probability for p in plan.pairs if p.chosen} if plan is not None else None
        if chosen is not None:
            inside = [(row, grade) for row, grade in inside if frame.pairs[row] in chosen]
        if not inside:
            raise InputError(
                f"People graded none of the {len(frame.pairs):,} pairs that the values are about. "
                "Send some of them to people: `rankproof judge plan` says which."
            )
        inside.sort()
        self.frame = frame
        self._ideals: dict[object, tuple[Seen, Numbers]] = {}
        self.rows = np.array([row for row, _ in inside], dtype=np.int64)
        self.grade = np.array([grade for _, grade in inside], dtype=np.int64)
        self.notes = _notes(frame, len(human_grades) - len(inside))
        if chosen is None:
            self.p = np.full(len(self.rows), len(self.rows) / len(frame.pairs))
            self.design = PLAIN if len(self.rows) < len(frame.pairs) else "taking all of them"
        else:
            # Where some drawn pairs have no grade, the others stand for them: missing at random, with a note.
            answered = len(self.rows) / len(chosen)
            self.p = np.array([chosen[frame.pairs[row]] for row in self.rows.tolist()]) * answered
            self.design = f"the plan's draw of {len(chosen):,} pairs with known probabilities"
            if answered < 1:
                self.notes.append(
                    f"{len(chosen) - len(self.rows):,} of the {len(chosen):,} planned pairs have no human grade; they "
                    "are taken to be missing by chance"
                )

    def over_ideals(self, form: GainForm, by_model: bool) -> tuple[Seen, Numbers] | None:
        """The sample as the ideals see it, and the ideals with all of it and without each pair; made once.

        Without the model, all pairs are of one kind. None where nothing is relevant.
        """
        steps = _steps(form, self.grade)
        key = (by_model, tuple(steps.items()), tuple(form.discounts.tolist()))
        if not steps:
            return None
        if key not in self._ideals:
            levels = levels_of(self.frame.model, self.frame.graded)
            seen = Seen(
                self.rows, self.frame.query, levels if by_model else np.zeros_like(levels), self.grade, self.p,
                len(self.frame.queries),
            )  # fmt: skip
            self._ideals[key] = seen, ideals(seen, steps, form.discounts, np.arange(-1, len(self.rows)))
        return self._ideals[key]


def _notes(frame: Frame, elsewhere: int) -> list[str]:
    notes = []
    if frame.outside:
        notes.append(
            f"{frame.outside:,} of the runs' first {frame.depth} documents are outside of the {len(frame.pairs):,} "
            "pairs and count as not relevant"
        )
    if elsewhere:
        notes.append(f"{elsewhere:,} human grades are of other pairs and were not used")
    missing = int((~frame.graded).sum())
    if missing:
        notes.append(f"{missing:,} pairs have no grade of the model, which then predicts a gain of 0 for them")
    return notes


def estimate(
    sample: GradedSample, form: GainForm, weights: Numbers, run: str, baseline: str | None, level: float
) -> Corrected:
    """One measure of a run, or of the difference that the weights are of."""
    frame = sample.frame
    predicted = form.gain(frame.model) * frame.graded
    helpful = predicted
    if len(frame.pairs) and np.ptp(predicted) == 0:  # the model's scale ends below what counts: its grades still tell
        helpful = frame.model.astype(np.float64)
    both = np.column_stack([weights, weights * helpful])
    alone = both[:, :1]
    gains = form.gain(sample.grade)
    if form.over_ideal:
        naive = _over_own_ideal(frame, form, weights, predicted)
        by_model = _ratio(sample, form, weights, gains, both)
        by_hand = _ratio(sample, form, weights, gains, alone)
    else:
        naive = float(weights @ predicted)
        z = weights[sample.rows] * gains
        by_model = total(z, both[sample.rows], both.sum(axis=0), sample.p)
        by_hand = total(z, alone[sample.rows], alone.sum(axis=0), sample.p)
    bounds = _range(form, baseline is not None)
    uneven = UNEVEN if form.over_ideal and baseline is None and np.ptp(sample.p) > ROUNDING else ""
    counted = int((weights[sample.rows] != 0).sum())
    return Corrected(
        str(form.variant), run, baseline, naive,
        _figure(by_hand, sample, counted, bounds, level, uneven),
        _figure(by_model, sample, counted, bounds, level, uneven),
        None if by_model is None else by_model.weight,
        ASSUMPTION if form.over_ideal else "",
        counted,
    )  # fmt: skip


def _ratio(sample: GradedSample, form: GainForm, weights: Numbers, gains: Numbers, x: Numbers) -> Total | None:
    known = sample.over_ideals(form, by_model=x.shape[1] > 1)
    return None if known is None else ratio_total(known[0], known[1], weights, gains, x)


def _steps(form: GainForm, grades: NDArray[np.int64]) -> dict[int, float]:
    """By human grade, from the least: what it is worth more than the one below."""
    known = np.unique(grades)
    worth = np.maximum.accumulate(np.maximum(form.gain(known), 0.0))
    steps = np.diff(np.concatenate([[0.0], worth]))
    return {int(grade): float(step) for grade, step in zip(known, steps, strict=True) if step > 0}


def _over_own_ideal(frame: Frame, form: GainForm, weights: Numbers, gains: Numbers) -> float:
    """The naive value: the model's sum over the model's own ideal."""
    ideal = np.zeros(len(frame.queries))
    order = np.lexsort((-gains, frame.query))
    starts = np.searchsorted(frame.query[order], np.arange(len(frame.queries)))
    place = np.arange(len(order)) - starts[frame.query[order]]
    counted = place < len(form.discounts)
    np.add.at(
        ideal, frame.query[order][counted], np.maximum(gains[order][counted], 0.0) * form.discounts[place[counted]]
    )
    sums = np.bincount(frame.query, weights * gains, minlength=len(ideal))
    return float(np.divide(sums, ideal, out=np.zeros(len(ideal)), where=ideal > 0).sum())


def _range(form: GainForm, difference: bool) -> tuple[float, float]:
    low, high = form.variant.measure.low, form.variant.measure.high
    return (low - high, high - low) if difference else (low, high)


def _figure(
    estimated: Total | None, sample: GradedSample, counted: int, bounds: tuple[float, float], level: float, uneven: str
) -> AgreementAnswer:
    n, queries = len(sample.rows), len(sample.frame.queries)
    if estimated is None:
        reason = f"only {counted:,} of the pairs that people graded have a part in it, or none of them is relevant"
        return NotEstimable(reason, METHOD, n)
    if estimated.error == 0 and len(sample.rows) < len(sample.frame.pairs):
        return NotEstimable("people's grades do not vary, so nothing says how others would", METHOD, n, estimated.value)
    if uneven:
        return NotEstimable(uneven, METHOD, n, min(max(estimated.value, bounds[0]), bounds[1]))
    reach = estimated.reach(level)
    # What the measure cannot be is not estimated: all three keep to its range.
    value, low, high = (
        min(max(at, bounds[0]), bounds[1]) for at in (estimated.value, estimated.value - reach, estimated.value + reach)
    )
    return AgreementFigure(value, low, high, level, METHOD, n, queries)
