"""Running: the steps of several pipelines over the same queries, each step once, however many pipelines share it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof import shelf
from rankproof.engines._contract import Engine
from rankproof.flow.pipelines.keeping import refuse_breach
from rankproof.records.collection import Query
from rankproof.records.ground import Ground
from rankproof.records.outcome import ModeOutcome, StepOutcome
from rankproof.records.pipeline import Step
from rankproof.records.ranking import Failure, Passed, Ranking
from rankproof.stages._contract import Stage

if TYPE_CHECKING:
    from rankproof.engines._contract import Asker

# Asks a live engine all queries and gives what came, with times and failures.
AskAll = Callable[["Asker", Step, Sequence[Query], int], StepOutcome]
# Told after each query of each step: the step's text, how many of its queries are done, how many there are.
Progress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Tells nobody."""


class Runner:
    """Runs pipelines. What a step gave is kept: a pipeline that begins like another one pays for its end only."""

    def __init__(
        self,
        queries: Sequence[Query],
        depth: int,
        ground: Ground,
        ask_all: AskAll | None = None,
        progress: Progress = silent,
    ) -> None:
        self.queries, self.depth, self.ground = tuple(queries), depth, ground
        self._ask_all, self._progress = ask_all, progress
        self._done: dict[str, StepOutcome] = {}
        self._opened: dict[str, Any] = {}

    def open(self, pipelines: Sequence[Step]) -> None:
        """Opens every item of every pipeline: what is missing or wrong is said before the first query is asked."""
        for pipeline in pipelines:
            for step in pipeline.steps():
                self._open(step)

    def close(self) -> None:
        """Gives back what live engines and model servers hold."""
        for opened in self._opened.values():
            if hasattr(opened, "close"):
                opened.close()

    def run(self, name: str, pipeline: Step) -> ModeOutcome:
        """One pipeline over all queries."""
        outcomes: dict[str, StepOutcome] = {}
        for step in pipeline.steps():
            if not self._rewrites(step):
                outcomes[step.key] = self._outcome(step)
        return ModeOutcome(
            name, pipeline, tuple(q.query_id for q in self.queries), tuple(outcomes.values()), self.depth
        )

    # ---- one step ------------------------------------------------------------------------------

    def _open(self, step: Step) -> Any:
        key = f"{step.shelf} {step.name} {sorted(step.values.items(), key=str)}"
        if key not in self._opened:
            self._opened[key] = shelf.find(step.shelf, step.name).open(step.values, self.ground)
        return self._opened[key]

    def _outcome(self, step: Step) -> StepOutcome:
        if step.key not in self._done:
            self._done[step.key] = self._engine(step) if step.shelf == "engines" else self._stage(step)
        return self._done[step.key]

    def _engine(self, step: Step) -> StepOutcome:
        engine: Engine = shelf.find("engines", step.name)
        queries = self._rewritten(step.inputs[0]) if step.inputs else self.queries
        opened = self._open(step)
        if engine.live:
            assert self._ask_all is not None, "a live engine needs somebody who asks it"
            asked = self._ask_all(opened, step, queries, self.depth)
            return replace(asked, failures=(*_rewriting(queries), *asked.failures))
        # What is built or loaded at first is not the time of a query.
        if hasattr(opened, "prepare"):
            opened.prepare()
        if queries:
            opened.search([queries[0]], self.depth)
        found = self._timed(
            step, queries, opened.identity, lambda at: Passed(opened.search([queries[at]], self.depth)[0])
        )
        return replace(found, failures=(*_rewriting(queries), *found.failures))

    def _stage(self, step: Step) -> StepOutcome:
        stage: Stage = shelf.find("stages", step.name)
        before = [self._outcome(flowing).rankings for flowing in step.inputs]
        opened = self._open(step)

        def one(at: int) -> Passed:
            passed: Passed = opened.apply([self.queries[at]], [[rankings[at] for rankings in before]])[0]
            return passed

        outcome = self._timed(step, self.queries, opened.identity, one)
        if stage.takes == "one":
            refuse_breach(stage, step, self.queries, before[0], outcome.rankings)
        return outcome

    def _timed(
        self,
        step: Step,
        queries: Sequence[Query],
        identity: Mapping[str, str],
        one: Callable[[int], Passed],
    ) -> StepOutcome:
        """One query after the other, as a service would answer them: the times are those of single queries."""
        rankings: list[Ranking] = []
        failures: list[Failure] = []
        times = np.full(len(queries), math.nan)
        for at in range(len(queries)):
            began = time.perf_counter()
            passed = one(at)
            if not passed.kept:  # what came from a cache took no time that means anything
                times[at] = 1000 * (time.perf_counter() - began)
            rankings.append(passed.ranking)
            failures += passed.failures
            self._progress(step.name, at + 1, len(queries))
        return StepOutcome(step, tuple(rankings), times, tuple(failures), dict(identity))

    # ---- rewrites ------------------------------------------------------------------------------

    def _rewrites(self, step: Step) -> bool:
        return step.shelf == "stages" and bool(shelf.find("stages", step.name).takes == "query")

    def _rewritten(self, step: Step) -> tuple[Query, ...]:
        """The queries as a rewrite, and those before it, give them."""
        before = self._rewritten(step.inputs[0]) if step.inputs else self.queries
        return tuple(self._open(step).rewrite(before))


def _rewriting(queries: Sequence[Query]) -> tuple[Failure, ...]:
    """What failed when the queries were rewritten; the original words stood in."""
    return tuple(failure for query in queries for failure in getattr(query, "failures", ()))
