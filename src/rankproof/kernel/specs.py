"""Names with options: the kinds of values that parameters take, and the reader of `name(option=value, ...)`."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf


class _Required:
    """The default of a parameter that has none: whoever asks must say it."""

    def __repr__(self) -> str:
        return "none: it must be said"


REQUIRED: Final = _Required()


def show_number(value: float) -> str:
    """Shortest text of a number that reads back to it; whole numbers without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def finite(value: Any) -> float | None:
    """The number that a value of TOML or JSON is; None for what is none, is infinite, or has too many digits."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    with suppress(OverflowError):  # whole numbers have no limit there
        number = float(value)
        return number if math.isfinite(number) else None
    return None


class Kind(Protocol):
    """Checks a value as a configuration gives it, typed, and writes it back."""

    def read(self, value: Any) -> Any:
        """The value; ValueError with what is possible when it is another."""

    def show(self, value: Any) -> str:
        """The value as a person would write it."""


@dataclass(frozen=True, slots=True)
class Param:
    """A choice that an item leaves open: what it may hold, what it is when nothing is said, what it means."""

    name: str
    kind: Kind
    default: Any
    meaning: str


def _show(value: Any) -> str:
    return "none" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Number:
    """A number between `low` and `high`; `open_low` and `open_high` leave the ends out."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def read(self, value: Any) -> float:
        """The number."""
        number = finite(value)
        if number is None or not self._holds(number):
            raise ValueError(f"must be a number{self._range()}; got {value!r:.40}")
        return number

    def _holds(self, number: float) -> bool:
        left_out = (self.open_low and number == self.low) or (self.open_high and number == self.high)
        return self.low <= number <= self.high and not left_out

    def _range(self) -> str:
        low = f" {'above' if self.open_low else 'from'} {self.low:g}" if math.isfinite(self.low) else ""
        high = f" {'below' if self.open_high else 'to'} {self.high:g}" if math.isfinite(self.high) else ""
        return f"{low}{high}" if high or self.open_low or not low else f"{low} on"

    def show(self, value: float | None) -> str:
        """Its shortest text."""
        return _show(value) if value is None else show_number(value)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number, `least` or more."""

    least: int = 1

    def read(self, value: Any) -> int:
        """The number."""
        if not isinstance(value, int) or isinstance(value, bool) or value < self.least:
            raise ValueError(f"must be a whole number, {self.least} or more; got {value!r}")
        return value

    def show(self, value: int | None) -> str:
        """Its digits."""
        return _show(value)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, value: Any) -> str:
        """The word."""
        if value not in self.words:
            raise ValueError(f"must be one of {', '.join(repr(word) for word in self.words)}; got {value!r}")
        return str(value)

    def show(self, value: str | None) -> str:
        """The word."""
        return _show(value)


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""

    def read(self, value: Any) -> bool:
        """The flag."""
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false; got {value!r}")
        return value

    def show(self, value: bool) -> str:
        """As TOML has it."""
        return "true" if value else "false"


@dataclass(frozen=True, slots=True)
class Text:
    """Any text that is not empty; `empty` allows "" too, where saying nothing and saying "" differ."""

    empty: bool = False

    def read(self, value: Any) -> str:
        """The text."""
        if not isinstance(value, str) or not (value.strip() or (self.empty and not value)):
            raise ValueError(f"must be a text{', or empty' if self.empty else ''}; got {value!r}")
        return value

    def show(self, value: str | None) -> str:
        """The text."""
        return '""' if self.empty and value == "" else _show(value or None)


class Path(Text):
    """A file, named from the folder of the file that names it."""


@dataclass(frozen=True, slots=True)
class Texts:
    """A list of one or more texts."""

    def read(self, value: Any) -> tuple[str, ...]:
        """The texts, each once."""
        if not isinstance(value, list | tuple) or not value or not all(isinstance(v, str) and v for v in value):
            raise ValueError(f'must be a list of texts, such as ["q1", "q2"]; got {value!r}')
        return tuple(dict.fromkeys(value))

    def show(self, value: tuple[str, ...] | None) -> str:
        """The texts with commas."""
        return _show(", ".join(value) if value else None)


@dataclass(frozen=True, slots=True, eq=False)
class Configured:
    """An item of a shelf with every choice made. `text` names it and the choices that differ from the defaults."""

    item: Any
    values: Mapping[str, Any]
    text: str

    def __str__(self) -> str:
        return self.text


def read_configured(shelf_name: str, text: str) -> Configured:
    """The item that a text names, with its choices: `NAME` or `NAME(choice=value, ...)`."""
    kind = shelf.KINDS[shelf_name]
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the latter two: nested beyond all reason
        raise _unreadable(kind, text) from None
    if isinstance(tree, ast.Name):
        return configure(shelf_name, tree.id, {})
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
    return configure(shelf_name, tree.func.id, said)


def configure(shelf_name: str, name: str, said: Mapping[str, Any]) -> Configured:
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
    return Configured(item, values, f"{name}({', '.join(shown)})" if shown else name)


def _unreadable(kind: str, text: str) -> UsageError:
    return UsageError(
        f"The {kind} {text!r} cannot be read. Write a name, with choices in parentheses where there are any: "
        "name(choice=1, other='text', more=['a', 'b'])."
    )


def _shown(value: Any) -> str:
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
