"""Steps: a live engine as a step of a pipeline, asked for a Runner."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rankproof.engines._contract import Asker
from rankproof.flow.asking.ask import Progress, ask_all
from rankproof.flow.asking.keeping import Keeper
from rankproof.flow.asking.limits import Limits
from rankproof.records.collection import Query
from rankproof.records.outcome import StepOutcome
from rankproof.records.pipeline import Step


def ask_step(
    asker: Asker,
    step: Step,
    queries: Sequence[Query],
    depth: int,
    *,
    limits: Limits,
    keep: Keeper,
    seed: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> StepOutcome:
    """What a live engine gives as a step. Times of answers that were kept are those of the fetch that asked them."""
    chance = np.random.default_rng([seed, int(step.key[:16], 16)])
    answers = ask_all(asker, queries, depth, limits, keep, chance, on_progress, stage=step.name, engine=step.key)
    times = np.array([math.nan if a.milliseconds is None else a.milliseconds for a in answers], dtype=np.float64)
    failures = tuple(failure for a in answers for failure in a.failures)
    kept = sum(answer.kept for answer in answers)
    return StepOutcome(step, tuple(a.ranking for a in answers), times, failures, dict(asker.identity), kept=kept)
