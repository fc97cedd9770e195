"""Scores of 0 and 1 in two systems: what tests and intervals do, counted over all outcomes and not simulated.

n units have (n + 1)(n + 2) / 2 outcomes, by how many were gained and how many lost. Every one is answered once; its
probability under any two rates then gives coverage, false alarms and power exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance.contract import Significance, SignificanceRequest

Numbers = NDArray[np.float64]
Method = Literal["mcnemar", "t_or_gaffke", "t"]
# The rates of gains and of losses whose power and length are told: 18% of the units change, most for the better.
GAINS, LOSSES = 0.15, 0.03
SIZES = (10, 20, 50)
BINARY_HEAD = "method | units | most false alarms | least coverage | mean length | power"


@dataclass(frozen=True, slots=True, eq=False)
class AllOutcomes:
    """The answers to every outcome of n units: ends of the intervals, and p-values; none is -inf, inf and 1."""

    n: int
    gained: Numbers
    lost: Numbers
    low: Numbers
    high: Numbers
    p_values: Numbers

    def probabilities(self, gains: float, losses: float) -> Numbers:
        """Of each outcome, where units are gained and lost at these rates."""
        from scipy.special import gammaln, xlogy

        rest = self.n - self.gained - self.lost
        ways = gammaln(self.n + 1) - gammaln(self.gained + 1) - gammaln(self.lost + 1) - gammaln(rest + 1)
        parts = xlogy(self.gained, gains) + xlogy(self.lost, losses) + xlogy(rest, max(0.0, 1 - gains - losses))
        return np.asarray(np.exp(ways + parts), dtype=np.float64)

    def covers(self, gains: float, losses: float) -> float:
        """How often the interval holds the true difference."""
        truth = gains - losses
        inside = (self.low <= truth + 1e-12) & (truth - 1e-12 <= self.high)
        return float(self.probabilities(gains, losses)[inside].sum())

    def rejects(self, gains: float, losses: float, alpha: float = 0.05) -> float:
        """How often the p-value is at most alpha."""
        return float(self.probabilities(gains, losses)[self.p_values <= alpha].sum())

    def length(self, gains: float, losses: float) -> float:
        """The mean length of the interval, where it is cut off at -1 and 1."""
        lengths = np.minimum(self.high, 1.0) - np.maximum(self.low, -1.0)
        return float(self.probabilities(gains, losses) @ lengths)


def all_outcomes(method: Method, n: int, request: SignificanceRequest | None = None) -> AllOutcomes:
    """Every outcome of n units, answered by a method; by t or Gaffke as if values between 0 and 1 were possible."""
    item: Significance = shelf.find("significance", method)
    request = request or SignificanceRequest(low=-1.0, high=1.0)
    counts = [(gained, lost) for gained in range(n + 1) for lost in range(n + 1 - gained)]
    columns = np.zeros((n, len(counts)))
    for at, (gained, lost) in enumerate(counts):
        columns[:gained, at], columns[gained : gained + lost, at] = 1.0, -1.0
    answers = item.many(columns, request, np.random.default_rng(0))
    ends = [(a.low, a.high, a.p_value) if isinstance(a, Estimate) else (-np.inf, np.inf, 1.0) for a in answers]
    gained, lost = np.array(counts, dtype=np.float64).T
    low, high, p_values = np.array(ends).T
    return AllOutcomes(n, gained, lost, low, high, p_values)


def rates(points: int = 61) -> Iterator[tuple[float, float]]:
    """Pairs of rates of gains and losses, closer together where changes are rare."""
    each = np.unique(np.concatenate([np.linspace(0.0, 1.0, points), np.linspace(0.0, 0.1, points // 3)])).tolist()
    yield from ((gains, losses) for gains in each for losses in each if gains + losses <= 1.0)


def least_coverage(of: AllOutcomes, points: int = 61) -> float:
    """The least over all pairs of rates."""
    return min(of.covers(*pair) for pair in rates(points))


def most_false_alarms(of: AllOutcomes, alpha: float = 0.05, points: int = 201) -> float:
    """The most over all rates at which as many units are gained as lost."""
    return max(of.rejects(rate, rate, alpha) for rate in np.linspace(0.0, 0.5, points).tolist())


def binary_rows() -> Iterator[str]:
    """A row for each method and number of units, as docs/statistics.md shows them."""
    names: dict[Method, str] = {"mcnemar": "`mcnemar`", "t_or_gaffke": "t or Gaffke", "t": "`t`"}
    for n in SIZES:
        for method, name in names.items():
            of = all_outcomes(method, n)
            yield (
                f"| {name} | {n} | {most_false_alarms(of):.1%} | {least_coverage(of):.1%} | "
                f"{of.length(GAINS, LOSSES):.2f} | {of.rejects(GAINS, LOSSES):.0%} |"
            )
