"""RampPolicy: how a change goes from an offline gate to all traffic: steps, what each asks, and what stops it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from rankproof.errors import UsageError

# What a step asks for before it is left for the next one, beside its days and units:
#   no_harm      nothing is shown to be worse
#   guardrails   every guardrail is shown to hold
#   pass         the trial's whole verdict is PASS
Advance = Literal["no_harm", "guardrails", "pass"]
# When harm to a metric stops the ramp: shown to be beyond the margin it was given, or shown at all.
Harm = Literal["margin", "any"]
Stop = Literal["stop", "hold"]
# As for the sample ratio of any trial; less where that would leave too little for the metrics.
RATIO_ALARM = 0.001


@dataclass(frozen=True, slots=True)
class RampStep:
    """One share of traffic and what it takes to leave it.

    share         of units that get the change, above 0 and below 1: all traffic is what a ramp ends with
    least_days    days of evidence at this share before it may be left
    least_units   units of all variants together, at this share
    most_days     days after which the ramp stops where the step was not left; None: it holds on
    """

    share: float
    least_days: int = 1
    least_units: int = 0
    most_days: int | None = None
    advance: Advance = "no_harm"

    def __post_init__(self) -> None:
        if self.most_days is not None and self.most_days < self.least_days:
            raise UsageError(
                f"The step at {percent(self.share)} asks for {self.least_days} days at least and allows "
                f"{self.most_days} at most. Raise most_days, or lower least_days."
            )


@dataclass(frozen=True, slots=True)
class StopRules:
    """What stops the ramp and rolls it back; "hold" leaves it to a person and keeps the share as it is.

    harm           "margin": a metric may be worse by the margin that the design gives it; "any": not at all
    decision       what follows when a metric that decides is shown to miss its goal, or to be worse
    sample_ratio   what follows when units did not come in the planned shares
    least_units    in each variant, before a metric may stop the ramp: always-valid bounds hold for many units; with
                   fewer, what looks worse holds it
    """

    harm: Harm = "margin"
    decision: Stop = "stop"
    sample_ratio: Stop = "stop"
    least_units: int = 100


@dataclass(frozen=True, slots=True, eq=False)
class RampPolicy:
    """A ramp with every choice made. Paths are as they are opened from here.

    trial         the file of the trial's design
    gate          the file of the offline gate's policy; "" where the ramp begins with its first step
    days          the folder that day files are put into
    state         the file that keeps every decision
    false_alarm   how probable a roll-back of a harmless change may be, over all steps and looks together
    rules         the documents of policy, design and gate as they were read: a ramp keeps the rules it began with
    """

    name: str
    trial: str
    gate: str
    days: str
    state: str
    steps: tuple[RampStep, ...]
    stops: StopRules = StopRules()
    false_alarm: float = 0.05
    source: str = ""
    rules: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.steps:
            raise UsageError("A ramp has one step or more.")
        shares = [step.share for step in self.steps]
        if any(not (math.isfinite(share) and 0 < share < 1) for share in shares):
            raise UsageError(
                f"Shares of steps lie above 0 and below 1; {_listed(shares)} came. All traffic comes after the last "
                "step."
            )
        if any(later <= sooner for sooner, later in pairwise(shares)):
            raise UsageError(f"Each step has a greater share than the one before it; {_listed(shares)} came.")

    @property
    def ratio_alarm(self) -> float:
        """How probable it may be, at all looks of one step together, that shares look wrong and are not."""
        return min(RATIO_ALARM, self.false_alarm / len(self.steps) / 10)

    @property
    def confidence(self) -> float:
        """Of what metrics decide within one step: the allowed false alarm is split evenly over the steps.

        Within a step the method is valid at all looks together. A harmless change is rolled back when any of the steps
        raises a false alarm, by a metric or by its shares, and the probabilities of that add up to `false_alarm` at
        most (Bonferroni).
        """
        return 1 - (self.false_alarm / len(self.steps) - self.ratio_alarm)


def percent(share: float) -> str:
    """A share of traffic as text.

    >>> percent(0.05), percent(0.025), percent(1.0)
    ('5%', '2.5%', '100%')
    """
    return f"{share * 100:.10g}%"


def _listed(shares: list[float]) -> str:
    return ", ".join(map(percent, shares))
