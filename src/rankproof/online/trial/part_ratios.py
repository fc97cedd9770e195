"""Sample ratios of parts: whether units came in the planned shares on each day, in each stratum and each segment.

A part is tested at every look, so its test is valid at all looks together: the mixture of multinomial likelihoods over
shares near the planned ones (Lindon and Malek, Anytime-valid inference for multinomial count data, NeurIPS 2022), which
holds for any number of units. Of the error budget of 0.001 one half is for days, of which the d-th gets 1 / (d (d +
1)), so that all days ever to come have the half together; the other half is divided over strata and segments.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.online.trial.days import Day

# How probable it may be that some part looks wrong in a sound trial, over all parts and looks together.
ALARM = 0.001
# How near to the plan the shares are looked for: as many units weigh as much as what was planned. The mean of the four
# is a mixture too.
WEIGHTS = (10.0, 100.0, 1_000.0, 10_000.0)
Period = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class PartRatio:
    """The units of one part, by variant, against those planned.

    part       "2026-11-03", or such as "device=phone"
    p_value    valid at all looks together
    alpha      the part's share of the error budget
    """

    part: str
    observed: Mapping[str, int]
    expected: Mapping[str, float]
    p_value: float
    alpha: float

    @property
    def holds(self) -> bool:
        """Whether it may be chance."""
        return self.p_value > self.alpha


def part_ratios(days: Sequence[Day], spread: float = 1.0, alarm: float = ALARM) -> tuple[PartRatio, ...]:
    """All parts: days in their order, then strata and segments by name.

    spread   of units that count on several days: over the days of a part they say so many times less
    alarm    how probable it may be that some part looks wrong and is not
    """
    single = sorted(
        (day for day in days if len(day.dates) == 1), key=lambda day: (day.dates, sorted(day.shares.items()))
    )
    by_day = [
        ratio_of(day.dates[0], [(day.units, day.shares)], alarm / 2 / (number * (number + 1)))
        for number, day in enumerate(single, start=1)
    ]
    cells = _cells(days)
    return (
        *by_day,
        *(ratio_of(part, periods, alarm / 2 / len(cells), spread) for part, periods in sorted(cells.items())),
    )


def _cells(days: Sequence[Day]) -> dict[str, list[tuple[Counter[str], Mapping[str, float]]]]:
    """Units by stratum and by segment, for each set of planned shares."""
    cells: dict[str, dict[Period, tuple[Counter[str], Mapping[str, float]]]] = {}
    for day in days:
        for cell, n in day.trace.cells.items() if day.trace is not None else ():
            periods = cells.setdefault(cell.segment or cell.stratum, {})
            counts, _ = periods.setdefault(
                tuple(sorted(day.shares.items())), (Counter(dict.fromkeys(day.shares, 0)), day.shares)
            )
            # A column that names strata and segments has its units in both: they are counted once.
            if cell.segment or not _is_segment(cell.stratum, day):
                counts[cell.variant] += n
    return {part: list(periods.values()) for part, periods in cells.items()}


def _is_segment(stratum: str, day: Day) -> bool:
    return any(stratum.startswith(f"{column}=") for column in day.segments) and ", " not in stratum


def ratio_of(
    part: str, periods: Sequence[tuple[Mapping[str, int], Mapping[str, float]]], alpha: float, spread: float = 1.0
) -> PartRatio:
    """The ratio of one part, over periods of planned shares: units by variant, and shares, of each."""
    names = list(dict.fromkeys(name for counts, _ in periods for name in counts))
    logs = np.zeros(len(WEIGHTS))
    for counts, shares in periods:
        logs += [log_mixture({name: n / spread for name, n in counts.items()}, shares, weight) for weight in WEIGHTS]
    log_evidence = float(logs.max() + math.log(float(np.exp(logs - logs.max()).mean())))
    return PartRatio(
        part,
        {name: sum(counts.get(name, 0) for counts, _ in periods) for name in names},
        {name: math.fsum(sum(counts.values()) * shares.get(name, 0.0) for counts, shares in periods) for name in names},
        min(1.0, math.exp(-log_evidence) if log_evidence > 0 else 1.0),
        alpha,
    )


def log_mixture(counts: Mapping[str, float], shares: Mapping[str, float], weight: float) -> float:
    """The logarithm of the likelihood under shares drawn near the planned ones, over that under the planned ones.

    >>> round(log_mixture({"old": 60, "new": 40}, {"old": 0.5, "new": 0.5}, 100.0), 3)
    0.653
    """
    n = sum(counts.values())
    return math.fsum(
        [
            math.lgamma(weight) - math.lgamma(weight + n),
            *(
                math.lgamma(weight * share + counts.get(name, 0))
                - math.lgamma(weight * share)
                - counts.get(name, 0) * math.log(share)
                for name, share in shares.items()
            ),
        ]
    )
