"""The manifest of a gate: what its verdict rests on, so that the same numbers can be had again."""

from __future__ import annotations

from typing import Any

from rankproof.flow.case import GateCase
from rankproof.flow.manifest import READING, Given, manifest_of
from rankproof.records.comparison import Comparison
from rankproof.records.design import Design
from rankproof.records.evaluation import Evaluation
from rankproof.records.manifest import ExperimentManifest


def on_record(
    case: GateCase,
    evaluation: Evaluation | None,
    comparison: Comparison | None,
    design: Design,
    by: tuple[str, ...],
) -> ExperimentManifest | None:
    """The manifest of the comparison, or of the candidate alone; None where nothing was measured."""
    if evaluation is None:
        return None
    policy = case.policy
    others: dict[str, Any] = {"topics": policy.topics, "latency": policy.latency, "policy": policy.source}
    shared: dict[str, Any] = {
        "reading": {name: value for name, value in policy.choices.items() if name in READING},
        "others": {role: source for role, source in others.items() if isinstance(source, str) and source},
        "name": policy.name,
    }
    qrels, candidate = Given(policy.qrels, case.qrels), Given(policy.candidate, case.runs[0])
    if comparison is None:
        return manifest_of([evaluation], qrels, [candidate], **shared)
    baseline = Given(policy.baseline, case.runs[1])
    return manifest_of(comparison, qrels, [baseline, candidate], design=design, queries=policy.queries, by=by, **shared)
