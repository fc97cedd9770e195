"""Parameters to tune, checked against the steps they belong to, and pipelines with parameters set to values.

Its values are a list, or a table: {low, high, step}, {low, high, points}, or {low, high} to search in between; with
log = true steps multiply.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.calls import parse_expression
from rankproof.kernel.specs.kinds import Param, Whole
from rankproof.stack.engines._kinds import Fields
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Step
from rankproof.stack.tune.records import TunedParameter


def with_values(
    texts: Mapping[str, str], parameters: Sequence[TunedParameter], values: Mapping[str, object]
) -> dict[str, str]:
    """The texts of all modes with the parameters set; the text of other modes stays as it is."""
    changed = dict(texts)
    for parameter in parameters:
        changed[parameter.mode] = with_value(changed[parameter.mode], parameter, values[parameter.name], changed)
    return changed


def modes_of(texts: Mapping[str, str]) -> dict[str, Step]:
    """The pipelines that texts describe; each may name those above it."""
    modes: dict[str, Step] = {}
    for name, text in texts.items():
        modes[name] = read_pipeline(text, modes)
    return modes


def with_value(text: str, parameter: TunedParameter, value: object, texts: Mapping[str, str]) -> str:
    """The text of a mode with one parameter set; UsageError where the step does not take the value."""
    tree, call = last_call(text)
    if parameter.element:
        value = _whole(modes_of(texts)[parameter.mode], call, parameter, value, texts)
    literal = ast.parse(repr(list(value) if isinstance(value, tuple) else value), mode="eval").body
    for keyword in call.keywords:
        if keyword.arg == parameter.param:
            keyword.value = literal
            break
    else:
        call.keywords.append(ast.keyword(parameter.param, literal))
    return ast.unparse(tree)


def last_call(text: str) -> tuple[ast.expr, ast.Call]:
    """The text as a tree, and the call that is its last step, which may be changed in place."""
    tree = parse_expression(text)
    above, last = None, tree
    while isinstance(last, ast.BinOp):
        above, last = last, last.right
    if isinstance(last, ast.Name):  # bm25 stands for bm25()
        last = ast.Call(last, [], [])
        if above is None:
            tree = last
        else:
            above.right = last
    assert isinstance(last, ast.Call), "the pipeline was read before"
    return tree, last


def element_of(step: Step, param: Param, call: ast.Call, element: str, texts: Mapping[str, str]) -> float:
    """One weight as it is now."""
    parts = _parts(step, param, element)
    return parts[_place(parts, call, element, texts)]


def _whole(step: Step, call: ast.Call, parameter: TunedParameter, value: object, texts: Mapping[str, str]) -> object:
    """The whole parameter with one of its weights set."""
    kind = _param(step, parameter.param).kind
    now = _parts(step, _param(step, parameter.param), parameter.element)
    parts: dict[str | int, object] = {**now}
    parts[_place(now, call, parameter.element, texts)] = value
    try:
        return kind.read(parts if isinstance(kind, Fields) else list(parts.values()))
    except ValueError as error:
        raise UsageError(f"{parameter.name} = {value!r}: {parameter.param} {error}.") from None


def _parts(step: Step, param: Param, element: str) -> dict[str | int, float]:
    """The weights of a parameter by name of a field, or by number from 1 on."""
    value = step.values[param.name]
    if isinstance(param.kind, Fields):
        if value is None:
            raise UsageError(
                f"{step.name} names no fields yet, so {element!r} has no weight to tune. Write them into the mode "
                "first, such as fields='title text'."
            )
        named = (part.partition("^") for part in value.split())
        return {name: float(weight or 1) for name, _, weight in named}
    if value is None and step.fuses:
        value = (1.0,) * len(step.inputs)
    if not isinstance(value, tuple) or not all(isinstance(part, float) for part in value):
        raise UsageError(f"{param.name} of {step.name} has no parts, so there is no {element!r} in it.")
    return dict(enumerate(value, 1))


def _place(parts: Mapping[str | int, float], call: ast.Call, element: str, texts: Mapping[str, str]) -> str | int:
    """The key of a part: a field's name, a number from 1 on, or the name of a mode that flows in."""
    if element in parts:
        return element
    if element.isdecimal() and int(element) in parts:
        return int(element)
    named = [arg.id if isinstance(arg, ast.Name) and arg.id in texts else "" for arg in call.args]
    if element in named and named.index(element) + 1 in parts:
        return named.index(element) + 1
    known = [str(part) for part in parts] + [name for name in named if name]
    raise UsageError(f"There is no weight {element!r}; there are: {', '.join(known)}. Numbers begin with 1.")


def _param(step: Step, name: str) -> Param:
    params: tuple[Param, ...] = shelf.find(step.shelf, step.name).params
    return next(param for param in params if param.name == name)


KEYS = ("low", "high", "step", "points", "log")
# More values than this for one parameter are a mistake in the step.
MOST_VALUES = 10_000


def read_parameters(table: object, texts: Mapping[str, str], place: str) -> tuple[TunedParameter, ...]:
    """The parameters of [tune.dials], in the order of the modes: those later in a pipeline vary faster."""
    specs = dict(_flat(table, "")) if isinstance(table, Mapping) else {}
    if not specs:
        raise UsageError(
            f"{place} names no parameter to tune. Add [tune.dials] with lines such as: lexical.k1 = [0.9, 1.2]"
        )
    modes = modes_of(texts)
    tuned = [_parameter(name, spec, texts, modes, place) for name, spec in specs.items()]
    for parameter in tuned:
        if parameter.element and any(
            other.mode == parameter.mode and other.name == f"{parameter.mode}.{parameter.param}" for other in tuned
        ):
            raise UsageError(
                f"{place}: {parameter.name} is a part of {parameter.mode}.{parameter.param}. Tune one of the two."
            )
    order = list(modes)
    return tuple(sorted(tuned, key=lambda parameter: order.index(parameter.mode)))


