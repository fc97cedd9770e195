"""Abstention: queries that the collection cannot answer, and a score below which a system says nothing.

Queries without an answer are a kind of their own: a system is right to stay silent there, so they have no place in a
mean of nDCG, as 0 or as anything else. At a threshold t a query is answered where its score is t or more.

    false-answer rate      of the queries without an answer, the share that is answered
    abstention recall      of the queries without an answer, the share that is not: 1 - false-answer rate
    abstention precision   of the queries that are not answered, the share that has no answer
    answer rate            of the queries with an answer, the share that is answered

Two queries have an answer, two have none. At 0.5, b is answered in vain and d is withheld:

>>> scores = {"a": 0.9, "b": 0.6, "c": 0.1, "d": 0.4}
>>> curve = abstention_curve(scores, {"a": True, "b": False, "c": False, "d": True})
>>> rates = curve.at(0.5)
>>> rates.false_answer_rate, rates.abstention_recall, rates.abstention_precision, rates.answer_rate
(0.5, 0.5, 0.5, 0.5)

A threshold that was picked on some queries looks better there than it is: `prove_abstention` picks it on dev queries
and decides on test queries, by exact bounds of Clopper and Pearson (Biometrika 26(4), 1934), which hold for every
distribution of scores where test queries are drawn at random, apart from those of dev.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import Section, counted, number, percent
from rankproof.kernel.verdict import Status

Scores = Mapping[str, float | None]
Answerable = Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class AbstentionRates:
    """What a threshold does, in counts: every rate is one of them over another; None where nothing can be divided."""

    threshold: float
    answered_in_vain: int
    without_answer: int
    answered: int
    with_answer: int

    @property
    def false_answer_rate(self) -> float | None:
        """Of the queries without an answer, the share that is answered."""
        return self.answered_in_vain / self.without_answer if self.without_answer else None

    @property
    def abstention_recall(self) -> float | None:
        """Of the queries without an answer, the share that is not answered."""
        return 1 - self.answered_in_vain / self.without_answer if self.without_answer else None

    @property
    def abstention_precision(self) -> float | None:
        """Of the queries that are not answered, the share that has no answer."""
        silent = self.without_answer - self.answered_in_vain
        withheld = self.with_answer - self.answered
        return silent / (silent + withheld) if silent + withheld else None

    @property
    def answer_rate(self) -> float | None:
        """Of the queries with an answer, the share that is answered."""
        return self.answered / self.with_answer if self.with_answer else None


@dataclass(frozen=True, slots=True, eq=False)
class AbstentionCurve:
    """The scores of both kinds of queries, sorted; `at` gives the rates of any threshold.

    never   queries without a score: never answered
    """

    without_answer: NDArray[np.float64]
    with_answer: NDArray[np.float64]
    never: tuple[str, ...] = ()

    def at(self, threshold: float) -> AbstentionRates:
        """The rates where queries of this score or more are answered."""
        in_vain, answered = (
            len(scores) - int(np.searchsorted(scores, threshold, side="left"))
            for scores in (self.without_answer, self.with_answer)
        )
        return AbstentionRates(threshold, in_vain, len(self.without_answer), answered, len(self.with_answer))

    def __iter__(self) -> Iterator[AbstentionRates]:
        """The rates at every score there is, from the least to the greatest."""
        every = np.unique(np.concatenate((self.without_answer, self.with_answer)))
        return (self.at(threshold) for threshold in every[np.isfinite(every)].tolist())


def abstention_curve(scores: Scores, answerable: Answerable, *, name: str = "scores") -> AbstentionCurve:
    """The curve of a system's scores, one for each query; None, or no score, for a query that it does not answer.

    `answerable` says of each query whether the collection has an answer. A greater score is a surer answer: turn the
    sign of a distance.
    """
    _check(scores, answerable, name)
    sides: tuple[list[float], list[float]] = ([], [])
    never = []
    for query, has_answer in answerable.items():
        score = scores.get(query)
        if score is None:
            never.append(query)
        sides[bool(has_answer)].append(-math.inf if score is None else float(score))
    without, having = (np.sort(np.array(side, dtype=np.float64)) for side in sides)
    return AbstentionCurve(without, having, tuple(never))


@dataclass(frozen=True, slots=True)
class AbstentionProof:
    """A threshold picked on dev queries, and whether test queries prove it.

    at_most     the false-answer rate that is allowed
    dev, test   the rates at the threshold; those of dev flatter, since it was picked there
    low, high   one-sided bounds of the false-answer rate of test, each at `confidence`
    answered    two-sided confidence interval of the answer rate of test at `confidence`; None without such queries
    status      PASS: `high` is at most `at_most`; FAIL: `low` is above it; else UNDECIDED
    decides     for UNDECIDED: what would decide it
    """

    threshold: float
    at_most: float
    dev: AbstentionRates
    test: AbstentionRates
    low: float
    high: float
    answered: tuple[float, float] | None
    confidence: float
    status: Status
    reason: str
    decides: str = ""

    def section(self) -> Section:
        """A table for reports: the rates on dev and on test, with their bounds."""
        bound = f"{percent(self.confidence)} upper bound"
        rows = [("queries", "without answer", "false answers", bound, "with answer", "answered", "precision")]
        for name, rates, high in (("dev", self.dev, "picked here"), ("test", self.test, number(self.high))):
            rows.append(
                (
                    name, str(rates.without_answer), _shown(rates.false_answer_rate), high, str(rates.with_answer),
                    _shown(rates.answer_rate), _shown(rates.abstention_precision),
                )
            )  # fmt: skip
        lines = (f"{self.status}: {self.reason}", *([self.decides] if self.decides else []))
        return Section(f"Abstention below {self.threshold:g}", lines, tuple(rows))


def prove_abstention(
    dev: tuple[Scores, Answerable],
    test: tuple[Scores, Answerable],
    *,
    at_most: float,
    confidence: float = 0.95,
    guarded: bool = True,
) -> AbstentionProof:
    """Picks on dev the least threshold that keeps the false-answer rate to `at_most`, and proves it on test.

    dev, test   scores and what is answerable, as `abstention_curve` takes them; they may share no query
    guarded     the upper bound of dev, and not its plain rate, must keep to `at_most`: a threshold picked by the plain
                rate lies at the limit, where test cannot prove it, and beyond it half the time
    """
    for noun, value in (("at_most", at_most), ("confidence", confidence)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise UsageError(f"{noun} must be a number above 0 and below 1; got {value!r:.40}.")
    shared = [query for query in dev[1] if query in test[1]]
    if shared:
        raise UsageError(
            f"{counted(len(shared), 'query is', 'queries are')} in dev and in test ({shared[0]!r:.80}): a threshold is "
            "not proven on the queries it was picked on. Give each query to one of the two."
        )
    on_dev, on_test = abstention_curve(*dev, name="dev"), abstention_curve(*test, name="test")
    for noun, curve in (("dev", on_dev), ("test", on_test)):
        if not len(curve.without_answer):
            raise InputError(
                f"{noun} has no query without an answer, so that nothing can be answered in vain. Add some."
            )
    error = 1 - confidence
    allowed = _allowed(len(on_dev.without_answer), at_most, error if guarded else None)
    threshold = _threshold(on_dev, max(allowed, 0))
    rates = on_test.at(threshold)
    low, high = rate_bounds(rates.answered_in_vain, rates.without_answer, error)
    answered = rate_bounds(rates.answered, rates.with_answer, error / 2) if rates.with_answer else None
    status: Status = "PASS" if high <= at_most else "FAIL" if low > at_most else "UNDECIDED"
    seen = f"{rates.answered_in_vain} of {rates.without_answer} queries without an answer are answered"
    reason = f"{seen} on test: a false-answer rate of {low:.4f} to {high:.4f}, where {at_most:g} is allowed"
    return AbstentionProof(
        threshold, at_most, on_dev.at(threshold), rates, low, high, answered, confidence, status, reason,
        _decides(status, at_most, error, allowed, len(on_dev.without_answer), len(on_test.without_answer)),
    )  # fmt: skip


def _allowed(count: int, at_most: float, error: float | None) -> int:
    """How many of dev's queries without an answer may be answered; -1 where too few of them prove anything."""
    if error is None:
        return math.floor(at_most * count + 1e-9)
    within = [wrong for wrong in range(count + 1) if rate_bounds(wrong, count, error)[1] <= at_most]
    return max(within, default=-1)


