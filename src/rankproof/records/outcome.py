"""Outcome: what the steps of a pipeline gave for every query, how long each took, what failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.records.pipeline import Step
from rankproof.records.ranking import Failure, Ranking


@dataclass(frozen=True, slots=True, eq=False)
class StepOutcome:
    """One step over all queries.

    rankings       in the order of the queries; none of a rewrite, which gives words
    milliseconds   the step's own time for each query; NaN where no answer came. Of an answer that was kept, the time
                   of the fetch that asked it
    identity       what the answers depend on besides the step itself: hashes of corpus and model, versions
    notes          what the step has to say about its answers, such as the recall of an approximate search
    kept           how many answers of a live engine come from an earlier fetch
    """

    step: Step
    rankings: tuple[Ranking, ...]
    milliseconds: NDArray[np.float64]
    failures: tuple[Failure, ...] = ()
    identity: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    kept: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ModeOutcome:
    """A named pipeline over all queries: the outcomes of its steps, in the order they ran. The last is the answer.

    A step that flows into several others is there once.
    """

    name: str
    pipeline: Step
    query_ids: tuple[str, ...]
    steps: tuple[StepOutcome, ...]
    depth: int

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """What the pipeline gives, in the order of the queries: the first `depth` of what its last step gave.

        A fusion gives more documents than each of its inputs; what comes after it sees them all.
        """
        return tuple(Ranking(r.doc_ids[: self.depth], r.scores[: self.depth]) for r in self.steps[-1].rankings)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Everything that failed and was survived, step by step."""
        return tuple(failure for outcome in self.steps for failure in outcome.failures)

    @property
    def milliseconds(self) -> NDArray[np.float64]:
        """What each query cost in all steps together; steps that could run side by side are added up all the same."""
        total: NDArray[np.float64] = np.sum([outcome.milliseconds for outcome in self.steps], axis=0)
        return total

    def by_step(self, what: Literal["identity", "notes"]) -> dict[str, dict[str, str]]:
        """What each step says of itself, by its name; by its text where two steps have one name."""
        names = [outcome.step.name for outcome in self.steps]
        told = {}
        for outcome in self.steps:
            name = outcome.step.name if names.count(outcome.step.name) == 1 else outcome.step.text
            told[name] = dict(outcome.identity if what == "identity" else outcome.notes)
        return told

    def as_run(self) -> dict[str, dict[str, float]]:
        """{query_id: {doc_id: score}}, as `evaluate` takes it."""
        return {
            query: dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))
            for query, ranking in zip(self.query_ids, self.rankings, strict=True)
        }
