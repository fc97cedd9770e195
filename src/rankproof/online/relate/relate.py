"""Relate: every measure with every metric over past changes, and for each metric the measure that predicts it best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankproof.errors import InputError, UnknownName
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.online.relate.contest import corrected, ranked
from rankproof.online.relate.correlate import CHANCE, Values, correlation, enough, foretold, line, signs
from rankproof.online.relate.records import (
    Changes,
    MeasureAndMetric,
    MeasuredDifference,
    NeededDifference,
    RankedMeasures,
    Relation,
)
from rankproof.online.trial.estimate import refuse_level

BY = ("spearman", "pearson")
# Fewer changes than this say little, whatever the numbers look like.
FEW = 8


def relate(changes: Changes, *, by: str = "spearman", level: float = 0.95, chance: float = CHANCE) -> Relation:
    """How well offline measures predicted online metrics over past changes.

    by       the correlation that measures are ranked by
    chance   the probability of a significant online gain that an offline difference must reach to be enough
    """
    refuse_level(level)
    if by not in BY:
        raise UnknownName("correlation", by, BY)
    if not changes.changes or not changes.measures or not changes.metrics:
        raise InputError(
            "There is nothing to relate: give changes with an offline measure and an online metric or more."
        )
    related = [
        _related(changes, measure, metric, level, chance) for metric in changes.metrics for measure in changes.measures
    ]
    return Relation(
        tuple(change.name for change in changes.changes),
        changes.measures,
        changes.metrics,
        changes.lower,
        level,
        by,
        tuple(related),
        tuple(_ranked(changes, metric, by, level) for metric in changes.metrics),
        tuple(_warnings(changes, related)),
    )


def _related(changes: Changes, measure: str, metric: str, level: float, chance: float) -> MeasureAndMetric:
    both = [change for change in changes.changes if measure in change.offline and metric in change.online]
    offline = [change.offline[measure] for change in both]
    online = [change.online[metric] for change in both]
    turn_x, turn_y = _turn(changes, measure), _turn(changes, metric)
    x = turn_x * np.array([figure.value for figure in offline], dtype=np.float64)
    y = turn_y * np.array([figure.value for figure in online], dtype=np.float64)
    noise_x, noise_y = _errors(offline), _errors(online)
    known = [_shown(figure, level) for figure in online]
    tested = np.array([each is not None for each in known], dtype=np.bool_)
    shown = np.array([bool(each) for each in known], dtype=np.bool_)
    slope, fitted = line(x, y, level)
    whose = tuple(side for side, noise in (("offline", noise_x), ("online", noise_y)) if noise is not None)
    usual = None if noise_y is None else float(np.median(noise_y))
    return MeasureAndMetric(
        measure,
        metric,
        len(both),
        correlation("pearson", x, y, level),
        correlation("spearman", x, y, level),
        correlation("kendall", x, y, level),
        _corrected(x, noise_x, y, noise_y, level),
        whose,
        signs(x, y, level),
        signs(x[shown], y[shown], level) if tested.any() else None,
        _turned(slope, turn_x * turn_y),
        None if fitted is None else turn_y * fitted.intercept,
        _signed(enough(x, slope, fitted, usual, level, chance), turn_x),
        foretold(x, y, shown.tolist()) if tested.any() else None,
    )


def _corrected(x: Values, noise_x: Values | None, y: Values, noise_y: Values | None, level: float) -> Answer:
    if noise_x is None and noise_y is None:
        return NotEstimable("no side has standard errors for every change", "profile likelihood", len(x))
    nothing = np.zeros(len(x))
    return corrected(x, nothing if noise_x is None else noise_x, y, nothing if noise_y is None else noise_y, level)


def _ranked(changes: Changes, metric: str, by: str, level: float) -> RankedMeasures:
    turn = _turn(changes, metric)
    online = {change.name: turn * change.online[metric].value for change in changes.changes if metric in change.online}
    values = {
        measure: {
            change.name: _turn(changes, measure) * change.offline[measure].value
            for change in changes.changes
            if measure in change.offline
        }
        for measure in changes.measures
    }
    return ranked(metric, changes.measures, values, online, by, level)


def _turn(changes: Changes, name: str) -> float:
    return -1.0 if name in changes.lower else 1.0


def _errors(figures: list[MeasuredDifference]) -> Values | None:
    """The standard errors, where every change has one."""
    known = [figure.error for figure in figures if figure.error is not None]
    return np.array(known, dtype=np.float64) if known and len(known) == len(figures) else None


def _shown(figure: MeasuredDifference, level: float) -> bool | None:
    from scipy.special import ndtri  # here: loading scipy is for those who test

    if figure.shown is not None or figure.error is None:
        return figure.shown
    return abs(figure.value) > float(ndtri((1 + level) / 2)) * figure.error


def _turned(answer: Answer, turn: float) -> Answer:
    """A slope in the directions that measure and metric have themselves."""
    if turn > 0:
        return answer
    if isinstance(answer, Estimate):
        return replace(answer, value=-answer.value, low=-answer.high, high=-answer.low)
    return answer if answer.value is None else replace(answer, value=-answer.value)


def _signed(needed: NeededDifference, turn: float) -> NeededDifference:
    return needed if needed.difference is None else replace(needed, difference=turn * needed.difference)


def _warnings(changes: Changes, related: list[MeasureAndMetric]) -> list[str]:
    warnings = []
    if len(changes.changes) < FEW:
        warnings.append(
            f"fewer than {FEW} changes ({len(changes.changes)}) say little: intervals are wide, and a ranking of "
            "measures is chance"
        )
    warnings += [
        f"{each.measure} and {each.metric}: only {each.n} of {len(changes.changes)} changes have both"
        for each in related
        if each.n < FEW <= len(changes.changes)
    ]
    if len(related) > 1:
        warnings.append(
            f"{len(related)} pairs of a measure and a metric: each interval holds alone, not all of them together"
        )
    return warnings
