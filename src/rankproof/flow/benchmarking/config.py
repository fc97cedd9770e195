"""Config: the TOML of a benchmark to pipelines and choices, every one of them checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from rankproof import shelf
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.flow.pipelines.reading import read_pipeline
from rankproof.measures._text import parse
from rankproof.records.benchmark import BenchmarkConfig
from rankproof.records.design import Design
from rankproof.records.params import Kind, Number, Text, Texts, Whole
from rankproof.records.pipeline import Step

TABLES = ("benchmark", "modes")
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
    import tomllib

    from rankproof.flow.source import open_source, require_text

    source = open_source(path)
    require_text(source)
    try:
        document = tomllib.loads(source.text())
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}. `rankproof benchmark init` writes one to begin with.") from None
    name = os.path.splitext(os.path.basename(path))[0]
    return config_of(document, path, os.path.dirname(path) or ".", name)


def config_of(document: Mapping[str, Any], place: str, folder: str = ".", name: str = "benchmark") -> BenchmarkConfig:
    """The configuration in a dict of the shape of the TOML."""
    for table in document:
        if table not in TABLES:
            raise UnknownName(f"table of {place}", table, TABLES)
    values = _values(document.get("benchmark", {}), place)
    modes, before = _modes(document.get("modes", {}), place)
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
        before=before,
        measures=measures,
        depth=values.get("depth", 100),
        split=values.get("split", ""),
        by=values.get("segments", ()),
        design=design,
        folder=folder,
        source=place,
    )


def _values(table: Any, place: str) -> dict[str, Any]:
    if not isinstance(table, Mapping):
        raise UsageError(f"{place}: [benchmark] must be a table.")
    found = {}
    for key, value in table.items():
        if key not in KEYS:
            raise UnknownName(f"key of [benchmark] in {place}", key, KEYS)
        try:
            found[key] = KEYS[key].read(value)
        except ValueError as error:
            raise UsageError(f"{place}: {key} {error}.") from None
    return found


def _modes(table: Any, place: str) -> tuple[dict[str, Step], dict[str, str]]:
    """The pipelines by name, and for each the mode that it builds on: the longest one that flows into it."""
    if not isinstance(table, Mapping) or not table:
        raise UsageError(f'{place} names no mode. Add a table [modes] with lines such as: lexical = "bm25()"')
    modes: dict[str, Step] = {}
    before: dict[str, str] = {}
    for name, text in table.items():
        if not name.isidentifier():
            raise UsageError(f"{place}: the mode {name!r} needs a name of letters, digits and _.")
        if not isinstance(text, str):
            raise UsageError(f'{place}: the mode {name} must be a pipeline, such as "bm25()"; got {text!r}.')
        try:
            modes[name] = read_pipeline(text, modes)
        except UsageError as error:
            raise UsageError(f"{place}, mode {name}: {error}") from None
        inside = {step.key for step in modes[name].steps()}
        earlier = [other for other in modes if other != name and modes[other].key in inside]
        if earlier:
            before[name] = max(earlier, key=lambda other: len(list(modes[other].steps())))
    return modes, before
