"""Tuning: parameters tuned on dev queries, the winner's value on test queries; the document `tune/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.proving.conversions import answer_dict

if TYPE_CHECKING:
    from rankproof.kernel.estimate import Answer
    from rankproof.stack.benchmark.records import BenchmarkConfig


# train   no parameter: the model of a learned fusion is trained
Method = Literal["grid", "optuna", "train"]
# as written   no setting did better on dev
# gain         shown on test
# not shown    the test queries do not show a gain
# worse        shown on test to be worse
Outcome = Literal["as written", "gain", "not shown", "worse"]


@dataclass(frozen=True, slots=True)
class TunedParameter:
    """A tuned parameter of the last step of a mode, and what it may be set to.

    element      "" for the whole parameter; else one weight of it: a number from 1 on, or a name
    choices      the values, where they are finitely many; else empty, and `low` to `high` is searched
    log          whether steps multiply: 0.1, 1, 10
    whole        whether only whole numbers fit
    as_written   what the configuration has
    """

    name: str
    mode: str
    param: str
    element: str
    as_written: object
    choices: tuple[object, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    whole: bool = False

    @property
    def values(self) -> tuple[object, ...]:
        """The values, or the two ends where everything between them is searched."""
        return self.choices or (self.low, self.high)

    @property
    def ordered(self) -> bool:
        """Whether its values are numbers that rise, so that near ones are alike."""
        if not self.choices:
            return True
        numbers = [v for v in self.choices if isinstance(v, int | float) and not isinstance(v, bool)]
        return len(numbers) == len(self.choices) and numbers == sorted(numbers)


@dataclass(frozen=True, slots=True, eq=False)
class TuneConfig:
    """What is tuned, on which queries, by which method.

    benchmark   the configuration that the parameters belong to
    texts       its modes as they are written
    mode        the one that is tuned, in `measure`
    trials      how many settings may be tried besides the one as written
    dev, test   splits of the dataset; "" where `share` of the queries is drawn for dev and the rest is test
    """

    benchmark: BenchmarkConfig
    texts: Mapping[str, str]
    parameters: tuple[TunedParameter, ...]
    mode: str
    measure: str
    method: Method = "grid"
    trials: int = 100
    seed: int = 0
    dev: str = ""
    test: str = ""
    share: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A value for each parameter, by its name, and what the mode reaches with them on dev. Number 0 is as written.

    values     by query, in the order of the tuning's `dev_queries`
    failures   how many answers of models or servers failed and were survived
    """

    number: int
    parameters: Mapping[str, object]
    pipeline: str
    mean: float
    values: NDArray[np.float64]
    failures: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """The winner against the configuration as written, on one set of queries. `answer` is above 0 where it is better.

    before, after   the measure's value, on its own scale; None where the gain is no difference of two settings
    """

    queries: int
    before: float | None
    after: float | None
    answer: Answer
    by_query: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """The tuned mode against another mode on test; `answer` is above 0 where the tuned one is better."""

    mode: str
    pipeline: str
    value: float
    answer: Answer
    p_adjusted: float | None


@dataclass(frozen=True, slots=True)
class Response:
    """One value of a parameter, or a span of values: the settings that have it, on dev.

    mean, best   of the settings' values of the measure
    gain         of the best one over the configuration as written, with its interval: it was picked, so it flatters
    """

    low: object
    high: object
    settings: int
    mean: float
    best: float
    gain: Answer


@dataclass(frozen=True, slots=True)
class TuningRuling:
    """What came of it.

    overfitted   whether the gain on dev is put down to picking the best of many
    reasons      why, or what else must be known before the winner is used; whole sentences
    """

    outcome: Outcome
    overfitted: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tuning:
    """What came out. The first of `settings` is the configuration as written; `winner` is the best on dev.

    dev           the gain on the queries it was picked on
    out_of_bag    the gain where the pick is made again without the queries it is measured on
    test          the gain on queries that the search never saw; None where the configuration as written won
    scale         "" or what gains are in when it is not the measure itself ("natural logarithms")
    proposed      how many settings the method proposed; those proposed twice are tried once
    """

    config: TuneConfig
    settings: tuple[Setting, ...]
    winner: Setting
    better: str
    scale: str
    dev_queries: tuple[str, ...]
    test_queries: int
    dev: Gain
    out_of_bag: Gain
    test: Gain | None
    against: tuple[Against, ...]
    responses: Mapping[str, tuple[Response, ...]]
    ruling: TuningRuling
    dev_hash: str
    test_hash: str
    proposed: int
    notes: tuple[str, ...] = ()


def to_dict(tuning: Tuning) -> dict[str, object]:
    """All of it but the values of every setting by query, which are many."""
    config = tuning.config
    return {
        "name": config.benchmark.name,
        "dataset": {
            "source": config.benchmark.dataset,
            "dev": {"split": config.dev or None, "queries": len(tuning.dev_queries), "sha256": tuning.dev_hash},
            "test": {"split": config.test or None, "queries": tuning.test_queries, "sha256": tuning.test_hash},
            "share": None if config.dev else config.share,
        },
        "mode": config.mode,
        "measure": config.measure,
        "better": tuning.better,
        "scale": tuning.scale or None,
        "method": config.method,
        "trials": config.trials,
        "seed": config.seed,
        "depth": config.benchmark.depth,
        "proposed": tuning.proposed,
        "dials": [_parameter(parameter) for parameter in config.parameters],
        "settings": [_setting(setting) for setting in tuning.settings],
        "winner": tuning.winner.number,
        "dev": to_dict_of_gain(tuning.dev),
        "out_of_bag": answer_dict(tuning.out_of_bag.answer),
        "test": None if tuning.test is None else to_dict_of_gain(tuning.test),
        "against": [
            {
                "mode": other.mode,
                "pipeline": other.pipeline,
                "value": other.value,
                "gain": answer_dict(other.answer),
                "p_adjusted": other.p_adjusted,
            }
            for other in tuning.against
        ],
        "responses": [
            {"dial": name, "values": [_response(response) for response in several]}
            for name, several in tuning.responses.items()
        ],
        "outcome": tuning.ruling.outcome,
        "overfitted": tuning.ruling.overfitted,
        "reasons": list(tuning.ruling.reasons),
        "notes": list(tuning.notes),
    }


def _parameter(parameter: TunedParameter) -> dict[str, object]:
    document: dict[str, object] = {"dial": parameter.name, "as_written": _plain(parameter.as_written)}
    if parameter.choices:
        return {**document, "values": [_plain(value) for value in parameter.choices]}
    return {**document, "low": parameter.low, "high": parameter.high, "log": parameter.log}


def _setting(setting: Setting) -> dict[str, object]:
    return {
        "number": setting.number,
        "dials": {name: _plain(value) for name, value in setting.parameters.items()},
        "pipeline": setting.pipeline,
        "value": setting.mean,
        "failures": setting.failures,
    }


def to_dict_of_gain(gain: Gain) -> dict[str, object]:
    """A gain as JSON has it."""
    return {
        "queries": gain.queries,
        "before": gain.before,
        "after": gain.after,
        "gain": answer_dict(gain.answer),
        "by_query": dict(gain.by_query),
    }


def _response(response: Response) -> dict[str, object]:
    return {
        "low": _plain(response.low),
        "high": _plain(response.high),
        "settings": response.settings,
        "mean": response.mean,
        "best": response.best,
        "gain": answer_dict(response.gain),
    }


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
