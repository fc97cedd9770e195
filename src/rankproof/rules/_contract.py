"""What an item on the rules shelf is: Rule, one thing a gate may ask; and the Case it is asked of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.measures._contract import Param
from rankproof.records.comparison import Contrast
from rankproof.records.estimate import Alternative, Answer
from rankproof.records.evaluation import Evaluation
from rankproof.records.finding import Finding
from rankproof.records.verdict import Ruling


class Case(Protocol):
    """What a rule may look at. Everything is computed when first asked for and then kept."""

    @property
    def candidate(self) -> str:
        """What the candidate is called."""

    @property
    def baseline(self) -> str | None:
        """What the baseline is called; None when the policy names none."""

    @property
    def level(self) -> float:
        """The confidence of one-sided bounds, 0.95 unless the policy says otherwise."""

    @property
    def findings(self) -> Sequence[Finding]:
        """What the checks found in the candidate's run."""

    @property
    def latencies(self) -> NDArray[np.float64] | None:
        """Milliseconds, one per request, from the candidate's latency file; None when there is none."""

    def evaluation(self, measure: str) -> Evaluation:
        """The candidate's evaluation, which holds the measure."""

    def contrast(self, measure: str, segment: str = "") -> Contrast:
        """Candidate against baseline; UsageError when the policy names no baseline."""

    def infer(self, values: NDArray[np.float64], null: float, alternative: Alternative, level: float) -> Answer:
        """Interval and p-value by the policy's significance method."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One item of the shelf. `page` is the module's docstring: what it asks, how it decides, an example.

    params   what a policy may say of it, with defaults; kinds check what came
    decide   the ruling for one entry of the policy, whose values have been read by `params`
    """

    name: str
    page: str
    params: tuple[Param, ...]
    decide: Callable[[Case, Mapping[str, Any]], Ruling]
    needs_baseline: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
