"""Prices: what a query costs besides time, as somebody who pays for it says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from rankproof.records.pipeline import Step


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of 1,000 queries, by engine or stage, and by mode where a mode has a price of its own."""

    currency: str = ""
    steps: Mapping[str, float] = field(default_factory=dict)
    modes: Mapping[str, float] = field(default_factory=dict)

    def of(self, mode: str, pipeline: Step) -> float:
        """What 1,000 queries cost: the mode's own price, or the sum over its steps; what is not named costs nothing."""
        if mode in self.modes:
            return self.modes[mode]
        steps = {step.key: step.name for step in pipeline.steps()}  # one that flows twice runs once
        return math.fsum(self.steps.get(name, 0.0) for name in steps.values())
