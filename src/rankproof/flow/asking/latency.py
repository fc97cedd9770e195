"""Latency: how long the answers of one fetch took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankproof.records.ranking import Answered
from rankproof.rules._percentile import nearest_rank


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds by nearest rank: each is the time of a request that was made. None where nothing was timed.

    timed      answers whose time is known
    unanswered queries without an answer: they have no time, so read the percentiles with this number beside them
    """

    timed: int
    unanswered: int
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None

    def to_dict(self) -> dict[str, int | float | None]:
        """As JSON has it."""
        return {name: getattr(self, name) for name in self.__slots__}


def latency_of(answers: Iterable[Answered]) -> Latency:
    """The summary of a fetch."""
    answers = list(answers)
    times = np.array([a.milliseconds for a in answers if a.milliseconds is not None and not a.failures])
    unanswered = sum(any(failure.fallback == "no answer" for failure in a.failures) for a in answers)
    if not len(times):
        return Latency(0, unanswered)
    p50, p95, p99 = (nearest_rank(times, share) for share in (0.5, 0.95, 0.99))
    return Latency(len(times), unanswered, p50, p95, p99, float(times.max()))
