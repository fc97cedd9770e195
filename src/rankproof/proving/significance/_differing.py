"""The queries whose difference is not the tested one, as whole numbers: ranks, ties and zeros are then exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.significance.contract import SAME, Differences, SignificanceRequest, not_estimable


@dataclass(frozen=True, slots=True, eq=False)
class Differing:
    """Differences less the tested one, sorted, in steps of `unit`; those that are 0 left out.

    Two differences that should be equal often are not in the last bit (0.3 - 0.1 and 0.2): a step is wider than that
    and far narrower than any difference that means something.
    """

    steps: NDArray[np.int64]
    unit: float
    null: float

    def back(self, steps: float) -> float:
        """A number of steps as a difference."""
        return self.null + steps * self.unit


def differing(differences: Differences, question: SignificanceRequest, method: str) -> Differing | NotEstimable:
    """The differences that a method without zeros uses; NotEstimable where none is left."""
    why = not_estimable(differences, method)
    if why is not None:
        return why
    unit = SAME * max(float(np.abs(differences).max()), abs(question.null))
    steps = np.sort(np.rint((differences - question.null) / unit).astype(np.int64))
    return Differing(steps[steps != 0], unit, question.null)


def left_out(differences: Differences, differing_queries: Differing) -> tuple[str, ...]:
    """A note on the queries that do not count, where there are any."""
    lost = len(differences) - len(differing_queries.steps)
    if not lost:
        return ()
    queries = "1 query has" if lost == 1 else f"{lost} queries have"
    return (f"{queries} no difference from {differing_queries.null:.6g} and {'is' if lost == 1 else 'are'} left out",)
