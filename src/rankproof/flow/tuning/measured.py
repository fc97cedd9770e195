"""Measured: the value of a pipeline by query, kept on disk: a search that was killed goes on without asking again.

The key of what is kept has everything that the values depend on: documents, queries and judgments, the pipeline and
what its steps say they rest on, the measure, the depth, the version.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from hashlib import sha256

from rankproof import __version__
from rankproof.flow.joining import join_run, prepare_qrels
from rankproof.flow.measuring import measure_run
from rankproof.flow.paired import paired
from rankproof.flow.pipelines.running import Runner
from rankproof.measures._text import parse
from rankproof.records.dataset import Dataset
from rankproof.records.jsontext import to_json
from rankproof.records.pipeline import Step
from rankproof.records.settings import DEFAULT_SETTINGS

# Pipelines whose steps stay in memory besides the one as written: a search often comes back to what it just had.
REMEMBERED = 8


@dataclass(frozen=True, slots=True)
class Measured:
    """One pipeline. `by_query` are the values that are compared, on the scale of the comparison (see `Paired`)."""

    mean: float
    by_query: dict[str, float]
    scale: str
    failures: int = 0


class Measurer:
    """Measures pipelines on one dataset. `computed` counts those that were run, `kept` those found on disk."""

    def __init__(self, runner: Runner, dataset: Dataset, measure: str, home: Step) -> None:
        self._runner, self._variants, self._measure, self._home = runner, parse([measure]), measure, home
        self._judged = prepare_qrels(dataset.qrels)
        ids = "\n".join(query.query_id for query in runner.queries)
        self._ground = f"{dataset.content_hash} {sha256(ids.encode('utf-8', 'surrogateescape')).hexdigest()}"
        self._recent: deque[Step] = deque(maxlen=REMEMBERED)
        self.computed = self.kept = 0

    def __call__(self, pipeline: Step) -> Measured:
        """The pipeline's values: kept, or computed now and kept."""
        self._recent.append(pipeline)
        self._runner.forget([self._home, *self._recent])
        key = self._key(pipeline)
        found = _read(self._runner.ground.cache.get(key))
        if found is not None:
            self.kept += 1
            return found
        found = self._run(pipeline)
        self.computed += 1
        if not found.failures:  # a failure may not come again, and is no value of the setting
            self._runner.ground.cache.put(key, _written(found))
        return found

    def _run(self, pipeline: Step) -> Measured:
        outcome = self._runner.run("tuned", pipeline)
        evaluation = measure_run(join_run(self._judged, outcome.as_run()), self._variants, DEFAULT_SETTINGS)
        values = paired([evaluation], self._measure)
        by_query = dict(zip(values.query_ids, values.values[:, 0].tolist(), strict=True))
        return Measured(evaluation[self._measure].mean, by_query, values.scale, len(outcome.failures))

    def _key(self, pipeline: Step) -> str:
        rests_on = to_json([dict(sorted(said.items())) for said in self._runner.identity(pipeline)])
        words = (self._ground, pipeline.key, rests_on, self._measure, str(self._runner.depth), __version__)
        return "\n".join(("tune 1", *words))


def _written(found: Measured) -> bytes:
    return to_json({"mean": found.mean, "by_query": found.by_query, "scale": found.scale}).encode()


def _read(data: bytes | None) -> Measured | None:
    if data is None:
        return None
    told = json.loads(data)
    return Measured(told["mean"], told["by_query"], told["scale"])
