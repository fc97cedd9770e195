"""Tie risk: how far the order of documents with equal scores could move a difference, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof import shelf
from rankproof.dialects._contract import Dialect, Reading
from rankproof.errors import UsageError
from rankproof.flow.evaluate import GEOMETRIC_FLOOR, prepare, speak
from rankproof.flow.prepared import PreparedRun
from rankproof.flow.ties import over_ties, refuse_split_ties
from rankproof.measures._contract import Variant
from rankproof.measures._text import parse
from rankproof.records.comparison import ALL_QUERIES, Comparison, Contrast
from rankproof.records.estimate import Estimate
from rankproof.records.settings import Settings
from rankproof.records.tierisk import TieRisk
from rankproof.records.words import signed
from rankproof.significance._contract import Question, Significance

# A range narrower than this is rounding.
NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class _Reach:
    """The least and greatest value of each query over all orders of tied documents."""

    by_query: Mapping[str, tuple[float, float]]
    exact: bool


def tie_risks(runs: Sequence[PreparedRun], comparison: Comparison) -> tuple[TieRisk, ...]:
    """For each contrast over all queries that ties can move: the range, and whether it could change the verdict.

    `runs` are those of `comparison.systems`. The sides are tied independently of each other, so a query's least
    difference is the candidate's least value minus the baseline's greatest.
    """
    settings = comparison.evaluations[0].settings
    if settings.ties != "rule":
        return ()  # the values themselves are over all orders already
    by_name = dict(zip(comparison.systems, runs, strict=True))
    known: dict[tuple[str, str], _Reach | None] = {}
    found = []
    for contrast in comparison.contrasts:
        if contrast.segment != ALL_QUERIES:
            continue
        sides = []
        for name in (contrast.baseline, contrast.candidate):
            if (name, contrast.measure) not in known:
                known[name, contrast.measure] = _reach(by_name[name], contrast.measure, settings)
            sides.append(known[name, contrast.measure])
        baseline, candidate = sides
        if baseline is None or candidate is None:
            found.append(_not_looked_at(contrast, settings))
            continue
        risk = _risk(contrast, baseline, candidate, comparison)
        if risk is not None:
            found.append(risk)
    return tuple(found)


def _reach(run: PreparedRun, measure: str, settings: Settings) -> _Reach | None:
    """The range of each query's value; None where the depth splits ties that the measure looks at."""
    dialect: Dialect = shelf.find("dialects", settings.dialect)
    (said,) = parse(measure)
    variant = speak(said, dialect, settings)
    reading = dialect.read(variant)
    if settings.complete:
        reading = replace(reading, missing="zero")
    if dialect.drops_self:
        run = run.without_self()
    depth = settings.depth
    if depth is not None:
        if _looks_no_deeper(variant, depth):
            settings = replace(
                settings, depth=None
            )  # cut, a table would not know what its last documents are tied with
        else:
            try:
                refuse_split_ties(run.table(reading.order), depth)
            except UsageError:
                return None
    table = prepare(run.table(reading.order, variant.measure.needs_subtopics), reading, settings)
    ties = over_ties(table, variant)
    # A dialect that takes the mean over all orders has nothing left to chance.
    ends = ties.by_query[:, [0, 2] if reading.ties == "rule" else [1, 1]]
    return _Reach(dict(zip(table.pool.query_ids, map(tuple, _told(ends, reading).tolist()), strict=True)), ties.exact)


def _looks_no_deeper(variant: Variant, depth: int) -> bool:
    return variant.measure.cutoff in ("optional", "required") and variant.k is not None and variant.k <= depth


def _told(values: NDArray[np.float64], reading: Reading) -> NDArray[np.float64]:
    """The values as the dialect tells them: rounded, where it rounds."""
    if reading.rounds is None:
        return values
    return np.array([[reading.rounds(value) for value in row] for row in values.tolist()])


def _risk(contrast: Contrast, baseline: _Reach, candidate: _Reach, comparison: Comparison) -> TieRisk | None:
    a, b = (
        np.array([side.by_query[query] for query in contrast.query_ids]).reshape(-1, 2)
        for side in (baseline, candidate)
    )
    if contrast.scale:  # differences of geometric means are differences of logarithms
        a, b = (np.log(np.maximum(side, GEOMETRIC_FLOOR)) for side in (a, b))
    least, greatest = b[:, 0] - a[:, 1], b[:, 1] - a[:, 0]
    if not len(least) or float((greatest - least).max()) <= NOTHING:
        return None
    method: Significance = shelf.find("significance", comparison.significance)
    now = _says(contrast.by_query, contrast, comparison, method)
    ends = {where: _says(d, contrast, comparison, method) for where, d in (("least", least), ("greatest", greatest))}
    low, high = float(least.mean()), float(greatest.mean())
    observed = float(contrast.by_query.mean())
    other = {where: says for where, says in ends.items() if says != now}
    exact = baseline.exact and candidate.exact
    risk = TieRisk(
        contrast.measure, contrast.candidate, low, high, observed, bool(other), exact, baseline=contrast.baseline
    )
    return replace(risk, note=_note(risk, contrast, comparison, now, other))


def _says(
    differences: NDArray[np.float64], contrast: Contrast, comparison: Comparison, method: Significance
) -> tuple[str, str]:
    """What the comparison says of these differences: the side of the mean, and whether it is shown."""
    mean = float(differences.mean())
    side = "no difference" if abs(mean) <= NOTHING else "higher" if mean > 0 else "lower"
    # As many resamples as the comparison drew, so that its own verdict comes out for its own differences.
    answer = contrast.difference
    drawn = answer.resamples if isinstance(answer, Estimate) and answer.resamples is not None else None
    question = Question(level=comparison.level) if drawn is None else Question(level=comparison.level, resamples=drawn)
    told = method.infer(differences, question, np.random.default_rng(comparison.seed))
    shown = isinstance(told, Estimate) and told.p_value <= 1 - comparison.level
    return side, "shown" if shown else "not shown"


def _note(
    risk: TieRisk,
    contrast: Contrast,
    comparison: Comparison,
    now: tuple[str, str],
    other: Mapping[str, tuple[str, str]],
) -> str:
    """What was found, in sentences with the numbers, and what was looked at."""
    how = "" if risk.exact else ", as far as random orders show"
    text = (
        f"{contrast.measure}, {contrast.candidate} against {contrast.baseline}: documents with equal scores could be "
        f"in another order; the difference of {signed(risk.observed)} could then be anything from {signed(risk.least)} "
        f"to {signed(risk.greatest)}{how}."
    )
    plain = "" if comparison.correction == "none" else ", before the correction"
    looked = f"({comparison.significance} at the two ends{plain})"
    if not other:
        return f"{text} At both ends the verdict is the same {looked}."
    turns = " and ".join(f"at the {where} it would be {_in_words(says, now)}" for where, says in other.items())
    return f"{text} That can change the verdict: now it is {' and '.join(now)}; {turns} {looked}."


def _in_words(says: tuple[str, str], now: tuple[str, str]) -> str:
    return " and ".join(word for word, before in zip(says, now, strict=True) if word != before)


def _not_looked_at(contrast: Contrast, settings: Settings) -> TieRisk:
    observed = float(contrast.by_query.mean()) if len(contrast.by_query) else 0.0
    note = (
        f"{contrast.measure}, {contrast.candidate} against {contrast.baseline}: what ties could change was not looked "
        f"at, since the depth of {settings.depth} cuts through documents with equal scores."
    )
    return TieRisk(
        contrast.measure, contrast.candidate, observed, observed, observed, False, False, note, contrast.baseline
    )
