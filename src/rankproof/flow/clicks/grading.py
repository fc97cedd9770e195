"""Grading: what a click model learned about each pair as a grade, with a count and a confidence.

The value of a pair is the chance that it is clicked when it stands at rank 1, as the mean of what is known of it (see
`posterior`). A step says which chance the next grade takes; steps may be of several signals, each with a chance of its
own, and the highest step that is reached is the grade. A pair gets its most probable grade, and that probability is the
confidence. It leaves out that examination itself is an estimate and that signals go together, and means nothing where
the model is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.clickmodels._contract import Fitted, Floats, clicked, per_pair, there
from rankproof.errors import UsageError
from rankproof.flow.clicks.posterior import Posterior, posterior
from rankproof.records.impressions import Impressions, Numbers

LIMITS = (0.1, 0.3, 0.5)


@dataclass(frozen=True, slots=True)
class Graded:
    """A pair with its grade.

    value       the chance of a click at rank 1; with steps of several signals that of the first
    confidence  the probability that this is the grade, from 0 to 1
    showings    on how many pages it stood
    clicks      on how many of them it was clicked
    looks       how often it was looked at, by the model, in looks at rank 1
    """

    query_id: str
    doc_id: str
    grade: int
    value: float
    confidence: float
    showings: int
    clicks: int
    looks: float


@dataclass(frozen=True, slots=True)
class Step:
    """What the next grade takes: the chance of a signal at this limit or above it. The first step is grade 1."""

    signal: str
    limit: float


def graded(fitted: Fitted, pages: Impressions, limits: Sequence[float] = LIMITS, least: int = 1) -> tuple[Graded, ...]:
    """The pairs that these pages showed `least` times or more, in the order of queries and documents as read."""
    steps = [Step("click", limit) for limit in limits]
    refuse(steps)
    found = posterior(fitted, pages, often_shown(pages, least))
    return rows_of(pages, found, *grades_of(steps, {"click": found}))


def often_shown(pages: Impressions, least: int) -> Numbers:
    """The pairs that these pages showed `least` times or more."""
    if least < 1:
        raise UsageError(f"A pair that was never shown has no grade: least must be 1 or more; got {least}.")
    return np.flatnonzero(per_pair(pages, there) >= least)


def refuse(steps: Sequence[Step]) -> None:
    """An error for steps that are none."""
    if not steps:
        raise UsageError("Grades need a limit or more, such as 0.1, 0.3 and 0.5.")
    for signal in dict.fromkeys(step.signal for step in steps):
        edges = np.array([0.0, *(step.limit for step in steps if step.signal == signal), 1.0])
        if not (np.diff(edges) > 0).all():
            raise UsageError(
                f"Limits of grades must rise, between 0 and 1; got {', '.join(f'{edge:g}' for edge in edges[1:-1])}."
            )


def grades_of(steps: Sequence[Step], by_signal: Mapping[str, Posterior]) -> tuple[NDArray[np.int64], Floats]:
    """The most probable grade of each pair, the lowest of equals, and its probability."""
    pairs = len(next(iter(by_signal.values())).pairs)
    # How likely no step above a grade is reached. Steps of one signal rise, so that its next one decides.
    at_most = np.ones((len(steps) + 1, pairs))
    for signal in dict.fromkeys(step.signal for step in steps):
        own = [grade for grade, step in enumerate(steps, start=1) if step.signal == signal]
        below = by_signal[signal].below([steps[grade - 1].limit for grade in own])
        for grade in range(len(steps)):
            above = [at for at, step in enumerate(own) if step > grade]
            if above:
                at_most[grade] *= below[above[0]]
    chances = np.diff(at_most, axis=0, prepend=0.0)
    grades = np.argmax(chances, axis=0)
    return grades, np.clip(chances[grades, np.arange(pairs)], 0.0, 1.0)  # sums of weights may round beyond 1


def rows_of(pages: Impressions, found: Posterior, grades: NDArray[np.int64], sure: Floats) -> tuple[Graded, ...]:
    """The rows of the pairs, with the counts of these pages."""
    showings, clicks = per_pair(pages, there), per_pair(pages, clicked)
    columns = (found.pairs, grades, found.means(), sure, showings[found.pairs], clicks[found.pairs], found.looks)
    return tuple(
        Graded(*pages.pairs.named(pair), grade, value, sure, int(shown), int(clicked), looks)
        for pair, grade, value, sure, shown, clicked, looks in zip(*(c.tolist() for c in columns), strict=True)
    )
