"""What the verdict of a gate rests on: the comparison of both runs, and a manifest to get the same numbers again.

No rule looks at either of them, and a plain text verdict shows neither. They are made when somebody reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankproof.flow.case import GateCase
from rankproof.records.design import Design
from rankproof.records.evaluation import Evaluation
from rankproof.records.later import Later

if TYPE_CHECKING:
    from rankproof.records.comparison import Comparison
    from rankproof.records.manifest import ExperimentManifest


@dataclass(frozen=True, slots=True, eq=False)
class Grounds:
    """The candidate's evaluation, its comparison with the baseline and both on record, as far as there are any."""

    evaluation: Evaluation | None = None
    comparison: Later[Comparison | None] | None = None
    manifest: Later[Mapping[str, Any]] | None = None


def grounds_of(case: GateCase, evaluation: Evaluation) -> Grounds:
    """What the verdict on a case rests on, where something was measured."""
    policy = case.policy
    design = Design(
        significance=policy.significance, confidence=policy.confidence, resamples=policy.resamples, seed=policy.seed
    )
    named = (clause.values.get("segment", "") for clause in policy.clauses)
    by = tuple(dict.fromkeys(segment.partition("=")[0] for segment in named if segment))
    comparison = Later(lambda: None if case.baseline is None else _comparison(case, design, by))

    def manifest() -> Mapping[str, Any]:
        record = on_record(case, evaluation, comparison(), design, by)
        return {} if record is None else {k: v for k, v in record.to_dict().items() if k != "observed"}

    return Grounds(evaluation, comparison, Later(manifest))


def _comparison(case: GateCase, design: Design, by: tuple[str, ...]) -> Comparison:
    """The comparison of both runs in the measures of the policy, for reports that show more than the verdict."""
    from rankproof.flow.compare import compare_runs

    candidate, baseline = case.runs
    named = {case.names[1]: baseline, case.names[0]: candidate}
    return compare_runs(
        named, case.variants, case.settings, design, topics=case.topics, queries=case.policy.queries, by=by
    )


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
    from rankproof.flow.manifest import READING, Given, manifest_of

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
