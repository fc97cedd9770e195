"""Own steps: what a mode adds to the modes that it builds on."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rankproof import shelf
from rankproof.records.outcome import ModeOutcome, StepOutcome


def own_steps(mode: ModeOutcome, others: Collection[str]) -> Iterator[StepOutcome]:
    """From the last step back, up to a fusion, an engine, or a step that is another mode; `others` are their keys."""
    by_key = {outcome.step.key: outcome for outcome in mode.steps}
    step = mode.pipeline
    while True:
        yield by_key[step.key]
        if step.shelf == "engines" or step.fuses or step.inputs[0].key in others:
            return
        step = step.inputs[0]


def rerank_depth(outcome: StepOutcome) -> int | None:
    """How many of the first a rerank reorders; None for a step that is no rerank to a depth."""
    if outcome.step.shelf != "stages":
        return None
    stage = shelf.find("stages", outcome.step.name)
    if stage.keeps != "set" or stage.depth is None:
        return None
    return int(outcome.step.values[stage.depth])
