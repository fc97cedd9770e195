"""What an item on the significance shelf is: Significance, which makes an Estimate of paired differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Alternative, Answer

Differences = NDArray[np.float64]  # candidate minus baseline, one per query, all finite
RESAMPLES = 100_000


@dataclass(frozen=True, slots=True)
class SignificanceRequest:
    """What is asked of the differences.

    level         of the interval
    alternative   what counts against `null`: a mean that differs, is greater, or is less
    null          the mean under the hypothesis; other than 0 for margins
    resamples     how many random resamples a method may draw
    """

    level: float = 0.95
    alternative: Alternative = "two-sided"
    null: float = 0.0
    resamples: int = RESAMPLES


# Chance comes in through the door: the same generator state gives the same answer.
Infer = Callable[[Differences, SignificanceRequest, np.random.Generator], Answer]
# The columns of a matrix, queries by tests, answered together; resamples are shared by all columns.
InferMany = Callable[[Differences, SignificanceRequest, np.random.Generator], Sequence[Answer]]


@dataclass(frozen=True, slots=True, eq=False)
class Significance:
    """One item of the shelf. `page` is the module's docstring: what it assumes, when it fails, source, example.

    infer        interval and p-value of one set of differences
    infer_many   the same for many columns at once, where that is faster; else columns are taken one by one
    random       whether it draws resamples
    about        what the hypothesis speaks of: the mean, or something else that a reader may take for it
    warning      what its literature warns of; printed with every answer
    """

    name: str
    page: str
    infer: Infer
    infer_many: InferMany | None = None
    random: bool = False
    about: Literal["mean", "median", "sign"] = "mean"
    warning: str = ""

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def many(self, differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
        """An answer for each column."""
        if self.infer_many is not None:
            return list(self.infer_many(differences, question, rng))
        return [self.infer(column, question, rng) for column in differences.T]
