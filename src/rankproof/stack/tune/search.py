"""Search methods, and values of pipelines by query, stored so that an interrupted search continues."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from rankproof.errors import MissingExtra
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.version import __version__
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.join import join_run, prepare_qrels
from rankproof.measuring.names import parse
from rankproof.measuring.records import DEFAULT_SETTINGS
from rankproof.proving.per_unit import paired
from rankproof.reading.datasets.records import Dataset
from rankproof.stack.pipelines.run import Runner
from rankproof.stack.records import Step
from rankproof.stack.tune.parameters import rounded
from rankproof.stack.tune.records import Dial, TuneConfig

Values = Mapping[str, Any]
# Tries a setting and gives its score; higher is better.
Score = Callable[[Values], float]


def search(config: TuneConfig, score: Score) -> None:
    """Proposes settings until the method or the number of trials ends. The one as written was tried before."""
    (_grid if config.method == "grid" else _optuna)(config, score)


def _grid(config: TuneConfig, score: Score) -> None:
    names = [dial.name for dial in config.dials]
    for values in itertools.product(*(dial.choices for dial in config.dials)):
        score(dict(zip(names, values, strict=True)))


def _optuna(config: TuneConfig, score: Score) -> None:
    optuna = library()
    spaces = {dial.name: _space(optuna, dial) for dial in config.dials}
    quiet = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=config.seed))
        written = _as_written(config.dials)
        if written is not None:  # what is known already
            value = score({dial.name: dial.as_written for dial in config.dials})
            study.add_trial(optuna.trial.create_trial(params=written, distributions=spaces, value=value))
        for _ in range(config.trials):
            trial = study.ask(fixed_distributions=spaces)
            values = {dial.name: _value(dial, trial.params[dial.name]) for dial in config.dials}
            study.tell(trial, score(values))
    finally:
        optuna.logging.set_verbosity(quiet)


def library() -> Any:
    """Optuna, or an error that says how to install it."""
    try:
        import optuna
    except ImportError:
        raise MissingExtra("Tuning with method = 'optuna'", "optuna", "tune") from None
    return optuna


def _space(optuna: Any, dial: Dial) -> Any:
    """Listed values are searched by their place: near ones are alike where they are numbers that rise."""
    kinds = optuna.distributions
    if dial.choices:
        places = range(len(dial.choices))
        return kinds.IntDistribution(0, places[-1]) if dial.ordered else kinds.CategoricalDistribution(list(places))
    if dial.whole:
        return kinds.IntDistribution(int(dial.low), int(dial.high), log=dial.log)
    return kinds.FloatDistribution(dial.low, dial.high, log=dial.log)


def _value(dial: Dial, drawn: Any) -> Any:
    if dial.choices:
        return dial.choices[drawn]
    return int(drawn) if dial.whole else min(max(rounded(drawn), dial.low), dial.high)


def _as_written(dials: Sequence[Dial]) -> dict[str, Any] | None:
    """The configuration as written in the words of the search; None where it lies outside of what is searched."""
    found = {}
    for dial in dials:
        now = dial.as_written
        if dial.choices:
            alike = [i for i, value in enumerate(dial.choices) if _same(value, now)]
            if not alike:
                return None
            found[dial.name] = alike[0]
        elif now is not None and dial.low <= now <= dial.high:
            found[dial.name] = now
        else:
            return None
    return found


def _same(value: Any, now: Any) -> bool:
    return list(value) == list(now) if isinstance(value, list) and isinstance(now, tuple) else bool(value == now)


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
        by_query = dict(zip(values.unit_ids, values.values[:, 0].tolist(), strict=True))
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
