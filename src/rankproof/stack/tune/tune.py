"""Tune: parameters searched on dev, the winner against the configuration as written on test, and what to make of it.

Only three kinds of pipelines are ever run on test queries: the winner, the mode as it is written, and the other modes
for comparison. No choice is made there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer
from rankproof.measuring.names import parse
from rankproof.proving.per_unit import range_of
from rankproof.proving.records import Design
from rankproof.proving.significance.contract import SignificanceRequest
from rankproof.reading.datasets.records import Dataset
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Step, Values
from rankproof.stack.tune import search as methods
from rankproof.stack.tune.assess import best, judge, on_test, out_of_bag, responses
from rankproof.stack.tune.config import leaked
from rankproof.stack.tune.parameters import at_end, modes_of, with_values
from rankproof.stack.tune.records import Against, Gain, Setting, TuneConfig, Tuning
from rankproof.stack.tune.search import Measured, Measurer

# Opens somebody who runs pipelines on the queries of a dataset.
OpenRunner = Callable[[Dataset], AbstractContextManager[Runner]]
# Called after each proposal: how many were made, the setting, and the best one so far.
OnProposal = Callable[[int, Setting, Setting], None]


def tune(
    config: TuneConfig, dev: Dataset, test: Dataset, open_runner: OpenRunner, on_proposal: OnProposal
) -> tuple[Tuning, int]:
    """The tuning, and how many pipelines had to be run for it; the values of others were kept from before."""
    written = modes_of(config.texts)
    if config.method == "optuna":
        methods.optuna_library()  # reported before anything runs
    with open_runner(dev) as runner:
        runner.open([written[config.mode]])
        measured = Measurer(runner, dev, config.measure, written[config.mode])
        search = _Search(config, measured, written[config.mode], on_proposal)
        methods.search(config, search)
        computed = measured.computed
    settings, query_ids = search.settings, search.query_ids
    better = parse([config.measure])[0].measure.better
    sign = -1.0 if better == "lower" else 1.0
    values = np.stack([setting.values for setting in settings])
    gains = sign * (values - values[0])
    gains[np.abs(gains) < 1e-12] = 0.0  # the same numbers, added up in another order
    winner = settings[int(best(gains.mean(axis=1)[None, :])[0])]
    infer = inference(config.benchmark.design, config.measure)
    dev_gain = Gain(
        len(query_ids), settings[0].mean, winner.mean, infer(gains[winner.number]),
        dict(zip(query_ids, gains[winner.number].tolist(), strict=True)),
    )  # fmt: skip
    rng = np.random.default_rng([config.seed, *b"out of bag"])
    fair = out_of_bag(gains, config.benchmark.design.confidence, rng)
    bag = Gain(len(query_ids), None, None, fair)
    tested: Gain | None = None
    against: tuple[Against, ...] = ()
    ran = 0
    if winner.number:
        texts = with_values(config.texts, config.parameters, winner.parameters)
        with open_runner(test) as runner:
            measurer = Measurer(runner, test, config.measure, written[config.mode])
            tested, against = on_test(config, written, modes_of(texts), measurer, sign)
            ran = measurer.computed
    tuning = Tuning(
        config, tuple(settings), winner, better, search.scale, query_ids, len(test.judged_queries), dev_gain, bag,
        tested, against,
        {parameter.name: responses(parameter, settings, gains, infer) for parameter in config.parameters},
        judge(dev_gain, bag, tested, len(settings)),
        dev.content_hash, test.content_hash, search.proposed, _notes(config, dev, test, settings, winner),
    )  # fmt: skip
    return tuning, computed + ran


class _Search:
    """What is tried: called with values for the parameters, it gives the score. A pipeline is run once."""

    def __init__(self, config: TuneConfig, measured: Measurer, written: Step, on_proposal: OnProposal) -> None:
        self._config, self._measured, self._on_proposal = config, measured, on_proposal
        self._sign = -1.0 if parse([config.measure])[0].measure.better == "lower" else 1.0
        first = measured(written)
        if not first.by_query:
            raise InputError(f"{config.measure} has no value for any dev query: there is nothing to tune for.")
        self.query_ids, self.scale = tuple(first.by_query), first.scale
        self._by_key = {
            written.key: self._setting(0, {d.name: d.as_written for d in config.parameters}, written, first)
        }
        self.proposed = 0
        self._best = self.settings[0]

    @property
    def settings(self) -> list[Setting]:
        """Each once, in the order they were tried; the first is as written."""
        return list(self._by_key.values())

    def __call__(self, values: Values) -> float:
        pipeline = modes_of(with_values(self._config.texts, self._config.parameters, values))[self._config.mode]
        if pipeline.key not in self._by_key:
            measured = self._measured(pipeline)
            self._by_key[pipeline.key] = self._setting(len(self._by_key), values, pipeline, measured)
        setting = self._by_key[pipeline.key]
        self.proposed += 1
        if self._score(setting) > self._score(self._best):
            self._best = setting
        self._on_proposal(self.proposed, setting, self._best)
        return self._score(setting)

    def _score(self, setting: Setting) -> float:
        return self._sign * float(setting.values.mean())

    def _setting(self, number: int, values: Values, pipeline: Step, measured: Measured) -> Setting:
        if measured.by_query.keys() != set(self.query_ids):
            raise InputError(f"{self._config.measure} has values for other queries with {pipeline.text}.")
        row = np.array([measured.by_query[query] for query in self.query_ids])
        return Setting(number, dict(values), pipeline.text, measured.mean, row, measured.failures)


def inference(design: Design, measure: str) -> Callable[[NDArray[np.float64]], Answer]:
    """The configuration's method on gains by query; the same resamples each time."""
    method = shelf.find("significance", design.significance)
    low, high = range_of(measure)
    question = SignificanceRequest(design.confidence, resamples=design.resamples, low=low - high, high=high - low)

    def infer(gains: NDArray[np.float64]) -> Answer:
        answer: Answer = method.infer(gains, question, np.random.default_rng([design.seed, *b"tuning"]))
        return answer

    return infer


def _notes(
    config: TuneConfig, dev: Dataset, test: Dataset, settings: Sequence[Setting], winner: Setting
) -> tuple[str, ...]:
    """What must be known of the queries, of the answers and of what was not tried."""
    notes = []
    shared = leaked(dev, test)
    if shared:
        notes.append(f"{shared:,} test queries have the text of a dev query: they are not untouched.")
    failed = sum(setting.failures > 0 for setting in settings)
    if failed:
        notes.append(
            f"In {failed:,} settings answers of a model or a server failed and were survived; run it again to ask "
            "for those anew."
        )
    ends = [
        parameter.name
        for parameter in config.parameters
        if winner.number and at_end(parameter, winner.parameters[parameter.name])
    ]
    if ends:
        notes.append(f"The winner lies at the end of what was tried for {', '.join(ends)}: look beyond it.")
    return tuple(notes)
