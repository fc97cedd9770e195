"""Qrels from a click log: graded pairs by a stated mapping of click probabilities to grades.

Three mappings: limits on the probability of the signal at rank 1; shares of the pairs, whose quantiles become limits;
and steps of several signals, one for each grade, such as click=0.1, dwell=0.1, conversion=0.02. Pairs that were shown
too seldom, or whose grade is too uncertain, are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.specs.calls import Configured
from rankproof.online.clickmodels.contract import Floats
from rankproof.online.clicks.grades import (
    LIMITS,
    GradedPair,
    GradeStep,
    Posterior,
    grades_of,
    often_shown,
    posterior,
    refuse,
    rows_of,
)
from rankproof.online.clicks.signals import SIGNALS, event_pages
from rankproof.online.impressions import ClickLog, Impressions, Numbers
from rankproof.reading.records import Qrels

SHOWINGS, CONFIDENCE = 10, 0.5


@dataclass(frozen=True, slots=True)
class GradeMapping:
    """How probabilities become grades: by steps, or by shares of pairs from which steps are computed."""

    steps: tuple[GradeStep, ...] = ()
    shares: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LogGrades:
    """Grades of a log.

    model      what the values come from, fitted to all pages
    steps      what each grade took, from grade 1
    shares     the shares that the steps were computed from; empty where limits were given
    rows       the pairs that stay
    few        pairs that were shown fewer than `showings` times
    unsure     pairs whose grade has less confidence than `confidence`
    """

    model: str
    steps: tuple[GradeStep, ...]
    shares: tuple[float, ...]
    rows: tuple[GradedPair, ...]
    showings: int
    confidence: float
    few: int
    unsure: int

    def by_grade(self) -> list[tuple[int, int, float | None]]:
        """Each grade, how many pairs have it, and their mean confidence; None where there is none."""
        counts = Counter(row.grade for row in self.rows)
        sums = dict.fromkeys(counts, 0.0)
        for row in self.rows:
            sums[row.grade] += row.confidence
        every = range(len(self.steps) + 1)
        return [(grade, counts[grade], sums[grade] / counts[grade] if counts[grade] else None) for grade in every]

    def to_dict(self) -> dict[str, object]:
        """As JSON has it, without the rows."""
        return {
            "model": self.model,
            "steps": [
                {"grade": grade, "signal": step.signal, "limit": step.limit}
                for grade, step in enumerate(self.steps, start=1)
            ],
            "shares": list(self.shares) or None,
            "least_showings": self.showings,
            "least_confidence": self.confidence,
            "pairs": len(self.rows),
            "left_out": {"few_showings": self.few, "low_confidence": self.unsure},
            "by_grade": [
                {"grade": grade, "pairs": pairs, "mean_confidence": sure} for grade, pairs, sure in self.by_grade()
            ],
        }


def limits_mapping(limits: Sequence[float] = LIMITS, signal: str = "click") -> GradeMapping:
    """Grades by limits on the probability of one signal."""
    steps = tuple(GradeStep(signal, limit) for limit in limits)
    refuse(steps)
    return GradeMapping(steps)


def shares_mapping(shares: Sequence[float]) -> GradeMapping:
    """Grades by shares of pairs: 0.5, 0.8 gives grade 1 from the median on, grade 2 to the best fifth."""
    edges = np.array([0.0, *shares, 1.0])
    if len(edges) < 3 or not (np.diff(edges) > 0).all():
        raise UsageError(
            f"Shares of pairs must rise, between 0 and 1; got {', '.join(f'{s:g}' for s in shares) or 'none'}."
        )
    return GradeMapping(shares=tuple(shares))


def steps_mapping(limits: Mapping[str, float]) -> GradeMapping:
    """Grades by signals, the first is grade 1: {"click": 0.1, "dwell": 0.1, "conversion": 0.02}."""
    steps = tuple(GradeStep(signal, limit) for signal, limit in limits.items())
    refuse(steps)
    for step in steps:
        if step.signal not in SIGNALS:
            raise UsageError(f"The signal of a step must be one of {', '.join(SIGNALS)}; got {step.signal!r}.")
    return GradeMapping(steps)


def grade_log(
    log: ClickLog,
    model: Configured,
    mapped: GradeMapping,
    signal: str = "click",
    *,
    showings: int = SHOWINGS,
    confidence: float = CONFIDENCE,
) -> LogGrades:
    """Grades of the pairs of a log, by a click model that is fitted to all of it, once for each signal of the steps."""
    if not 0 <= confidence <= 1:
        raise UsageError(f"A confidence must lie between 0 and 1; got {confidence:g}.")
    signals = dict.fromkeys(step.signal for step in mapped.steps) or {signal: None}
    often = often_shown(log.pages, showings)
    by_signal = {name: _known(event_pages(log, name).pages, model, often) for name in signals}
    first = by_signal[next(iter(signals))]
    steps = mapped.steps or _steps(first.means(), mapped.shares, signal)
    rows = rows_of(log.pages, first, *grades_of(steps, by_signal))
    confident = tuple(row for row in rows if row.confidence >= confidence)
    few = len(often_shown(log.pages, 1)) - len(often)
    return LogGrades(model.text, steps, mapped.shares, confident, showings, confidence, few, len(rows) - len(confident))


def qrels_of(rows: Sequence[GradedPair], name: str = "clicks") -> Qrels:
    """The grades as qrels."""
    from dataclasses import replace

    from rankproof.reading.collect import read_qrels

    if not rows:
        raise InputError(
            "No pair is left to be judged. Lower --least-showings or --least-confidence, or read more pages."
        )
    grades: dict[str, dict[str, int]] = {}
    for row in rows:
        grades.setdefault(row.query_id, {})[row.doc_id] = row.grade
    return replace(read_qrels(grades), name=name)


def _known(pages: Impressions, model: Configured, pairs: Numbers) -> Posterior:
    return posterior(model.item.fit(pages, model.values), pages, pairs)


def _steps(values: Floats, shares: Sequence[float], signal: str) -> tuple[GradeStep, ...]:
    if not len(values):
        raise InputError("No pair was shown often enough for shares of pairs. Lower --least-showings.")
    limits = np.quantile(values, shares)
    if not (np.diff([0.0, *limits, 1.0]) > 0).all():
        raise InputError(
            f"The shares {', '.join(f'{s:g}' for s in shares)} fall on the same value of too many pairs: grades would "
            "be empty. Give other shares, or limits."
        )
    return tuple(GradeStep(signal, float(limit)) for limit in limits)
