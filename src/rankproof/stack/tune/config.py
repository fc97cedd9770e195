"""The table [tune] of a benchmark's TOML, checked before anything runs, and the dev and test queries."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from typing import Any

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.specs.kinds import Choice, Kind, Number, Text, Whole
from rankproof.kernel.specs.tables import read_table
from rankproof.measuring.names import parse
from rankproof.reading.datasets.queries import normal
from rankproof.reading.datasets.records import Dataset
from rankproof.reading.datasets.split import split
from rankproof.reading.source import open_source, require_text
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.tune.parameters import modes_of, read_parameters, with_values
from rankproof.stack.tune.records import TuneConfig, TunedParameter

PARAMETERS = "dials"
KEYS: Mapping[str, Kind] = {
    "mode": Text(),
    "measure": Text(),
    "method": Choice(("grid", "optuna", "train")),
    "trials": Whole(1),
    "seed": Whole(0),
    "dev": Text(),
    "test": Text(),
    "share": Number(0, 1, open_low=True, open_high=True),
}
DEFAULT_TRIALS = 100
MOST_TREES = 320  # of method = "train", where trials are trees


def read_tune_config(path: str) -> tuple[TuneConfig, str]:
    """The configuration in a TOML file, and the file's text."""
    source = open_source(path)
    require_text(source)
    text = source.text()
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}. `rankproof benchmark init` writes one to begin with.") from None
    name = os.path.splitext(os.path.basename(path))[0]
    return tune_config_of(document, path, os.path.dirname(path) or ".", name), text


def tune_config_of(document: Mapping[str, Any], place: str, folder: str = ".", name: str = "tuning") -> TuneConfig:
    """The configuration in a dict of the shape of the TOML."""
    benchmark = config_of(document, place, folder, name)
    table = document.get("tune")
    if not isinstance(table, Mapping):
        raise UsageError(
            f"{place} does not say what to tune. Add a table [tune.dials] with lines such as: lexical.k1 = [0.9, 1.2]; "
            "or method = 'train' in [tune], for a mode of fuse_ltr"
        )
    values = read_table(table, KEYS, f"{place}, [tune]", others=(PARAMETERS,))
    texts = {mode: str(text) for mode, text in document["modes"].items()}
    mode = values.pop("mode", list(texts)[-1])
    if mode not in texts:
        raise UnknownName(f"mode of {place}", mode, texts)
    measure = _measure(values.pop("measure", benchmark.measures[0]), place)
    if ("dev" in values) != ("test" in values) or ("dev" in values and "share" in values):
        raise UsageError(f"{place}: [tune] takes dev and test, two splits of the dataset, or share for dev; not both.")
    if "dev" in values and values["dev"] == values["test"]:
        raise UsageError(f"{place}: dev and test of [tune] are the same split. Nothing would be left to test on.")
    trains = values.get("method") == "train"
    if trains and PARAMETERS in table:
        raise UsageError(
            f"{place}: method = 'train' trains a model and sets no parameter. Take [tune.{PARAMETERS}] out, or "
            "tune first."
        )
    parameters = () if trains else read_parameters(table.get(PARAMETERS), texts, place)
    config = TuneConfig(
        benchmark,
        texts,
        parameters,
        mode,
        measure,
        method=values.get("method", "grid"),
        trials=values.get("trials", MOST_TREES if trains else DEFAULT_TRIALS),
        seed=values.get("seed", benchmark.design.seed),
        dev=values.get("dev", ""),
        test=values.get("test", ""),
        share=values.get("share", 0.5),
    )
    _refuse_idle(config, place)
    _refuse_corners(config, place)
    _refuse_size(config, place)
    return config


def _measure(name: str, place: str) -> str:
    """One measure that has a better side."""
    variants = parse([name])
    if len(variants) != 1:
        raise UsageError(f"{place}: [tune] takes one measure to tune for; got {name!r}.")
    kind = variants[0].measure
    if kind.better == "neither" or kind.labels is not None:
        raise UsageError(f"{place}: {variants[0]} has no better side, so nothing can be tuned for it.")
    return str(variants[0])


def _refuse_idle(config: TuneConfig, place: str) -> None:
    """Refuses a parameter that the tuned mode does not depend on: its search would change nothing."""
    texts, mode = config.texts, config.mode
    for parameter in config.parameters:
        keys = {modes_of(with_values(texts, [parameter], {parameter.name: v}))[mode].key for v in parameter.values}
        if len(keys) == 1:
            raise UsageError(
                f"{place}: the parameter {parameter.name} changes nothing in {mode}, the mode that is tuned. Name "
                f"{parameter.mode} in the pipeline of {mode}, as in fuse_rrf({parameter.mode}, ...), or leave the "
                "parameter out."
            )


def _refuse_corners(config: TuneConfig, place: str) -> None:
    """Refuses values that cannot be combined, such as weights that are all 0. The first and last values are tried."""
    for end in (0, -1):
        values = {parameter.name: parameter.values[end] for parameter in config.parameters}
        try:
            modes_of(with_values(config.texts, config.parameters, values))
        except UsageError as error:
            setting = ", ".join(f"{name} = {value}" for name, value in values.items())
            raise UsageError(f"{place}: these values cannot be combined ({setting}). {error}") from None


def _refuse_size(config: TuneConfig, place: str) -> None:
    """Refuses a grid that is larger than the number of trials: a grid is tried whole or not at all."""
    if config.method != "grid":
        return
    between: list[TunedParameter] = [parameter for parameter in config.parameters if not parameter.choices]
    if between:
        raise UsageError(
            f"{place}: a grid needs the values of {between[0].name}. Add step or points to it, or set method = "
            "'optuna', which searches in between."
        )
    size = math.prod(len(parameter.choices) for parameter in config.parameters)
    if size > config.trials:
        raise UsageError(
            f"{place}: the grid has {size:,} settings and trials is {config.trials:,}. Set trials = {size} in [tune], "
            f"name fewer values, or set method = 'optuna', which tries {config.trials:,} of them."
        )


DEV, TEST = "dev", "test"


def halves(config: TuneConfig, dataset: Dataset) -> tuple[Dataset, Dataset]:
    """Dev and test: the splits that are named, or a draw that keeps segments balanced and equal texts together."""
    if config.dev:
        if not dataset.splits:
            raise UsageError(
                f"{dataset.source} has no splits. Give share in [tune] in place of dev and test, or make some with "
                "`rankproof dataset split`."
            )
        for name in (config.dev, config.test):
            if name not in dataset.splits:
                raise UnknownName(f"split of {dataset.source}", name, dataset.splits)
        dev, test = dataset.part(config.dev), dataset.part(config.test)
        for part in (dev, test):
            if not part.judged_queries:
                raise InputError(f"{part.name} has no query with text and judgments: there is nothing to measure.")
        return dev, test
    parts = split(dataset, {DEV: config.share, TEST: 1 - config.share}, config.benchmark.by, config.seed)
    return parts[DEV], parts[TEST]


def leaked(dev: Dataset, test: Dataset) -> int:
    """How many test queries have a text that a dev query has too: they are not untouched."""
    seen = {normal(query.text) for query in dev.judged_queries}
    return sum(normal(query.text) in seen for query in test.judged_queries)
