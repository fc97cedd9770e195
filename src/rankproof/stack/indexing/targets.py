"""Targets: the indexes that the modes of a configuration search, each once, and the modes that have none to fill."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.tables import read_params
from rankproof.reading.source import read_toml
from rankproof.stack.engines.contract import Engine
from rankproof.stack.filling import FillRequest
from rankproof.stack.indexing.records import IndexTarget, WithoutIndex
from rankproof.stack.records import Ground, Step, Values

TABLE = "index"
# Who somebody is, in an address: never shown.
_USER = re.compile(r"//[^/@\s]*@")


def targets_of(modes: Mapping[str, Step]) -> tuple[list[IndexTarget], list[WithoutIndex]]:
    """The indexes in the order in which modes name them; UsageError where there is none."""
    found: dict[tuple[str, ...], dict[str, Step]] = {}
    left: dict[tuple[str, str], WithoutIndex] = {}
    for mode, step in _engine_steps(modes):
        engine: Engine = shelf.find("engines", step.name)
        fills = engine.fills
        if fills is None:
            left[mode, step.name] = WithoutIndex(mode, step.name, _why_not(engine))
        elif step.values[fills.place[-1]] is None:
            why = f"it builds its index when it is asked; name one with {fills.place[-1]}=... to keep it"
            left[mode, step.name] = WithoutIndex(mode, step.name, why)
        else:
            place = (step.name, *(_USER.sub("//", str(step.values[name])) for name in fills.place))
            steps = found.setdefault(place, {})
            if step.key not in {known.key for known in steps.values()}:
                steps[_free(mode, steps)] = step
    targets = []
    for (name, *values), steps in found.items():
        engine = shelf.find("engines", name)
        assert engine.fills is not None
        targets.append(IndexTarget(engine, engine.fills, dict(zip(engine.fills.place, values, strict=True)), steps))
    if not targets:
        whys = "; ".join(f"{one.mode}: {one.engine}: {one.why}" for one in left.values())
        raise UsageError(f"No mode searches an index that `rankproof index` can fill. {whys}.")
    return targets, list(left.values())


def _engine_steps(modes: Mapping[str, Step]) -> Iterator[tuple[str, Step]]:
    """Every engine with the mode that it is in: with the mode that is nothing else, where there is one."""
    alone = {step.key: mode for mode, step in modes.items()}
    for mode, pipeline in modes.items():
        for step in pipeline.steps():
            if step.shelf == "engines":
                yield alone.get(step.key, mode), step


def _free(mode: str, steps: Mapping[str, Step]) -> str:
    """A name that no other step of the index has."""
    name, number = mode, 1
    while name in steps:
        number += 1
        name = f"{mode} ({number})"
    return name


def _why_not(engine: Engine) -> str:
    if engine.replays:
        return "its answers were made elsewhere"
    if engine.live:
        return "rankproof does not know how to fill it"
    return "it builds its index when it is asked"


def settings_of(path: str, engines: Mapping[str, Engine]) -> dict[str, Values]:
    """What the tables [index.ENGINE] of the configuration say, with defaults, for each engine that can be filled."""
    document = read_toml(path, "`rankproof benchmark init` writes one to begin with.")
    tables = document.get(TABLE, {})
    if not isinstance(tables, Mapping):
        raise UsageError(f"{path}: [{TABLE}] must hold tables of engines, such as [{TABLE}.opensearch].")
    known = {name: item for name, item in shelf.everything("engines").items() if item.fills is not None}
    for name in tables:
        if name not in known:
            raise UnknownName(f"engine that can be filled ({path}, [{TABLE}.{name}])", name, known)
    settings: dict[str, Values] = {}
    for name, item in known.items():
        if name in tables or name in engines:
            options = tables.get(name, {})
            place = f"{path}, [{TABLE}.{name}]"
            if not isinstance(options, Mapping):
                raise UsageError(f"{place} must be a table of keys and values; got {options!r:.80}.")
            settings[name] = read_params(options, item.fills.params, place)
    return settings


def request_of(target: IndexTarget, settings: Values, ground: Ground) -> FillRequest:
    """What the Filler of an index is opened for."""
    return FillRequest(target.engine.name, {mode: step.values for mode, step in target.steps.items()}, settings, ground)
