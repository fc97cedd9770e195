"""Turning: the texts of the modes with dials set to values; pipelines that name such a mode change with it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.engines._fields import Fields
from rankproof.errors import UsageError
from rankproof.flow.pipelines.reading import read_pipeline
from rankproof.records.params import Param
from rankproof.records.pipeline import Step
from rankproof.records.tuning import Dial


def turned(texts: Mapping[str, str], dials: Sequence[Dial], values: Mapping[str, Any]) -> dict[str, str]:
    """The texts of all modes with the dials set. Modes that no dial belongs to keep theirs, letter for letter."""
    found = dict(texts)
    for dial in dials:
        found[dial.mode] = with_value(found[dial.mode], dial, values[dial.name], found)
    return found


def modes_of(texts: Mapping[str, str]) -> dict[str, Step]:
    """The pipelines that texts describe, each with those above it at hand."""
    modes: dict[str, Step] = {}
    for name, text in texts.items():
        modes[name] = read_pipeline(text, modes)
    return modes


def with_value(text: str, dial: Dial, value: Any, texts: Mapping[str, str]) -> str:
    """The text of a mode with one dial set; UsageError where the step does not take the value."""
    tree, call = opened(text)
    if dial.element:
        value = _whole(modes_of(texts)[dial.mode], call, dial, value, texts)
    literal = ast.parse(repr(list(value) if isinstance(value, tuple) else value), mode="eval").body
    for keyword in call.keywords:
        if keyword.arg == dial.param:
            keyword.value = literal
            break
    else:
        call.keywords.append(ast.keyword(dial.param, literal))
    return ast.unparse(tree)


def opened(text: str) -> tuple[ast.expr, ast.Call]:
    """The text as a tree, and the call that is its last step, which may be changed in place."""
    tree = ast.parse(text.strip(), mode="eval").body
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


def element_of(step: Step, param: Param, call: ast.Call, element: str, texts: Mapping[str, str]) -> Any:
    """One weight as it is now."""
    parts = _parts(step, param, element)
    return parts[_place(parts, call, element, texts)]


def _whole(step: Step, call: ast.Call, dial: Dial, value: Any, texts: Mapping[str, str]) -> Any:
    """The whole parameter with one of its weights set."""
    kind = _param(step, dial.param).kind
    parts = _parts(step, _param(step, dial.param), dial.element)
    parts[_place(parts, call, dial.element, texts)] = value
    try:
        return kind.read(parts if isinstance(kind, Fields) else list(parts.values()))
    except ValueError as error:
        raise UsageError(f"{dial.name} = {value!r}: {dial.param} {error}.") from None


def _parts(step: Step, param: Param, element: str) -> dict[Any, float]:
    """The weights of a parameter by name of a field, or by number from 1 on."""
    value = step.values[param.name]
    if isinstance(param.kind, Fields):
        if value is None:
            raise UsageError(
                f"{step.name} names no fields yet, so {element!r} has no weight to turn. Write them into the mode "
                "first, such as fields='title text'."
            )
        named = (part.partition("^") for part in value.split())
        return {name: float(weight or 1) for name, _, weight in named}
    if value is None and step.fuses:
        value = (1.0,) * len(step.inputs)
    if not isinstance(value, tuple) or not all(isinstance(part, float) for part in value):
        raise UsageError(f"{param.name} of {step.name} has no parts, so there is no {element!r} in it.")
    return dict(enumerate(value, 1))


def _place(parts: Mapping[Any, float], call: ast.Call, element: str, texts: Mapping[str, str]) -> Any:
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
    from rankproof import shelf

    found: Param = next(param for param in shelf.find(step.shelf, step.name).params if param.name == name)
    return found
