"""Names with options: `nDCG(gain=exp2)@10`, `trusted(judges=['ann'])`, and the calls that pipelines are made of."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import OptionValues, Param, show_number
from rankproof.kernel.specs.tables import read_params

_FORM = re.compile(r"(?P<name>[^()@\s]+)(?:\((?P<options>.*)\))?(?:@(?P<at>[^@()]+))?")


@dataclass(frozen=True, slots=True)
class Call:
    """A name with what stands after it.

    options   by name: Python values, or texts that a kind has still to parse
    inputs    what stands between the parentheses without a name: pipelines that flow into a stage
    at        the text after `@`; None where there is none
    """

    name: str
    options: OptionValues
    inputs: tuple[ast.expr, ...] = ()
    at: str | None = None


def split_call(text: str) -> Call | None:
    """`name(option=value, ...)@cutoff` with values as they are written, without quotes; None where it is none.

    The name may be any text: `11pt`, `alpha-nDCG`. An option without `=` becomes one without a value.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    given = match["options"]
    # A comma separates options, except in a mapping: {1:0,2:1}.
    parts = re.split(r",(?![^{]*\})", given) if given is not None and given.strip() else []
    options = {}
    for part in parts:
        name, _, value = part.partition("=")
        options[name.strip()] = value.strip()
    return Call(match["name"], options, at=match["at"])


def no_call(text: str) -> UsageError:
    """The error for the text of a known name whose options or cutoff cannot be read."""
    known = re.split(r"[(@]", text)[0]
    return UsageError(
        f"{text} cannot be read. After the name come its options in brackets, and then its cutoff: "
        f"{known}(option=value)@10."
    )


def parse_expression(text: str) -> ast.expr:
    """The text as a tree of Python's grammar; ValueError where it is none, SyntaxError among them with its place."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f" near character {error.offset}" if error.offset else "") from None
    except (ValueError, RecursionError, MemoryError):  # null bytes; nested too deep
        raise ValueError("") from None


def call_of(tree: ast.expr) -> Call | None:
    """The call that a tree is, its options evaluated; a bare name is a call without options; None for other trees.

    ValueError with the text of the option that is no Python literal.
    """
    if isinstance(tree, ast.Name):
        return Call(tree.id, {})
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return None
    options: dict[str, Any] = {}
    for keyword in tree.keywords:
        if keyword.arg is None:  # **options
            return None
        try:
            options[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError):
            raise ValueError(ast.unparse(keyword.value)) from None
    return Call(tree.func.id, options, tuple(tree.args))


def shown_options(params: tuple[Param, ...], values: OptionValues) -> dict[str, str]:
    """The options that differ from the defaults, as Python literals."""
    return {
        param.name: repr(list(value) if isinstance(value, tuple) else value)
        for param in params
        if (value := values[param.name]) != param.default
    }


def call_text(name: str, params: tuple[Param, ...], values: OptionValues, at: float | None = None) -> str:
    """The canonical text of a name with options that are texts: `nDCG(gain=exp2)@10`. Defaults are left out."""
    options = ""
    for param in params:
        if values[param.name] != param.default:
            options += f",{param.name}={param.kind.show(values[param.name])}"
    text = f"{name}({options[1:]})" if options else name
    if at is None:
        return text
    return f"{text}@{at if isinstance(at, int) else show_number(at)}"


@dataclass(frozen=True, slots=True, eq=False)
class Configured:
    """An item of a shelf with a value for every parameter. `text` names it and the values that are no defaults."""

    item: Any
    values: OptionValues
    text: str

    def __str__(self) -> str:
        return self.text


def read_configured(shelf_name: str, text: str) -> Configured:
    """The item that a text names, with its options: `NAME` or `NAME(option=value, ...)`."""
    try:
        call = call_of(parse_expression(text))
    except ValueError:
        call = None
    if call is None or call.inputs:
        raise UsageError(
            f"The {shelf.KINDS[shelf_name]} {text!r} cannot be read. Write a name, with options in parentheses where "
            "there are any: name(option=1, other='text', more=['a', 'b'])."
        )
    return configure(shelf_name, call.name, call.options)


def configure(shelf_name: str, name: str, options: Mapping[str, object]) -> Configured:
    """The item called `name` with these options and defaults for the rest."""
    item = shelf.find(shelf_name, name)
    values = read_params(options, item.params, name, noun=f"option of {name}")
    shown = shown_options(item.params, values)
    text = ", ".join(f"{option}={value}" for option, value in shown.items())
    return Configured(item, values, f"{name}({text})" if text else name)