def _threshold(curve: AbstentionCurve, allowed: int) -> float:
    """The least score at which at most `allowed` queries without an answer are answered."""
    every = np.unique(np.concatenate((curve.without_answer, curve.with_answer)))
    every = every[np.isfinite(every)]
    if not len(every):
        raise InputError("dev has no score: no query is ever answered, and there is no threshold to pick. Give scores.")
    if allowed >= len(curve.without_answer):
        return float(every[0])
    # The greatest score that must stay silent: the threshold is the next one above it.
    silent = curve.without_answer[len(curve.without_answer) - 1 - allowed]
    above = every[every > silent]
    return float(above[0]) if len(above) else float(np.nextafter(silent, math.inf))


def rate_bounds(hits: int, count: int, error: float) -> tuple[float, float]:
    """Exact one-sided bounds of a rate, each wrong with probability at most `error`."""
    from scipy.special import betaincinv

    low = float(betaincinv(hits, count - hits + 1, error)) if hits else 0.0
    high = float(betaincinv(hits + 1, count - hits, 1 - error)) if hits < count else 1.0
    return low, high


def _decides(status: Status, at_most: float, error: float, allowed: int, dev: int, test: int) -> str:
    """What would decide an undecided case."""
    if status != "UNDECIDED":
        return ""
    fewest = math.ceil(math.log(error) / math.log1p(-at_most))
    if test < fewest:
        return f"Test has {test} queries without an answer; {fewest}, none of them answered, would prove {at_most:g}."
    if allowed < 0:
        return (
            f"Dev has {dev} queries without an answer; it takes {fewest} to pick a threshold that keeps to {at_most:g}."
        )
    return "More test queries without an answer, or a threshold picked for a lower rate, would decide."


def _shown(rate: float | None) -> str:
    return "none" if rate is None else number(rate)


def _check(scores: Scores, answerable: Answerable, name: str) -> None:
    """Refuses scores that are no numbers, and queries of which nobody said whether they have an answer."""
    if not isinstance(scores, Mapping) or not isinstance(answerable, Mapping) or not answerable:
        raise InputError(f"{name}: a mapping from queries to scores, and one to True or False, are needed.")
    for query, has_answer in answerable.items():
        if not isinstance(has_answer, bool | np.bool_):
            raise InputError(f"{name}, query {query!r:.80}: answerable must be True or False; got {has_answer!r:.40}.")
    for query, score in scores.items():
        if query not in answerable:
            raise InputError(
                f"{name}, query {query!r:.80}: it is not said whether it has an answer. Say it, or leave the query out."
            )
        if score is None:
            continue
        if isinstance(score, bool) or not isinstance(score, int | float | np.number) or not math.isfinite(score):
            raise InputError(
                f"{name}, query {query!r:.80}: a score must be a finite number, or None; got {score!r:.40}."
            )
