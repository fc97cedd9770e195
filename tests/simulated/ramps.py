"""Whole ramps on made-up users: every day is looked at, until the ramp commits or rolls back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankproof.online.ramp.look import of_days
from rankproof.online.ramp.records import RampDecision, RampPolicy, RampStep, StopRules
from rankproof.online.ramp.steps import next_step, standing
from rankproof.online.trial.days import Day, DayCell
from rankproof.online.trial.design import read_design
from rankproof.online.trial.moments import from_counts, moments_of

DESIGN = read_design(
    {
        "trial": {"name": "t", "control": "old", "shares": {"old": 0.5, "new": 0.5}, "method": "sequence(units=50000)"},
        "metric": [
            {"ready": "success"},
            {"name": "spent", "value": "spent", "role": "guardrail", "margin": 0.01},
            {
                "name": "left",
                "kind": "proportion",
                "value": "left",
                "better": "lower",
                "role": "guardrail",
                "margin": 0.01,
            },
        ],
    }
)
STEPS = tuple(RampStep(share, least_days=7) for share in (0.01, 0.05, 0.25, 0.5))
SUCCESS, LEFT = 0.3, 0.2


@dataclass(frozen=True)
class Change:
    """What the change does to users: success and leaving in shares of what they were, from a step on."""

    success: float = 0.0
    left: float = 0.0
    from_step: int = 1


def ramp(rng: np.random.Generator, change: Change, *, units: int, harm: str = "any") -> tuple[RampDecision, int]:
    """The last decision of a ramp, and the days at the step where it was made."""
    policy = RampPolicy("t", "", "", "", "", STEPS, StopRules(harm="any" if harm == "any" else "margin"))
    history = [RampDecision("ADVANCE", 0, 0.0, STEPS[0].share, ())]
    days: list[Day] = []
    while True:
        at = standing(history)
        done = change if at.step >= change.from_step else Change()
        days.append(_day(rng, at.share, done, units, len(days)))
        evidence, _ = of_days(policy, DESIGN, days)
        history.append(next_step(policy, history, evidence))
        if standing(history).over:
            return history[-1], len(days)
        if history[-1].action == "ADVANCE":
            days.clear()


def _day(rng: np.random.Generator, share: float, change: Change, units: int, number: int) -> Day:
    new = int(rng.binomial(units, share))
    moments = {}
    for name, n, by in (("old", units - new, Change()), ("new", new, change)):
        moments[DayCell("success", name)] = from_counts(int(rng.binomial(n, SUCCESS * (1 + by.success))), n)
        moments[DayCell("left", name)] = from_counts(int(rng.binomial(n, LEFT * (1 + by.left))), n)
        moments[DayCell("spent", name)] = moments_of(rng.lognormal(0.0, 1.0, n))  # a few spend very much
    return Day(
        trial=DESIGN.name,
        dates=(f"{number:04d}",),
        unit=DESIGN.unit,
        enter=DESIGN.enter,
        shares={"old": 1 - share, "new": share},
        metrics={metric.name: metric.collected() for metric in DESIGN.metrics},
        strata=(),
        segments=(),
        units={"old": units - new, "new": new},
        rows=units,
        moments=moments,
    )
