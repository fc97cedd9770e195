"""What comes with the package to try things on: a shop to search, rankings to compare, and a ladder that was run.

    shop/       a collection: products, queries, judgments (`sample:shop`)
    rankings/   what `rankproof sample` writes: runs of three systems, judgments, a policy, logs of clicks
    ladder/     a search stack on the shop, stage by stage: its configuration, a policy, and the rankings that its modes
                gave when they were run, with what they depend on (fetch.json)

Rankings of the ladder are as deep as its modes are measured, so that nothing measured on them differs from a run of the
engines. Times are not there: they are those of one machine. `python -m examples.shop.ladder` makes them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from rankproof.errors import InputError
from rankproof.reading.collect import read_run
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.benchmark.records import Benchmark, BenchmarkConfig
from rankproof.stack.records import ModeOutcome, Step, StepOutcome

FETCH = "fetch.json"


def shop() -> str:
    """The folder of the shop sample: corpus.jsonl, queries.csv, qrels.trec and a README that describes them."""
    return _place("shop")


def rankings() -> str:
    """The folder of what `rankproof sample` writes."""
    return _place("rankings")


def ladder() -> str:
    """The configuration of a benchmark on the shop sample: a search stack, stage by stage."""
    return _place("ladder", "ladder.toml")


def ladder_policy() -> str:
    """A policy for each mode of the ladder; it names files as a benchmark writes them."""
    return _place("ladder", "policy.toml")


def ladder_run(mode: str) -> str:
    """The run file of a mode of the ladder."""
    return _place("ladder", f"{mode}.run.gz")


def ladder_outcomes(config: BenchmarkConfig, queries: Sequence[Query]) -> dict[str, ModeOutcome]:
    """What the modes of the ladder gave when they were run, in the place of running them; no query has a time.

    Every step of the ladder is a mode. InputError where a mode is not the pipeline that was run.
    """
    with open(_place("ladder", FETCH), encoding="utf-8") as file:
        recorded = {mode["mode"]: mode for mode in json.load(file)["modes"]}
    query_ids = tuple(query.query_id for query in queries)
    by_step: dict[str, StepOutcome] = {}
    outcomes = {}
    for name, pipeline in config.modes.items():
        if name not in recorded or recorded[name]["key"] != pipeline.key:
            raise InputError(f"The mode {name} = {pipeline.text} was not run for the sample. Run it: --live")
        identity = recorded[name]["identity"][pipeline.name]
        by_step[pipeline.key] = _outcome(pipeline, query_ids, ladder_run(name), identity)
        steps = dict.fromkeys(step.key for step in pipeline.steps())
        outcomes[name] = ModeOutcome(name, pipeline, query_ids, tuple(by_step[key] for key in steps), config.depth)
    return outcomes


def ladder_benchmark() -> Benchmark:
    """The benchmark of the ladder on the rankings that its modes gave when they were run: nothing is run now."""
    from rankproof.reading.datasets.read import read_dataset
    from rankproof.stack.benchmark.config import read_config
    from rankproof.stack.benchmark.run import measured

    config = read_config(ladder())
    dataset = read_dataset(config.dataset)
    queries, documents = dataset.judged_queries, 0 if dataset.corpus is None else len(dataset.corpus)
    outcomes = ladder_outcomes(config, queries)
    return measured(config, queries, dataset.asked_qrels, outcomes, dataset.content_hash, documents)


def _outcome(step: Step, query_ids: Sequence[str], path: str, identity: dict[str, str]) -> StepOutcome:
    ranked = {query: (docs, scores) for query, docs, scores in read_run(path).rankings(as_scores=True)}
    found = [ranked.get(query, ((), ())) for query in query_ids]
    answers = tuple(Ranking(tuple(docs), np.array(scores, dtype=np.float64)) for docs, scores in found)
    return StepOutcome(step, answers, np.full(len(query_ids), np.nan), identity=identity)


def _place(*parts: str) -> str:
    return os.path.join(str(files(__name__)), *parts)
