"""A fetch as a process of its own, to be killed: fetcher.py URL ANSWERS N prints how far it is, then the run."""

from __future__ import annotations

import json
import sys

import numpy as np
from tests.live.clients import http_step, opened, queries

from rankproof.stack.asking.answers import Answers
from rankproof.stack.asking.ask import FetchProgress, ask_all
from rankproof.stack.asking.limits import Limits


def fetch(url: str, path: str, n: int) -> dict[str, dict[str, float]]:
    """The run, as {query: {document: score}}."""
    step = http_step(url)
    asker = opened(step)

    def tell(progress: FetchProgress) -> None:
        print(progress.done, progress.kept, flush=True)

    with Answers(path) as keep:
        limits = Limits(concurrency=4, timeout=5.0, probe=0)
        rng = np.random.default_rng(0)
        answers = ask_all(asker, queries(n), 10, limits, keep, rng, tell, engine="the engine")
    assert not any(answer.failures for answer in answers)
    return {a.query_id: dict(zip(a.ranking.doc_ids, a.ranking.scores.tolist(), strict=True)) for a in answers}


if __name__ == "__main__":
    print(json.dumps(fetch(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
