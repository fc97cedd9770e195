"""Live: the pipelines of a project's benchmark configuration, opened once and queried while people compare.

A query may take seconds: it runs in the thread of its request, never on the event loop, and one at a time for each
configuration. A request that waits longer than `PATIENCE` gets the answer to try again, so that no crowd of waiting
threads can keep others from judging. Answers are not taken from a cache of earlier ones: what is compared is what the
engines say now.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from starlette.requests import Request

from rankproof.reading.collection import Query
from rankproof.web.problems import Problem

if TYPE_CHECKING:
    from rankproof.stack.benchmark.records import BenchmarkConfig
    from rankproof.stack.engines.contract import Asker
    from rankproof.stack.pipeline import Runner
    from rankproof.stack.records import Step, StepOutcome

PATIENCE = 10.0  # seconds
CACHE = ".rankproof-cache"  # beside the configuration, as for the command line
_GUARD = Lock()


@dataclass(frozen=True, slots=True)
class PipelineAnswer:
    """A pipeline's answer: documents, best first, and what failed on the way.

    scores  one for each document, as the last step gave them; none where it gives none, or they were not kept
    """

    doc_ids: tuple[str, ...]
    failures: tuple[str, ...]
    scores: tuple[float, ...] = ()


class Stack:
    """The pipelines of one configuration, as its file was at one time."""

    def __init__(self, path: str) -> None:
        from rankproof.stack.benchmark.config import read_config

        self.config: BenchmarkConfig = read_config(path)
        self._lock = Lock()
        self._runner: Runner | None = None

    def ask(self, modes: Sequence[str], query: Query, depth: int) -> dict[str, PipelineAnswer]:
        """What these modes answer to a query, `depth` documents at most."""
        if not self._lock.acquire(timeout=PATIENCE):
            raise Problem(429, "The pipelines are busy with other queries.", "Try again in a moment.")
        try:
            steps = {mode: self.config.modes[mode] for mode in modes}
            if self._runner is None:
                self._runner = self._made()
            self._runner.open(list(steps.values()))
            running = self._runner.asking([query])
            outcomes = {mode: running.run(mode, step) for mode, step in steps.items()}
        finally:
            self._lock.release()
        return {
            mode: PipelineAnswer(
                tuple(outcome.rankings[0].doc_ids[:depth]),
                tuple(f"{failure.stage}: {failure.message}" for failure in outcome.failures),
                tuple(float(score) for score in outcome.rankings[0].scores[:depth]),
            )
            for mode, outcome in outcomes.items()
        }

    def documents(self, doc_ids: Sequence[str]) -> dict[str, dict[str, str]]:
        """The fields of documents that the corpus has, without empty ones."""
        corpus = self._runner.ground.corpus if self._runner is not None else None
        if corpus is None:
            return {}
        return {
            doc: {
                name: column[corpus.place[doc]] for name, column in corpus.fields.items() if column[corpus.place[doc]]
            }
            for doc in dict.fromkeys(doc_ids)
            if doc in corpus.place
        }

    def close(self) -> None:
        """Gives back what engines hold, once nobody asks them."""
        with self._lock:
            if self._runner is not None:
                self._runner.close()
            self._runner = None

    def _made(self) -> Runner:
        from rankproof.kernel.cache import FolderCache
        from rankproof.kernel.llm.spending import Spending
        from rankproof.reading.collect import read_run
        from rankproof.reading.datasets.read import read_dataset
        from rankproof.stack.asking.ask import ask_step
        from rankproof.stack.asking.limits import KEEP_NOTHING, Limits
        from rankproof.stack.pipeline import Runner
        from rankproof.stack.records import Ground

        config, limits = self.config, Limits(**self.config.limits)
        inside = ":" not in config.dataset and not os.path.isabs(config.dataset)
        where = os.path.join(config.folder, config.dataset) if inside else config.dataset
        dataset = read_dataset(where, split=config.split or None)

        def ask(asker: Asker, step: Step, queries: Sequence[Query], depth: int) -> StepOutcome:
            return ask_step(asker, step, queries, depth, limits=limits, keep=KEEP_NOTHING, seed=config.design.seed)

        cache = FolderCache(os.path.join(config.folder, CACHE))
        spending = None if config.ceiling is None else Spending(config.ceiling)
        ground = Ground(dataset.corpus, cache, config.folder, read_run=read_run, spending=spending)
        return Runner((), config.depth, ground, ask)


class Live:
    """The stacks of every configuration in use, each read again when its file changes."""

    def __init__(self) -> None:
        self._stacks: dict[str, tuple[float, Stack]] = {}
        self._lock = Lock()

    def stack(self, path: str) -> Stack:
        """The pipelines of the configuration at a path; an error that says what is wrong with it."""
        try:
            changed = os.stat(path).st_mtime
        except OSError:
            changed = 0.0  # reading says what is wrong
        with self._lock:
            cached = self._stacks.get(path)
            if cached is not None and cached[0] == changed:
                return cached[1]
            made = Stack(path)
            self._stacks[path] = (changed, made)
        if cached is not None:
            cached[1].close()
        return made


def live_of(request: Request) -> Live:
    """The pipelines of the application that got this request."""
    state = request.app.state
    with _GUARD:
        if not hasattr(state, "live"):
            state.live = Live()
    live = state.live
    assert isinstance(live, Live)
    return live


def read_answer(document: Mapping[str, object]) -> PipelineAnswer:
    """A pipeline's answer, from the stored document."""
    docs, failures, scores = document.get("doc_ids"), document.get("failures"), document.get("scores", [])
    assert isinstance(docs, list)
    assert isinstance(failures, list)
    assert isinstance(scores, list)
    return PipelineAnswer(tuple(map(str, docs)), tuple(map(str, failures)), tuple(map(float, scores)))
