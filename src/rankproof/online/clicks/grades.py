"""Grades from click models: posterior of each pair's attractiveness, grade, count and confidence; a file of them.

The value of a pair is the probability that it is clicked when it stands at rank 1, as the mean of what is known of it
(see `posterior`). A step is the probability from which the next grade holds; steps may be of several signals, each with
its own, and the highest step that is reached is the grade. A pair gets its most probable grade, and that probability is
the confidence. It leaves out that examination itself is an estimate and that signals go together, and means nothing
where the model is wrong.

A pair that was shown n times got so many looks, in looks at rank 1, by the model that was fitted; on the average e a
showing. With the probability v at rank 1 a showing is clicked with v e, and c clicks on n showings have the likelihood
v^c (1 - v e)^(n - c). The distribution of probabilities over pairs is estimated from the pairs, as weights on a grid,
by expectation and maximization (Laird, Nonparametric maximum likelihood estimation of a mixing distribution, JASA 73,
1978), with a few pairs' worth of Jeffreys' prior mixed in. A pair with little of its own is then taken to be like
others.

Looks are taken as they are: that examination is an estimate itself is left out.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.online.clickmodels.contract import Fitted, Floats, clicked, per_pair, sum_per_pair, there
from rankproof.online.clicks.examination import mean_examination
from rankproof.online.impressions import Impressions, Numbers

# Probabilities at which Jeffreys' prior for a proportion, Beta(1/2, 1/2), has the same weight everywhere.
POINTS = 200
GRID: Floats = np.sin((np.arange(POINTS) + 0.5) / POINTS * np.pi / 2) ** 2
# Pairs that the spread is learned from, at most; passes; and pairs' worth of Jeffreys' prior.
LEARNED_FROM, PASSES, MIXED_IN = 2_000, 100, 10
PAIRS_AT_ONCE = 5_000
# How impossible a skip may be where a rank is looked at more than rank 1.
FLOOR = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The posterior distribution of the click probability of some pairs.

    pairs      their numbers
    looks      how often each was examined, in units of examinations at rank 1
    spread     the weight of each point of the grid over all pairs: the prior, learned from them
    """

    pairs: Numbers
    showings: Floats
    clicks: Floats
    looks: Floats
    spread: Floats

    def means(self) -> Floats:
        """The posterior mean of each pair."""
        return np.concatenate([np.zeros(0), *(weights @ GRID for weights in self._weights())])

    def below(self, limits: Sequence[float]) -> Floats:
        """Limits x pairs: the posterior probability of lying below the limit."""
        under = (np.array(limits)[:, None] > GRID).astype(np.float64)
        return np.concatenate([np.zeros((len(limits), 0)), *(under @ weights.T for weights in self._weights())], axis=1)

    def _weights(self) -> Iterator[Floats]:
        for start in range(0, len(self.pairs), PAIRS_AT_ONCE):
            at = slice(start, start + PAIRS_AT_ONCE)
            weights = _likelihood(self.showings[at], self.clicks[at], self.looks[at]) * self.spread
            yield weights / weights.sum(axis=1, keepdims=True)


def posterior(fitted: Fitted, pages: Impressions, pairs: Numbers) -> Posterior:
    """The posterior of some pairs, from pages and a model fitted to them. All pairs share one prior."""
    top = mean_examination(fitted, pages)

    def looked(piece: Impressions) -> Floats:
        examined = fitted.examination(piece)
        # Without examination, or where that of rank 1 is 0, all places count alike.
        return np.ones(piece.shown.shape) if top is None or examined is None or not top[0] else examined / top[0]

    looks = sum_per_pair(pages, looked)[pairs]
    showings, clicks = per_pair(pages, there)[pairs], per_pair(pages, clicked)[pairs]
    return Posterior(pairs, showings, clicks, looks, _spread(showings, clicks, looks))


def _likelihood(showings: Floats, clicks: Floats, looks: Floats) -> Floats:
    """Pairs x points of the grid, the greatest of each pair being 1."""
    each = np.divide(looks, showings, out=np.ones_like(looks), where=showings > 0)
    skipped = np.log(np.maximum(1 - GRID * each[:, None], FLOOR))
    logs = clicks[:, None] * np.log(GRID) + (showings - clicks)[:, None] * skipped
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)), dtype=np.float64)


def _spread(showings: Floats, clicks: Floats, looks: Floats) -> Floats:
    """The weights of the grid, from pairs that are taken evenly from all."""
    weights = np.full(POINTS, 1 / POINTS)
    known = np.flatnonzero(showings)
    if not len(known):
        return weights
    at = known[np.unique(np.linspace(0, len(known) - 1, min(LEARNED_FROM, len(known))).astype(np.int64))]
    likely = _likelihood(showings[at], clicks[at], looks[at])
    for _ in range(PASSES):
        shares = likely * weights
        shares /= shares.sum(axis=1, keepdims=True)
        weights = (shares.sum(axis=0) + MIXED_IN / POINTS) / (len(at) + MIXED_IN)
    return weights


