"""Tables of a configuration: their keys checked one by one; what is wrong is said with its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rankproof.errors import UnknownName, UsageError
from rankproof.flow.asking.limits import PARAMS
from rankproof.records.params import Kind, Number, Text
from rankproof.records.pipeline import Step
from rankproof.records.prices import Prices


def read_table(table: Any, kinds: Mapping[str, Kind], name: str, place: str) -> dict[str, Any]:
    """The values that a table says, each of the kind that its key has."""
    if not isinstance(table, Mapping):
        raise UsageError(f"{place}: [{name}] must be a table.")
    found = {}
    for key, value in table.items():
        if key not in kinds:
            raise UnknownName(f"key of [{name}] in {place}", key, kinds)
        try:
            found[key] = kinds[key].read(value)
        except ValueError as error:
            raise UsageError(f"{place}, [{name}]: {key} {error}.") from None
    return found


def read_limits(table: Any, place: str) -> dict[str, Any]:
    """How hard live engines may be asked, as `Limits` takes it."""
    return read_table(table, {param.name: param.kind for param in PARAMS}, "limits", place)


def read_prices(table: Any, modes: Mapping[str, Step], place: str) -> Prices | None:
    """What 1,000 queries cost; None where nothing is said."""
    if table is None:
        return None
    if not isinstance(table, Mapping):
        raise UsageError(f"{place}: [cost] must be a table.")
    steps = {step.name for pipeline in modes.values() for step in pipeline.steps()}
    told = {key: value for key, value in table.items() if key not in ("steps", "modes")}
    currency = read_table(told, {"currency": Text(), "steps": Text(), "modes": Text()}, "cost", place)
    found = Prices(
        currency.get("currency", ""),
        _prices(table.get("steps", {}), sorted(steps), "cost.steps", place),
        _prices(table.get("modes", {}), modes, "cost.modes", place),
    )
    if not found.steps and not found.modes:
        raise UsageError(
            f"{place}: [cost] names no price. Add a table [cost.steps] or [cost.modes] with lines such as: "
            f"{sorted(steps)[0]} = 0.10"
        )
    return found


def _prices(table: Any, names: Collection[str], name: str, place: str) -> dict[str, float]:
    return read_table(table, dict.fromkeys(names, Number(0)), name, place)
