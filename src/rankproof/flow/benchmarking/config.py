"""Config: the TOML of a benchmark to pipelines and choices, every one of them checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from rankproof import shelf
from rankproof.errors import UnknownName, UsageError
from rankproof.flow.benchmarking.tables import read_limits, read_prices, read_table
from rankproof.flow.pipelines.reading import read_pipeline
from rankproof.flow.tomlfile import read_toml
from rankproof.measures._text import parse
from rankproof.records.benchmark import BenchmarkConfig
from rankproof.records.design import Design
from rankproof.records.params import Kind, Number, Text, Texts, Whole
from rankproof.records.pipeline import Step

TABLES = ("benchmark", "modes", "limits", "cost", "tune")  # [tune] is read by `rankproof tune`
DEFAULT_MEASURES = ("nDCG@10", "RR@10", "AP", "R@100")
KEYS: Mapping[str, Kind] = {
    "name": Text(),
    "dataset": Text(),
    "split": Text(),
    "baseline": Text(),
    "measures": Texts(),
    "segments": Texts(),
    "depth": Whole(1),
    "seed": Whole(0),
    "confidence": Number(0.5, 1, open_low=True, open_high=True),
    "significance": Text(),
    "correction": Text(),
    "resamples": Whole(1_000),
}
_OF_DESIGN = {field.name for field in fields(Design)}


def read_config(path: str) -> BenchmarkConfig:
    """The configuration in a TOML file; paths in it are named from its folder."""
    document = read_toml(path, "`rankproof benchmark init` writes one to begin with.")
    name = os.path.splitext(os.path.basename(path))[0]
    return config_of(document, path, os.path.dirname(path) or ".", name)


def config_of(document: Mapping[str, Any], place: str, folder: str = ".", name: str = "benchmark") -> BenchmarkConfig:
    """The configuration in a dict of the shape of the TOML."""
    for table in document:
        if table not in TABLES:
            raise UnknownName(f"table of {place}", table, TABLES)
    values = read_table(document.get("benchmark", {}), KEYS, "benchmark", place)
    modes, inputs = _modes(document.get("modes", {}), place)
    if "dataset" not in values:
        raise UsageError(f'{place} names no dataset. Add dataset = "FOLDER" to its [benchmark] table.')
    baseline = values.pop("baseline", next(iter(modes)))
    if baseline not in modes:
        raise UnknownName(f"mode of {place}", baseline, modes)
    measures = tuple(str(variant) for variant in parse(list(values.pop("measures", DEFAULT_MEASURES))))
    design = Design(**{key: values.pop(key) for key in _OF_DESIGN & values.keys()}, all_pairs=True)
    for key, where in (("significance", "significance"), ("correction", "corrections")):
        shelf.find(where, getattr(design, key))
    return BenchmarkConfig(
        name=values.pop("name", name),
        dataset=values["dataset"],
        modes=modes,
        baseline=baseline,
        before={name: max(on, key=lambda other: len(list(modes[other].steps()))) for name, on in inputs.items()},
        measures=measures,
        depth=values.get("depth", 100),
        split=values.get("split", ""),
        by=values.get("segments", ()),
        design=design,
        folder=folder,
        source=place,
        inputs=inputs,
        limits=read_limits(document.get("limits", {}), place),
        prices=read_prices(document.get("cost"), modes, place),
    )


def _modes(table: Any, place: str) -> tuple[dict[str, Step], dict[str, tuple[str, ...]]]:
    """The pipelines by name, and for each the modes that it builds on: those that flow right into it."""
    if not isinstance(table, Mapping) or not table:
        raise UsageError(f'{place} names no mode. Add a table [modes] with lines such as: lexical = "bm25()"')
    modes: dict[str, Step] = {}
    inputs: dict[str, tuple[str, ...]] = {}
    for name, text in table.items():
        if not name.isidentifier():
            raise UsageError(f"{place}: the mode {name!r} needs a name of letters, digits and _.")
        if not isinstance(text, str):
            raise UsageError(f'{place}: the mode {name} must be a pipeline, such as "bm25()"; got {text!r}.')
        try:
            modes[name] = read_pipeline(text, modes)
        except UsageError as error:
            raise UsageError(f"{place}, mode {name}: {error}") from None
        found = tuple(_nearest(modes[name], {step.key: other for other, step in modes.items() if other != name}))
        if found:
            inputs[name] = found
    return modes, inputs


def _nearest(step: Step, named: Mapping[str, str]) -> Iterator[str]:
    """The named pipelines that flow into a step, and none that flows into one of these."""
    seen: dict[str, None] = {}
    for before in step.inputs:
        seen.update(dict.fromkeys([named[before.key]] if before.key in named else _nearest(before, named)))
    yield from seen
