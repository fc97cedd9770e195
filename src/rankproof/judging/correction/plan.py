"""Plan which pairs people grade, drawn with known unequal probabilities so that intervals shrink most; plan files.

What a human grade is worth grows with the pair's influence on the values (rank, number of runs that show it) and with
how uncertain people's gain is given the model's grade. The variance of the estimate is least when a pair is drawn with
probability proportional to the product (Neyman's allocation, one pair per stratum). The uncertainty comes from an
anchor set where there is one; without it every model grade counts as equally uncertain. No probability falls below a
share of the mean one: a pair that was thought settled and is not would otherwise weigh too much.

A value over its ideal, such as nDCG, is the exception: the ideal ranking takes all grades of a query. For it whole
queries are drawn, each with the same probability, as many as hold the requested number of pairs on average.

The draw is systematic along a random order (Goodman and Kish): it has exactly the requested number, each pair with
exactly its probability, and probabilities that are known, which is what the estimator needs.

source: Neyman, On the two different aspects of the representative method, 1934; Goodman and Kish, Controlled
    selection, JASA 45, 1950; Hartley and Rao, Sampling with unequal probabilities and without replacement, 1962
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.judging.correction.frame import (
    Frame,
    GainForm,
    Rankings,
    depth_of,
    form_of,
    frame_of,
    levels_of,
    variants_of,
)
from rankproof.judging.correction.records import JudgingPlan, PlannedPair
from rankproof.kernel.jsontext import from_json
from rankproof.proving.agreement import Grades

Numbers = NDArray[np.float64]
# No pair counts for less than this share of the mean.
FLOOR = 0.25
# The overall spread counts as so many pairs of each model grade.
PRIOR = 4.0


def plan_judging(
    model: Grades,
    runs: Mapping[str, Rankings],
    measure: str,
    number: int,
    *,
    anchor: Grades | None = None,
    compare: bool = False,
    depth: int | None = None,
    seed: int = 0,
) -> JudgingPlan:
    """A draw of `number` pairs for people.

    anchor    human grades of some pairs that the model graded too: how far its word can be taken, by grade
    compare   differences to the first run are to be settled, not each run's value
    """
    variants = variants_of(measure)
    if len(variants) != 1:
        raise UsageError(f"A plan is for one measure; {measure!r} names {len(variants)}. Name the one that decides.")
    if compare and len(runs) < 2:
        raise UsageError("A comparison needs two runs or more. Give them, or leave out the wish to compare.")
    frame = frame_of(model, runs, depth_of(variants, depth))
    if number >= len(frame.pairs):
        raise UsageError(
            f"{number:,} pairs were asked for and there are {len(frame.pairs):,}. Judge them all, or ask for fewer."
        )
    form = form_of(frame, variants[0])
    if form.over_ideal:
        if anchor is not None:
            raise UsageError(
                f"For {variants[0]} whole queries are drawn, each with the same probability, and human grades from "
                "before change nothing in that. Leave them out."
            )
        p, chosen = draw_queries(frame, number, np.random.default_rng(seed))
        return JudgingPlan(
            str(variants[0]), frame.runs, compare, frame.depth, seed, _pairs_of(frame, p, chosen), whole_queries=True
        )
    importance, spread = importance_of(frame, form, model, anchor, compare)
    p = probabilities(importance, number)
    chosen = draw(p, np.random.default_rng(seed))
    return JudgingPlan(
        str(variants[0]), frame.runs, compare, frame.depth, seed,
        _pairs_of(frame, p, chosen),
        None if anchor is None else _expected(frame, spread, p, number, compare),
    )  # fmt: skip


def importance_of(
    frame: Frame, form: GainForm, model: Grades, anchor: Grades | None, compare: bool
) -> tuple[Numbers, Numbers]:
    """How much each pair's human grade is worth; and by what it moves each value or difference, one row for each."""
    rows = form.weights[1:] - form.weights[0] if compare else form.weights
    uncertain = _uncertainty(frame, form, model, anchor)
    return np.sqrt((rows**2).sum(axis=0)) * uncertain, rows * uncertain


def probabilities(importance: Numbers, number: int) -> Numbers:
    """Probabilities proportional to importance, none below the floor and none above 1, that add up to `number`.

    >>> probabilities(np.array([9.0, 1.0, 1.0, 1.0]), 2).tolist()
    [1.0, 0.3333333333333333, 0.3333333333333333, 0.3333333333333333]
    """
    mean = importance.mean()
    shares = np.maximum(importance, FLOOR * mean) if mean > 0 else np.ones(len(importance))
    scaled = np.zeros(len(shares))
    sure = np.zeros(len(shares), dtype=bool)
    while True:
        left = number - int(sure.sum())
        scaled = np.where(sure, 1.0, shares * left / shares[~sure].sum())
        over = ~sure & (scaled >= 1.0)
        if not over.any():
            return scaled
        sure |= over


