"""Contract of the significance shelf: Significance, which makes an Estimate of paired differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Alternative, Answer, NotEstimable

if TYPE_CHECKING:
    from rankproof.proving.sampling import Sampling

Differences = NDArray[np.float64]  # candidate minus baseline, one per query, all finite
RESAMPLES = 100_000
# Two differences closer than this share of the largest one are one number that was rounded twice.
SAME = 1e-12
# How a note of the default method ends where its bounds are not by t.
BY_GAFFKE = ": bounds by Gaffke, not by t"
# The note of the default method where every value is 0 or 1.
BY_MCNEMAR = "every value is 0 or 1: exact test of paired proportions (mcnemar), not t"


@dataclass(frozen=True, slots=True)
class SignificanceRequest:
    """The hypothesis that is tested on the differences.

    level         of the interval
    alternative   what counts against `null`: a mean that differs, is greater, or is less
    null          the mean under the hypothesis; other than 0 for margins
    resamples     how many random resamples a method may draw
    low, high     the range of one difference, where it is known
    sampling      how the queries were drawn, in the order of the differences; None for a simple random sample
    binary        whether the values behind the differences are known to be 0 or 1, all of them
    repeated      whether each difference is a mean over repetitions of its unit
    """

    level: float = 0.95
    alternative: Alternative = "two-sided"
    null: float = 0.0
    resamples: int = RESAMPLES
    low: float = -math.inf
    high: float = math.inf
    sampling: Sampling | None = None
    binary: bool = False
    repeated: bool = False


# Randomness is an argument: the same generator state gives the same answer.
Infer = Callable[[Differences, SignificanceRequest, np.random.Generator], Answer]
# The columns of a matrix, queries by tests, answered together; resamples are shared by all columns.
InferMany = Callable[[Differences, SignificanceRequest, np.random.Generator], Sequence[Answer]]


@dataclass(frozen=True, slots=True, eq=False)
class Significance:
    """One item of the shelf. `page` is the module's docstring: what it assumes, when it fails, source, example.

    infer        interval and p-value of one set of differences
    infer_many   the same for many columns at once, where that is faster; else columns are taken one by one
    random       whether it draws resamples
    bounded      whether it uses the range of one difference
    sampled      whether it respects weights, strata and clusters
    about        what the hypothesis is about: the mean, or something else that a reader may mistake for it
    warning      what its literature warns of; printed with every answer
    spellings    what people call it too, in small letters with hyphens; the name is what is written
    """

    name: str
    page: str
    infer: Infer
    infer_many: InferMany | None = None
    random: bool = False
    bounded: bool = False
    about: Literal["mean", "median", "sign"] = "mean"
    warning: str = ""
    sampled: bool = False
    spellings: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def many(self, differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
        """An answer for each column."""
        if self.infer_many is not None:
            return list(self.infer_many(differences, question, rng))
        return [self.infer(column, question, rng) for column in differences.T]


def refuse_unsampled(method: Significance) -> None:
    """UsageError for a method that takes every query for one of a simple random sample, where that is not so."""
    from rankproof.kernel import shelf

    if not method.sampled:
        able = [item.name for item in shelf.offered("significance").values() if item.sampled]
        raise UsageError(
            f"The method {method.name!r} knows nothing of weights, strata or clusters. Possible: {', '.join(able)}."
        )


def not_estimable(differences: Differences, method: str) -> NotEstimable | None:
    """Why there is neither interval nor p-value for these differences; None when there can be."""
    n = len(differences)
    if n < 2:
        count = "no query" if n == 0 else "one query only"
        value = float(differences[0]) if n else None
        return NotEstimable(f"{count}: two or more are needed to see how much queries vary", method, n, value)
    largest = float(np.abs(differences).max())
    if largest == 0:
        return NotEstimable("no query differs: there is nothing to test", method, n, 0.0)
    if float(np.ptp(differences)) <= SAME * largest:
        value = float(differences.mean())
        reason = f"every query differs by the same {value:.6g}: without spread nothing says what chance can do"
        return NotEstimable(reason, method, n, value)
    return None


def not_estimable_rows(rows: Differences, method: str) -> list[NotEstimable | None]:
    """`not_estimable` for each row; only those without spread are looked at one by one."""
    if rows.shape[1] < 2:
        return [not_estimable(row, method) for row in rows]
    answers: list[NotEstimable | None] = [None] * len(rows)
    without_spread = np.ptp(rows, axis=1) <= SAME * np.abs(rows).max(axis=1)
    for at in np.flatnonzero(without_spread).tolist():
        answers[at] = not_estimable(rows[at], method)
    return answers
