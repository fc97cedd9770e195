"""Precision and recall as the rules read them: against the best that any ranking could reach on these judgments.

A query with one relevant document can have a P@10 of 0.1 at most, one with 300 an R@100 of 0.33: such values are not
low, they are as high as they go. So a rule looks at the value over the best value possible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankproof.proving.diagnoses.contract import Chart

# What a person looks at, and what a reranker or a patient reader gets.
TOP, DEEP = 10, 100

# Where people call recall high: with four of five relevant documents at hand, a better order is worth more than a
# better search. Low: most relevant documents are out of the reach of anything that comes after.
HIGH_RECALL, LOW_RECALL = 0.8, 0.5
# More than half of what the first page could hold of relevant documents is there; less than a third is.
HIGH_PRECISION, LOW_PRECISION = 0.6, 0.3


@dataclass(frozen=True, slots=True)
class Reached:
    """A mean, and the mean of the best values possible."""

    name: str
    value: float
    best: float

    @property
    def share(self) -> float:
        """The value over the best one."""
        return self.value / self.best

    def __str__(self) -> str:
        at_most = f" of at most {self.best:.3f}" if self.best < 0.9995 else ""
        return f"{self.name} is {self.value:.3f}{at_most}"


def precision(chart: Chart, k: int = TOP) -> Reached:
    """P@k: no ranking can show more relevant documents than there are."""
    best = float((np.minimum(chart.relevant, k) / k).mean())
    return Reached(f"P@{k}", chart.value(f"P(rel={chart.level})@{k}"), best)


def recall(chart: Chart, k: int = DEEP) -> Reached:
    """R@k: no k documents can hold more than k relevant ones."""
    best = float((np.minimum(chart.relevant, k) / chart.relevant).mean())
    return Reached(f"R@{k}", chart.value(f"R(rel={chart.level})@{k}"), best)
