"""A run file answers: the rankings of another system, or of another day, as the beginning of a pipeline.

Any file that `rankproof evaluate` reads as a run. Documents stand as they are ranked there, with their scores;
distances have their sign turned, and where there are only ranks the scores go from n down to 1. A query that the
file does not have gets no documents. Queries are told apart by id: a rewrite before it changes nothing.

shown on: in this process, in every run of the tests
assumes: the file ranks the same documents that are judged
source: the run format of TREC, as trec_eval reads it

>>> from rankproof.testing import replayed
>>> replayed({"q1": {"a": 0.5, "b": 2.5, "c": 0.5}}, "q1")
{'b': 2.5, 'c': 0.5, 'a': 0.5}
>>> replayed({"q1": {"a": 0.5, "b": 2.5, "c": 0.5}}, "q1", depth=2)
{'b': 2.5, 'c': 0.5}
>>> replayed({"q1": {"a": 0.5, "b": 2.5, "c": 0.5}}, "q2")
{}
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from rankproof.errors import UsageError
from rankproof.kernel.specs.kinds import REQUIRED, Param, Path
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.reading.records import Run
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Ground, Values

PARAMS = (Param("path", Path(), REQUIRED, "the run file"),)


class _Replay:
    def __init__(self, run: Run) -> None:
        self.identity = {"run": run.content_hash}
        self._rankings = {query: (docs, scores) for query, docs, scores in run.rankings(as_scores=True)}

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        rankings = [self._rankings.get(query.query_id, ((), ())) for query in queries]
        return [Ranking(tuple(docs[:depth]), np.array(scores[:depth], dtype=np.float64)) for docs, scores in rankings]


def open_replay(values: Values, ground: Ground) -> _Replay:
    """Reads the run, whole."""
    if ground.read_run is None:
        raise UsageError("replay reads a run file, and nothing that reads one was given. Set read_run of the Ground.")
    return _Replay(ground.read_run(os.path.join(ground.folder, values["path"])))


OFFERS = (Engine(name="replay", page=__doc__, params=PARAMS, open=open_replay, opaque=True, replays=True),)