LIMITS = (0.1, 0.3, 0.5)


@dataclass(frozen=True, slots=True)
class GradedPair:
    """A pair with its grade.

    value       the probability of a click at rank 1; with steps of several signals, that of the first signal
    confidence  the probability that this is the grade, from 0 to 1
    showings    on how many pages it stood
    clicks      on how many of them it was clicked
    looks       how often it was examined according to the model, in units of examinations at rank 1
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
class GradeStep:
    """What the next grade needs: the probability of a signal at or above this limit. The first step is grade 1."""

    signal: str
    limit: float


def grade_pages(
    fitted: Fitted, pages: Impressions, limits: Sequence[float] = LIMITS, least: int = 1
) -> tuple[GradedPair, ...]:
    """The pairs that these pages showed `least` times or more, in the order of queries and documents as read."""
    steps = [GradeStep("click", limit) for limit in limits]
    refuse(steps)
    known = posterior(fitted, pages, often_shown(pages, least))
    return rows_of(pages, known, *grades_of(steps, {"click": known}))


def often_shown(pages: Impressions, least: int) -> Numbers:
    """The pairs that these pages showed `least` times or more."""
    if least < 1:
        raise UsageError(
            f"A pair that was never shown has no grade: the least number of showings must be 1 or more; got {least}."
        )
    return np.flatnonzero(per_pair(pages, there) >= least)


def refuse(steps: Sequence[GradeStep]) -> None:
    """Raises an error where the limits of steps do not rise."""
    if not steps:
        raise UsageError("Grades need one limit or more, such as 0.1, 0.3 and 0.5.")
    for signal in dict.fromkeys(step.signal for step in steps):
        edges = np.array([0.0, *(step.limit for step in steps if step.signal == signal), 1.0])
        if not (np.diff(edges) > 0).all():
            raise UsageError(
                f"Limits of grades must rise, between 0 and 1; got {', '.join(f'{edge:g}' for edge in edges[1:-1])}."
            )


def grades_of(steps: Sequence[GradeStep], by_signal: Mapping[str, Posterior]) -> tuple[NDArray[np.int64], Floats]:
    """The most probable grade of each pair, the lowest of equals, and its probability."""
    pairs = len(next(iter(by_signal.values())).pairs)
    # The probability that no step above a grade is reached. Steps of one signal rise, so its next one decides.
    at_most = np.ones((len(steps) + 1, pairs))
    for signal in dict.fromkeys(step.signal for step in steps):
        own = [grade for grade, step in enumerate(steps, start=1) if step.signal == signal]
        below = by_signal[signal].below([steps[grade - 1].limit for grade in own])
        for grade in range(len(steps)):
            above = [at for at, step in enumerate(own) if step > grade]
            if above:
                at_most[grade] *= below[above[0]]
    probabilities = np.diff(at_most, axis=0, prepend=0.0)
    grades = np.argmax(probabilities, axis=0)
    return grades, np.clip(probabilities[grades, np.arange(pairs)], 0.0, 1.0)  # sums of weights may round beyond 1


def rows_of(
    pages: Impressions, known: Posterior, grades: NDArray[np.int64], confidences: Floats
) -> tuple[GradedPair, ...]:
    """The rows of the pairs, with the counts of these pages."""
    showings, clicks = per_pair(pages, there), per_pair(pages, clicked)
    columns = (known.pairs, grades, known.means(), confidences, showings[known.pairs], clicks[known.pairs], known.looks)
    return tuple(
        GradedPair(*pages.pairs.named(pair), grade, value, confidences, int(shown), int(clicked), looks)
        for pair, grade, value, confidences, shown, clicked, looks in zip(*(c.tolist() for c in columns), strict=True)
    )


COLUMNS = tuple(field.name for field in fields(GradedPair))
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*_SEPARATORS, ".jsonl")
_AT_ONCE = 10_000


def refuse_name(path: str) -> None:
    """Raises an error where the name of the file does not say its format."""
    if os.path.splitext(path)[1].casefold() not in ENDINGS:
        raise UsageError(
            f"The name {path!r} does not say in which format to write grades. It must end in one of "
            f"{', '.join(ENDINGS)}."
        )


def content(rows: Sequence[GradedPair], path: str) -> Iterator[bytes]:
    """The bytes of the file, some rows at a time."""
    refuse_name(path)
    separator = _SEPARATORS.get(os.path.splitext(path)[1].casefold())
    if separator is not None:
        yield _table([COLUMNS], separator)
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        if separator is None:
            yield "".join(f"{to_json(asdict(row))}\n" for row in some).encode()
        else:
            yield _table([[getattr(row, name) for name in COLUMNS] for row in some], separator)


def _table(rows: Sequence[Sequence[object]], separator: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "surrogateescape")
