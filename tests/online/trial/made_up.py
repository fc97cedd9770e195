"""Made-up trials for tests: a design, and days of units drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankproof.online.trial.days import Day, DayCell
from rankproof.online.trial.design import read_design
from rankproof.online.trial.moments import from_counts, moments_of, tally_of
from rankproof.online.trial.records import TrialDesign

HALVES = {"old": 0.5, "new": 0.5}
SUCCESS: dict[str, Any] = {"ready": "success"}
LATENCY: dict[str, Any] = {"ready": "latency", "role": "guardrail", "margin": 0.15}


def design(*metrics: Mapping[str, Any], **trial: Any) -> TrialDesign:
    """A design of an old and a new ranking, half of the traffic each, unless said otherwise."""
    head = {"name": "made up", "control": "old", "shares": HALVES, "method": "sequence(units=4000)", **trial}
    return read_design({"trial": head, "metric": list(metrics or (SUCCESS,))})


def successes(
    asked: TrialDesign, date: str, counts: Mapping[str, tuple[int, int]], shares: Mapping[str, float] | None = None
) -> Day:
    """A day with so many successes of so many units in each variant."""
    moments = {DayCell("success", name): from_counts(*found) for name, found in counts.items()}
    return day(asked, date, {name: n for name, (_, n) in counts.items()}, moments, shares=shares)


def day(
    asked: TrialDesign,
    date: str,
    units: Mapping[str, int],
    moments: Mapping[DayCell, Any],
    tallies: Mapping[DayCell, Any] | None = None,
    shares: Mapping[str, float] | None = None,
) -> Day:
    """A day as a collection by the design would give it."""
    return Day(
        trial=asked.name,
        dates=(date,),
        unit=asked.unit,
        enter=asked.enter,
        shares=dict(shares or asked.shares),
        metrics={metric.name: metric.collected() for metric in asked.metrics},
        strata=asked.columns.strata,
        segments=asked.columns.segments,
        units=dict(units),
        rows=sum(units.values()),
        moments=dict(moments),
        tallies=dict(tallies or {}),
    )


def drawn(
    asked: TrialDesign,
    date: str,
    rng: np.random.Generator,
    *,
    units: int = 1_000,
    success: Mapping[str, float] | None = None,
    latency: Mapping[str, float] | None = None,
) -> Day:
    """A day of random units: each succeeds with its variant's probability, latency is lognormal around its median."""
    counts = dict(zip(asked.shares, rng.multinomial(units, list(asked.shares.values())).tolist(), strict=True))
    moments, tallies = {}, {}
    for name, n in counts.items():
        likely, median = (success or {}).get(name, 0.3), (latency or {}).get(name, 100.0)
        moments[DayCell("success", name)] = moments_of((rng.random(n) < likely).astype(float))
        tallies[DayCell("latency", name)] = tally_of(np.round(rng.lognormal(np.log(median), 0.5, n), 1).tolist())
    known = {metric.name for metric in asked.metrics}
    return day(
        asked,
        date,
        counts,
        {cell: found for cell, found in moments.items() if cell.metric in known},
        {cell: found for cell, found in tallies.items() if cell.metric in known},
    )
