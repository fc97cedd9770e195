"""Search methods, and values of pipelines by query, stored so that an interrupted search continues.

grid     every combination of the parameters' values, those that come last in the pipelines vary fastest
optuna   a tree-structured Parzen estimator, seeded: the first proposals are drawn, later ones lie where good
         settings are denser than bad ones (Bergstra et al., Algorithms for Hyper-Parameter Optimization, NIPS 2011)

The key of stored values has everything that they depend on: documents, queries and judgments, the pipeline and
what its steps say they rest on, the measure, the depth, the version.
"""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from types import ModuleType
from typing import Any

from rankproof.kernel.jsontext import to_json
from rankproof.kernel.libraries import library
from rankproof.kernel.version import __version__
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedQrels, join_run, prepare_qrels
from rankproof.measuring.records import DEFAULT_SETTINGS
from rankproof.proving.per_unit import from_evaluations
from rankproof.reading.datasets.records import Dataset
from rankproof.reading.ranking import Ranking
from rankproof.reading.records import Qrels
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Step, Values
from rankproof.stack.tune.parameters import rounded
from rankproof.stack.tune.records import TuneConfig, TunedParameter

# Tries a setting and gives its score; higher is better.
Score = Callable[[Values], float]


def search(config: TuneConfig, score: Score) -> None:
    """Proposes settings until the method or the number of trials ends. The one as written was tried before."""
    (_grid if config.method == "grid" else _optuna)(config, score)


def _grid(config: TuneConfig, score: Score) -> None:
    names = [parameter.name for parameter in config.parameters]
    for values in itertools.product(*(parameter.choices for parameter in config.parameters)):
        score(dict(zip(names, values, strict=True)))


def _optuna(config: TuneConfig, score: Score) -> None:
    optuna = optuna_library()
    spaces = {parameter.name: _space(optuna, parameter) for parameter in config.parameters}
    quiet = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=config.seed))
        written = _as_written(config.parameters)
        if written is not None:  # what is known already
            value = score({parameter.name: parameter.as_written for parameter in config.parameters})
            study.add_trial(optuna.trial.create_trial(params=written, distributions=spaces, value=value))
        for _ in range(config.trials):
            trial = study.ask(fixed_distributions=spaces)
            values = {
                parameter.name: _value(parameter, trial.params[parameter.name]) for parameter in config.parameters
            }
            study.tell(trial, score(values))
    finally:
        optuna.logging.set_verbosity(quiet)


def optuna_library() -> ModuleType:
    """Optuna, or an error that says how to install it."""
    return library("optuna", "Tuning with method = 'optuna'")


def _space(optuna: ModuleType, parameter: TunedParameter) -> Any:
    """Listed values are searched by their place: near ones are alike where they are numbers that rise."""
    kinds = optuna.distributions
    if parameter.choices:
        places = range(len(parameter.choices))
        return (
            kinds.IntDistribution(0, places[-1]) if parameter.ordered else kinds.CategoricalDistribution(list(places))
        )
    if parameter.whole:
        return kinds.IntDistribution(int(parameter.low), int(parameter.high), log=parameter.log)
    return kinds.FloatDistribution(parameter.low, parameter.high, log=parameter.log)


def _value(parameter: TunedParameter, drawn: Any) -> Any:
    if parameter.choices:
        return parameter.choices[drawn]
    return int(drawn) if parameter.whole else min(max(rounded(drawn), parameter.low), parameter.high)


def _as_written(tuned: Sequence[TunedParameter]) -> Values | None:
    """The configuration as written in the words of the search; None where it lies outside of what is searched."""
    places: dict[str, float] = {}
    for parameter in tuned:
        now = parameter.as_written
        if parameter.choices:
            alike = [i for i, value in enumerate(parameter.choices) if _same(value, now)]
            if not alike:
                return None
            places[parameter.name] = alike[0]
        elif isinstance(now, int | float) and parameter.low <= now <= parameter.high:
            places[parameter.name] = now
        else:
            return None
    return places


def _same(value: object, now: object) -> bool:
    return list(value) == list(now) if isinstance(value, list) and isinstance(now, tuple) else bool(value == now)


# Pipelines whose steps stay in memory besides the one as written: a search often returns to a recent one.
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
        self._judged = prepare_qrels(dataset.asked_qrels)
        ids = "\n".join(query.query_id for query in runner.queries)
        self._ground = f"{dataset.content_hash} {sha256(ids.encode('utf-8', 'surrogateescape')).hexdigest()}"
        self._recent: deque[Step] = deque(maxlen=REMEMBERED)
        self.computed = self.kept = 0

    def __call__(self, pipeline: Step) -> Measured:
        """The pipeline's values: read from the cache, or computed now and stored there."""
        self._recent.append(pipeline)
        self._runner.forget([self._home, *self._recent])
        key = self._key(pipeline)
        measured = _read(self._runner.ground.cache.get(key))
        if measured is not None:
            self.kept += 1
            return measured
        measured = self._run(pipeline)
        self.computed += 1
        if not measured.failures:  # a failure may not come again, and is no value of the setting
            self._runner.ground.cache.put(key, _written(measured))
        return measured

    def _run(self, pipeline: Step) -> Measured:
        outcome = self._runner.run("tuned", pipeline)
        measured = _measured(self._judged, outcome.as_run(), self._variants, self._measure)
        return replace(measured, failures=len(outcome.failures))

    def _key(self, pipeline: Step) -> str:
        rests_on = to_json([dict(sorted(identity.items())) for identity in self._runner.identity(pipeline)])
        words = (self._ground, pipeline.key, rests_on, self._measure, str(self._runner.depth), __version__)
        return "\n".join(("tune 1", *words))


def measured_run(rankings: Mapping[str, Ranking], qrels: Qrels, measure: str) -> Measured:
    """The values of rankings that no runner made."""
    run = {q: dict(zip(r.doc_ids, r.scores.tolist(), strict=True)) for q, r in rankings.items()}
    return _measured(prepare_qrels(qrels), run, parse([measure]), measure)


def _measured(
    judged: PreparedQrels, run: Mapping[str, Mapping[str, float]], variants: tuple[Variant, ...], measure: str
) -> Measured:
    evaluation = measure_run(join_run(judged, run), variants, DEFAULT_SETTINGS)
    values = from_evaluations([evaluation], measure)
    by_query = dict(zip(values.unit_ids, values.values[:, 0].tolist(), strict=True))
    return Measured(evaluation[measure].mean, by_query, values.scale)


def _written(measured: Measured) -> bytes:
    return to_json({"mean": measured.mean, "by_query": measured.by_query, "scale": measured.scale}).encode()


def _read(data: bytes | None) -> Measured | None:
    if data is None:
        return None
    document = json.loads(data)
    return Measured(document["mean"], document["by_query"], document["scale"])
