"""Supposed values: a rule decided again on what could have been seen, and the risk where it says something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.verdict import Ruling
from rankproof.proving.gate_case import GateCase
from rankproof.proving.rules.contract import Numbers, RuleSample

# How many standard errors below its mean a mixture of ends is made bad for: about as many as a 95% bound lies away.
STANDARD_ERRORS = 2.0
# Where a rule is decided again: each query at its least value, each at its greatest, and two mixtures. Of a mixture the
# mean is between the ends, and its bound may lie beyond those at both.
LEAST, GREATEST, MIXED = "least", "greatest", ("low mixture", "high mixture")
WOULD = {"PASS": "pass", "FAIL": "fail", "UNDECIDED": "be undecided"}


@dataclass(frozen=True, slots=True)
class Risk:
    """One thing that could change a ruling.

    text      which risk, how far it reaches, and what the rule would then say, in sentences
    decides   what would take the risk away, in a sentence
    """

    text: str
    decides: str


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The samples with the least and the greatest mean."""

    least: RuleSample
    greatest: RuleSample

    def at(self, up: NDArray[np.bool_]) -> RuleSample:
        """Each query at its greatest end where `up` says so, else at its least."""
        low, high = self.least, self.greatest
        before = None if low.before is None or high.before is None else np.where(up, high.before, low.before)
        return replace(low, values=np.where(up, high.values, low.values), before=before)

    def mixtures(self) -> Iterator[RuleSample]:
        """The mixtures of ends at which a lower bound is least, and an upper bound greatest."""
        low, high = _averaged(self.least), _averaged(self.greatest)
        yield self.at(_worst_mixture(low, high))
        yield self.at(~_worst_mixture(-high, -low))


def _averaged(sample: RuleSample) -> Numbers:
    return sample.values if sample.before is None else sample.values - sample.before


def _worst_mixture(low: Numbers, high: Numbers) -> NDArray[np.bool_]:
    """Which queries are at their greatest end where the mean less its standard errors is least.

    Raised from the least end, a query adds to the spread in proportion to its width times how far its middle lies above
    the mean. So queries are raised in the order of their middles, as many as make the bound least. For equal widths
    there is no worse mixture; for others it is a search, not a proof.
    """
    n = len(low)
    turn = np.argsort(-(low + high), kind="stable")
    total = low.sum() + np.concatenate(([0.0], np.cumsum((high - low)[turn])))
    squares = (low**2).sum() + np.concatenate(([0.0], np.cumsum((high**2 - low**2)[turn])))
    variance = np.maximum(squares - total**2 / n, 0.0) / max(n - 1, 1)
    raised = int(np.argmin(total / n - STANDARD_ERRORS * np.sqrt(variance / n)))
    up = np.zeros(n, dtype=bool)
    up[turn[:raised]] = True
    return up


class SupposedCase(GateCase):
    """The case with other values of one measure, or other judged rates."""

    def __init__(self, case: GateCase, sample: RuleSample | None = None, rates: dict[str, float] | None = None) -> None:
        self.__dict__.update(case.__dict__)  # what was read and measured is not read again
        self._sample, self._rates = sample, rates

    def values(self, measure: str, segment: str = "") -> RuleSample:
        """The values supposed."""
        return super().values(measure, segment) if self._sample is None else self._sample

    def changes(self, measure: str, segment: str = "") -> RuleSample:
        """The values supposed, of both sides."""
        return super().changes(measure, segment) if self._sample is None else self._sample

    def judged_rates(self, k: int, segment: str = "") -> dict[str, float]:
        """The rates supposed."""
        return super().judged_rates(k, segment) if self._rates is None else self._rates


@dataclass(frozen=True, slots=True)
class RiskWords:
    """How a risk is told: how the sentence begins, how its reach was obtained, and what would decide it."""

    lead: str
    how: str
    decides: str


def told_risk(
    ruling: Ruling, answers: Mapping[str, Ruling], words: RiskWords, shown: Callable[[float], str], only: str = ""
) -> Iterator[Risk]:
    """The risk, where one of the answers is another one than the ruling."""
    other = {at: answer.status for at, answer in answers.items() if answer.status != ruling.status and only in ("", at)}
    if not other:
        return
    at, status = next(iter(other.items()))
    where = "with some queries at each end" if at in MIXED else "at one end of it"
    seen = sorted(end.observed for end in (ruling, *answers.values()) if end.observed is not None)
    reach = (
        f"what was observed could be anything from {shown(seen[0])} to {shown(seen[-1])}" if seen else "it can change"
    )
    yield Risk(f"{words.lead} {reach}{words.how}, and {where} the rule would {WOULD[status]}.", words.decides)
