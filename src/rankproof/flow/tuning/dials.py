"""Dials: what a configuration says of each, checked against the step it turns before anything runs.

A dial is a list of values, or a table: {low, high, step}, {low, high, points}, or {low, high} to search in between;
with log = true steps multiply.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from rankproof import shelf
from rankproof.errors import UnknownName, UsageError
from rankproof.flow.tuning.turning import element_of, modes_of, opened, with_value
from rankproof.records.params import Param, Whole
from rankproof.records.pipeline import Step
from rankproof.records.tuning import Dial

KEYS = ("low", "high", "step", "points", "log")
# More values than this on one dial are a mistake in the step.
MOST_VALUES = 10_000


def read_dials(table: Any, texts: Mapping[str, str], place: str) -> tuple[Dial, ...]:
    """The dials of [tune.dials], in the order of the modes: what comes later in a pipeline is turned faster."""
    said = dict(_flat(table, "")) if isinstance(table, Mapping) else {}
    if not said:
        raise UsageError(f"{place} has no dial to turn. Add [tune.dials] with lines such as: lexical.k1 = [0.9, 1.2]")
    modes = modes_of(texts)
    found = [_dial(name, spec, texts, modes, place) for name, spec in said.items()]
    for dial in found:
        if dial.element and any(
            other.mode == dial.mode and other.name == f"{dial.mode}.{dial.param}" for other in found
        ):
            raise UsageError(f"{place}: {dial.name} is a part of {dial.mode}.{dial.param}. Turn one of the two.")
    order = list(modes)
    return tuple(sorted(found, key=lambda dial: order.index(dial.mode)))


def _flat(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    """Names with points, whether they were written in quotes or as TOML's own dotted keys."""
    for key, value in table.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping) and not any(word in value for word in KEYS):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _dial(name: str, spec: Any, texts: Mapping[str, str], modes: Mapping[str, Step], place: str) -> Dial:
    mode, _, rest = name.partition(".")
    word, _, element = rest.partition(".")
    if mode not in modes:
        raise UnknownName(f"mode of {place} for the dial {name!r}", mode, modes)
    _, call = opened(texts[mode])
    if isinstance(call.func, ast.Name) and call.func.id in modes:
        raise UsageError(f"{place}: {mode} is another name of {call.func.id}. Turn {call.func.id}.{rest} instead.")
    step = modes[mode]
    params: dict[str, Param] = {param.name: param for param in shelf.find(step.shelf, step.name).params}
    if word not in params:
        inner = [s.name for s in step.steps() if s is not step and word in _names(s)]
        if inner:
            raise UsageError(
                f"{place}: the dial {name} must be of the last step of {mode}, {step.name}, which has no {word!r}. "
                f"{inner[0]} has: give it a mode of its own, and name that mode in {mode}."
            )
        raise UnknownName(f"choice of {step.name} for the dial {name!r}", word, params)
    param = params[word]
    now = element_of(step, param, call, element, texts) if element else step.values[word]
    dial = _valued(name, mode, word, element, now, spec, isinstance(param.kind, Whole) and not element, place)
    for value in dial.choices or (dial.low, dial.high):
        try:
            modes_of({**texts, mode: with_value(texts[mode], dial, value, texts)})
        except UsageError as error:
            raise UsageError(f"{place}, dial {name}: {error}") from None
    return dial


def _valued(name: str, mode: str, param: str, element: str, now: Any, spec: Any, whole: bool, place: str) -> Dial:
    """The dial with the values that the configuration gives it."""
    if isinstance(spec, list):
        different = list({repr(value): value for value in spec}.values())
        if len(different) < 2:
            raise UsageError(f"{place}: the dial {name} has {len(different)} value; a dial needs two to be turned.")
        return Dial(name, mode, param, element, now, tuple(different))
    how = "a list of values, or {low = 0.5, high = 2.0, step = 0.1}"
    if not isinstance(spec, Mapping):
        raise UsageError(f"{place}: the dial {name} must be {how}; got {spec!r}.")
    for key in spec:
        if key not in KEYS:
            raise UnknownName(f"key of the dial {name} in {place}", key, KEYS)
    low, high, log = (_number(spec.get("low")), _number(spec.get("high")), spec.get("log", False))
    if low is None or high is None or not low < high or not isinstance(log, bool) or (log and low <= 0):
        raise UsageError(
            f"{place}: the dial {name} needs numbers low and high, with low below high (and above 0 with log = true), "
            f"such as {{low = 0.5, high = 2.0}}; got {dict(spec)!r}."
        )
    if whole and not (float(low).is_integer() and float(high).is_integer()):
        raise UsageError(f"{place}: the dial {name} takes whole numbers; got {dict(spec)!r}.")
    choices = _spaced(name, spec, low, high, log, whole, place)
    return Dial(name, mode, param, element, now, choices, low, high, log, whole)


def _spaced(
    name: str, spec: Mapping[str, Any], low: float, high: float, log: bool, whole: bool, place: str
) -> tuple[Any, ...]:
    """The values by step or by number of points; none where the dial is to be searched in between."""
    step, points = spec.get("step"), spec.get("points")
    if step is None and points is None:
        return ()
    if step is not None and (points is not None or log):
        raise UsageError(f"{place}: the dial {name} takes step or points, and with log = true only points.")
    if step is not None:
        width = _number(step)
        if width is None or not 0 < width <= high - low or (high - low) / width > MOST_VALUES:
            raise UsageError(f"{place}: step of the dial {name} must be above 0 and fit between {low} and {high}.")
        # Decimals as they are written: 0.1 + 0.2 is 0.3 here.
        start, by = Decimal(str(low)), Decimal(str(width))
        found = [start + by * i for i in range(int((Decimal(str(high)) - start) / by) + 1)]
        values = [float(value) for value in found]
    else:
        if not isinstance(points, int) or isinstance(points, bool) or not 2 <= points <= MOST_VALUES:
            raise UsageError(f"{place}: points of the dial {name} must be a whole number, 2 or more; got {points!r}.")
        shares = [i / (points - 1) for i in range(points)]
        between = [low * (high / low) ** s if log else low + (high - low) * s for s in shares]
        values = [rounded(value) for value in between]
    if whole:
        if step is not None and any(not value.is_integer() for value in values):
            raise UsageError(f"{place}: the dial {name} takes whole numbers; step is {step!r}.")
        return tuple(dict.fromkeys(round(value) for value in values))
    return tuple(values)


def rounded(value: float) -> float:
    """Four digits: what further ones would do is far below what queries can show."""
    return float(f"{value:.4g}")


def at_end(dial: Dial, value: Any) -> bool:
    """Whether a value is the least or the greatest of three numbers or more, and not what is written already."""
    if not dial.ordered or value == dial.as_written or 0 < len(dial.choices) < 3:
        return False
    return value in ((dial.choices[0], dial.choices[-1]) if dial.choices else (dial.low, dial.high))


def _number(value: Any) -> float | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return value if fits else None


def _names(step: Step) -> set[str]:
    return {param.name for param in shelf.find(step.shelf, step.name).params}
