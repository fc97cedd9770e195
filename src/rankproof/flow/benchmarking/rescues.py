"""Rescues: the relevant documents that a fusion brought into its head, and those it pushed out."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rankproof.flow.benchmarking.own import own_steps
from rankproof.records.benchmark import Rescue
from rankproof.records.outcome import ModeOutcome, StepOutcome
from rankproof.records.qrels import Qrels


def rescue_of(
    mode: ModeOutcome, grades: Qrels, k: int, names: Mapping[str, str] | None = None, others: Collection[str] = ()
) -> Rescue | None:
    """Of the fusion among the mode's own steps; None where there is none. `names` are of modes, by key."""
    fusion = next((found for found in own_steps(mode, others) if found.step.fuses), None)
    if fusion is None:
        return None
    by_key = {outcome.step.key: outcome for outcome in mode.steps}
    named = names or {}
    heads = {named.get(step.key, step.text): _heads(by_key[step.key], k) for step in fusion.step.inputs}
    fused = _heads(fusion, k)
    rescued, lost = dict.fromkeys(heads, 0), dict.fromkeys(heads, 0)
    relevant = dropped = new = 0
    for at, query in enumerate(mode.query_ids):
        good = {doc for doc, grade in grades.get(query, {}).items() if grade > 0}
        shown = good & fused[at]
        before = good & set().union(*(head[at] for head in heads.values()))
        for name, head in heads.items():
            rescued[name] += len(shown - head[at])
            lost[name] += len(good & head[at] - shown)
        relevant += len(shown)
        dropped += len(before - shown)
        new += len(shown - before)
    return Rescue(k, relevant, rescued, lost, dropped, new)


def _heads(outcome: StepOutcome, k: int) -> list[set[str]]:
    return [set(ranking.doc_ids[:k]) for ranking in outcome.rankings]