def draw(p: Numbers, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Pairs chosen systematically along a random order: as many as the probabilities add up to."""
    order = rng.permutation(len(p))
    ends = np.cumsum(p[order])
    number = round(float(ends[-1]))
    ends *= number / ends[-1]  # what rounding took from the sum is given back
    points = rng.random() + np.arange(number)
    chosen = np.zeros(len(p), dtype=bool)
    chosen[order[np.minimum(np.searchsorted(ends, points, side="right"), len(p) - 1)]] = True
    return chosen


def draw_queries(frame: Frame, number: int, rng: np.random.Generator) -> tuple[Numbers, NDArray[np.bool_]]:
    """Each pair's probability, and whether it is chosen, in a plain draw of whole queries with about `number` pairs."""
    filled = np.unique(frame.query)
    wanted = min(max(round(number * len(filled) / len(frame.pairs)), 1), len(filled))
    drawn = filled[rng.permutation(len(filled))[:wanted]]
    return np.full(len(frame.pairs), wanted / len(filled)), np.isin(frame.query, drawn)


def _pairs_of(frame: Frame, p: Numbers, chosen: NDArray[np.bool_]) -> list[PlannedPair]:
    return [PlannedPair(q, d, float(p[i]), bool(chosen[i])) for i, (q, d) in enumerate(frame.pairs)]


def _uncertainty(frame: Frame, form: GainForm, model: Grades, anchor: Grades | None) -> Numbers:
    """The standard deviation of people's gain given the model's grade; 1 where nothing is known."""
    if anchor is None:
        return np.ones(len(frame.pairs))
    met = [(model[q][d], g) for q, docs in anchor.items() for d, g in docs.items() if d in model.get(q, {})]
    if len(met) < 2:
        raise UsageError("The anchor set has fewer than two pairs that the model graded. Leave it out, or give more.")
    theirs, gains = np.array([m for m, _ in met]), form.gain(np.array([g for _, g in met]))
    levels = levels_of(np.concatenate([frame.model, theirs]), np.concatenate([frame.graded, np.ones(len(met), bool)]))
    here, there = levels[: len(frame.pairs)], levels[len(frame.pairs) :]
    overall = float(gains.var()) or 1.0
    variances = np.full(int(levels.max()) + 1, overall)
    for level in range(len(variances)):
        own = gains[there == level]
        squares = float(((own - own.mean()) ** 2).sum()) if len(own) else 0.0
        variances[level] = (squares + PRIOR * overall) / (max(len(own) - 1, 0) + PRIOR)
    return np.asarray(np.sqrt(variances[here]))


def _expected(frame: Frame, spread: Numbers, p: Numbers, number: int, compare: bool) -> dict[str, tuple[float, float]]:
    """Half widths of 95% intervals by this plan and by a plain draw, if people vary as the anchor says."""
    plain = np.full(len(p), number / len(p))
    names = frame.runs[1:] if compare else frame.runs
    return {name: (_half(row, p), _half(row, plain)) for name, row in zip(names, spread, strict=True)}


def _half(spread: Numbers, p: Numbers) -> float:
    """1.96 standard errors of a sum, if each pair of it varies so and is chosen with such a probability."""
    return float(1.96 * np.sqrt((spread**2 * (1 / p - 1)).sum()))


SCHEMA = "judging-plan/1"


def read_plan(path: str) -> JudgingPlan:
    """The plan in a file; refused when it is none, or holds what no plan can."""
    from rankproof.reading.source import open_source, require_text

    source = open_source(path)
    require_text(source)
    document = from_json(source.text(), source.name)
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise InputError(f"{source.name} is no plan. Give what `rankproof judge plan --json` wrote.")
    try:
        pairs = [_pair(one) for one in document["pairs"]]
        plan = JudgingPlan(
            str(document["measure"]), tuple(document["runs"]), bool(document["compare"]), int(document["depth"]),
            int(document["seed"]), pairs, whole_queries=document.get("drawn", "pairs") == "queries",
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{source.name}: the plan is damaged ({error}). Draw it again with the same seed.") from None
    if not plan.chosen:
        raise InputError(f"{source.name}: no pair of the plan is chosen. Draw it again.")
    return plan


def _pair(one: Mapping[str, str | float]) -> PlannedPair:
    probability = float(one["probability"])
    if not 0 < probability <= 1:
        raise ValueError(f"a probability is {probability}")
    return PlannedPair(str(one["query_id"]), str(one["doc_id"]), probability, bool(one["chosen"]))
