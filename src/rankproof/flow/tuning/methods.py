"""Methods: which settings are tried. Each is told the score of what it proposed, higher being better.

grid     every combination of the dials' values, what comes last in the pipelines turned fastest
optuna   a tree-structured Parzen estimator, seeded: the first proposals are drawn, later ones lie where good
         settings are denser than bad ones (Bergstra et al., Algorithms for Hyper-Parameter Optimization, NIPS 2011)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rankproof.errors import MissingExtra
from rankproof.flow.tuning.dials import rounded
from rankproof.records.tuning import Dial, TuneConfig

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
