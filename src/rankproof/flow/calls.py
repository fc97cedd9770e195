"""Calls: a shelf item with its choices, as a text that reads back to itself: `trusted(judges=['ann'])`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof import shelf
from rankproof.errors import UnknownName, UsageError
from rankproof.records.params import REQUIRED


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """An item of a shelf with every choice made. `text` names it and the choices that differ from the defaults."""

    item: Any
    values: Mapping[str, Any]
    text: str

    def __str__(self) -> str:
        return self.text


def read_call(shelf_name: str, text: str) -> Call:
    """The item that a text names, with its choices: `NAME` or `NAME(choice=value, ...)`."""
    kind = shelf.KINDS[shelf_name]
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the latter two: nested beyond all reason
        raise _unreadable(kind, text) from None
    if isinstance(tree, ast.Name):
        return call(shelf_name, tree.id, {})
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name) or tree.args:
        raise _unreadable(kind, text)
    said: dict[str, Any] = {}
    for keyword in tree.keywords:
        try:
            said[str(keyword.arg)] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError):
            raise _unreadable(kind, text) from None
        if keyword.arg is None:
            raise _unreadable(kind, text)
    return call(shelf_name, tree.func.id, said)


def call(shelf_name: str, name: str, said: Mapping[str, Any]) -> Call:
    """The item called `name` with these choices and the defaults for the rest."""
    item = shelf.find(shelf_name, name)
    known = {param.name: param for param in item.params}
    for choice in said:
        if choice not in known:
            if not known:
                raise UsageError(f"{name} takes no choices; {choice!r} came. Leave it out.")
            raise UnknownName(f"choice of {name}", choice, known)
    values: dict[str, Any] = {}
    for param in item.params:
        if param.name not in said and param.default is REQUIRED:
            raise UsageError(f"{name} needs {param.name}: {param.meaning}.")
        try:
            values[param.name] = param.kind.read(said[param.name]) if param.name in said else param.default
        except ValueError as error:
            raise UsageError(f"{param.name} of {name} {error}.") from None
    shown = [f"{p.name}={_shown(values[p.name])}" for p in item.params if values[p.name] != p.default]
    return Call(item, values, f"{name}({', '.join(shown)})" if shown else name)


def _unreadable(kind: str, text: str) -> UsageError:
    return UsageError(
        f"The {kind} {text!r} cannot be read. Write a name, with choices in parentheses where there are any: "
        "name(choice=1, other='text', more=['a', 'b'])."
    )


def _shown(value: Any) -> str:
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