def _flat(table: Mapping[str, object], before: str) -> Iterator[tuple[str, object]]:
    """Names with points, whether they were written in quotes or as TOML's own dotted keys."""
    for key, value in table.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping) and not any(word in value for word in KEYS):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _parameter(
    name: str, spec: object, texts: Mapping[str, str], modes: Mapping[str, Step], place: str
) -> TunedParameter:
    mode, _, rest = name.partition(".")
    word, _, element = rest.partition(".")
    if mode not in modes:
        raise UnknownName(f"mode of {place} for the parameter {name!r}", mode, modes)
    _, call = last_call(texts[mode])
    if isinstance(call.func, ast.Name) and call.func.id in modes:
        raise UsageError(f"{place}: {mode} is another name of {call.func.id}. Tune {call.func.id}.{rest} instead.")
    step = modes[mode]
    params: dict[str, Param] = {param.name: param for param in shelf.find(step.shelf, step.name).params}
    if word not in params:
        inner = [s.name for s in step.steps() if s is not step and word in _names(s)]
        if inner:
            raise UsageError(
                f"{place}: the parameter {name} must be of the last step of {mode}, {step.name}, which has no "
                f"{word!r}. {inner[0]} has: give it a mode of its own, and name that mode in {mode}."
            )
        raise UnknownName(f"option of {step.name} for the parameter {name!r}", word, params)
    param = params[word]
    now = element_of(step, param, call, element, texts) if element else step.values[word]
    parameter = _valued(name, mode, word, element, now, spec, isinstance(param.kind, Whole) and not element, place)
    for value in parameter.values:
        try:
            modes_of({**texts, mode: with_value(texts[mode], parameter, value, texts)})
        except UsageError as error:
            raise UsageError(f"{place}, parameter {name}: {error}") from None
    return parameter


def _valued(
    name: str, mode: str, param: str, element: str, now: object, spec: object, whole: bool, place: str
) -> TunedParameter:
    """The parameter with the values that the configuration gives it."""
    if isinstance(spec, list):
        different = list({repr(value): value for value in spec}.values())
        if len(different) < 2:
            raise UsageError(
                f"{place}: the parameter {name} has {counted(len(different), 'value')}; tuning needs two or more."
            )
        return TunedParameter(name, mode, param, element, now, tuple(different))
    how = "a list of values, or {low = 0.5, high = 2.0, step = 0.1}"
    if not isinstance(spec, Mapping):
        raise UsageError(f"{place}: the parameter {name} must be {how}; got {spec!r}.")
    for key in spec:
        if key not in KEYS:
            raise UnknownName(f"key of the parameter {name} in {place}", key, KEYS)
    low, high, log = (_number(spec.get("low")), _number(spec.get("high")), spec.get("log", False))
    if low is None or high is None or not low < high or not isinstance(log, bool) or (log and low <= 0):
        raise UsageError(
            f"{place}: the parameter {name} needs numbers low and high, with low below high (and above 0 with log = "
            f"true), such as {{low = 0.5, high = 2.0}}; got {dict(spec)!r}."
        )
    if whole and not (float(low).is_integer() and float(high).is_integer()):
        raise UsageError(f"{place}: the parameter {name} takes whole numbers; got {dict(spec)!r}.")
    choices = _spaced(name, spec, low, high, log, whole, place)
    return TunedParameter(name, mode, param, element, now, choices, low, high, log, whole)


def _spaced(
    name: str, spec: Mapping[str, object], low: float, high: float, log: bool, whole: bool, place: str
) -> tuple[float, ...]:
    """The values by step or by number of points; none where the search goes in between."""
    step, points = spec.get("step"), spec.get("points")
    if step is None and points is None:
        return ()
    if step is not None and (points is not None or log):
        raise UsageError(f"{place}: the parameter {name} takes step or points, and with log = true only points.")
    if step is not None:
        width = _number(step)
        if width is None or not 0 < width <= high - low or (high - low) / width > MOST_VALUES:
            raise UsageError(f"{place}: step of the parameter {name} must be above 0 and fit between {low} and {high}.")
        # Decimals as they are written: 0.1 + 0.2 is 0.3 here.
        start, by = Decimal(str(low)), Decimal(str(width))
        values = [float(start + by * i) for i in range(int((Decimal(str(high)) - start) / by) + 1)]
    else:
        if not isinstance(points, int) or isinstance(points, bool) or not 2 <= points <= MOST_VALUES:
            raise UsageError(
                f"{place}: points of the parameter {name} must be a whole number, 2 or more; got {points!r}."
            )
        shares = [i / (points - 1) for i in range(points)]
        between = [low * (high / low) ** s if log else low + (high - low) * s for s in shares]
        values = [rounded(value) for value in between]
    if whole:
        if step is not None and any(not value.is_integer() for value in values):
            raise UsageError(f"{place}: the parameter {name} takes whole numbers; step is {step!r}.")
        return tuple(dict.fromkeys(round(value) for value in values))
    return tuple(values)


def rounded(value: float) -> float:
    """Four digits: what further ones would do is far below what queries can show."""
    return float(f"{value:.4g}")


def at_end(parameter: TunedParameter, value: object) -> bool:
    """Whether a value is the least or the greatest of three numbers or more, and not what is written already."""
    if not parameter.ordered or value == parameter.as_written or 0 < len(parameter.choices) < 3:
        return False
    return value in (parameter.values[0], parameter.values[-1])


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _names(step: Step) -> set[str]:
    return {param.name for param in shelf.find(step.shelf, step.name).params}
