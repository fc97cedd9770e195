"""Rescues: the relevant documents that a fusion brought into its head, and those it pushed out."""

from __future__ import annotations

from rankproof.records.benchmark import Rescue
from rankproof.records.outcome import ModeOutcome, StepOutcome
from rankproof.records.qrels import Qrels


def rescue_of(mode: ModeOutcome, grades: Qrels, k: int, level: int = 1) -> Rescue | None:
    """Of the mode's last step; None where that is no fusion."""
    last = mode.steps[-1]
    if not last.step.fuses:
        return None
    by_key = {outcome.step.key: outcome for outcome in mode.steps}
    inputs = {step.text: by_key[step.key] for step in last.step.inputs}
    relevant = [{doc for doc, grade in grades.get(q, {}).items() if grade >= level} for q in mode.query_ids]
    fused = _heads(last, k)
    rescued = dict.fromkeys(inputs, 0)
    dropped = 0
    heads = {text: _heads(outcome, k) for text, outcome in inputs.items()}
    for at, good in enumerate(relevant):
        for text in inputs:
            rescued[text] += len(good & fused[at] - heads[text][at])
        dropped += len(good & set().union(*(head[at] for head in heads.values())) - fused[at])
    return Rescue(k, rescued, dropped)


def _heads(outcome: StepOutcome, k: int) -> list[set[str]]:
    return [set(ranking.doc_ids[:k]) for ranking in outcome.rankings]
