"""Kinds of values: what a parameter may hold, read from a typed value or from a text, checked and written back."""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from rankproof.kernel import shelf

# Parameters by name. What a value is depends on its parameter's kind, which only the item that declares it knows.
OptionValues = Mapping[str, Any]


# The greatest whole number of a parameter: a rank, a grade or a count beyond it is a slip.
MOST_WHOLE = 2**31 - 1
# Python refuses to write out longer numbers.
MOST_SHOWN = 10**100


class _Required:
    """The default of a parameter that has none: it must be given."""

    def __repr__(self) -> str:
        return "none: it must be given"


REQUIRED: Final = _Required()


def show_number(value: float) -> str:
    """Shortest text of a number that reads back to it; whole numbers without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def finite(value: object) -> float | None:
    """The number that a value of TOML or JSON is; None for other values, infinities and numbers beyond a float."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    with suppress(OverflowError):  # whole numbers have no limit there
        number = float(value)
        return number if math.isfinite(number) else None
    return None


class Kind(ABC):
    """What a parameter may hold. A kind of your own is a subclass with `read` and, where it has its own text, `parse`.

    read     a typed value, as TOML, JSON or a Python literal gives it: `gain = "exp2"`
    parse    a text without quotes, as the name of a measure gives it: `nDCG(gain=exp2)`
    show     the value as a person would write it

    `read` and `parse` raise ValueError that says what is possible: "must be a number from 0 to 1; got 2".
    """

    __slots__ = ()

    @abstractmethod
    def read(self, value: Any) -> Any:
        """The value that a typed value stands for."""

    def parse(self, text: str) -> Any:
        """The value that a text stands for: a Python literal, or the text itself where it is none."""
        try:
            value = ast.literal_eval(text)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            value = text
        return self.read(value)

    def show(self, value: Any) -> str:
        """The value as a person would write it."""
        return "none" if value is None else str(value)


class Param(NamedTuple):
    """A parameter of an item: its name, what it may hold, its default (or REQUIRED), and what it means."""

    name: str
    kind: Kind
    default: Any
    meaning: str


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A number between `low` and `high`; `open_low` and `open_high` leave the ends out."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def read(self, value: object) -> float:
        """The number."""
        number = finite(value)
        if number is None or not self._holds(number):
            raise ValueError(f"must be a number{self._range()}; got {value!r:.40}")
        return number

    def parse(self, text: str) -> float:
        """The number that the text is."""
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or not self._holds(number):
            raise ValueError(f"must be a number{self._range()}; got {text!r:.40}")
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
        return "none" if value is None else show_number(value)


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number, `least` or more, and no more than what compiled code counts to."""

    least: int = 1

    def read(self, value: object) -> int:
        """The number."""
        if not isinstance(value, int) or isinstance(value, bool) or not self.least <= value <= MOST_WHOLE:
            raise ValueError(
                self._wrong(
                    f"{value!r:.40}" if not isinstance(value, int) or abs(value) < MOST_SHOWN else "a longer number"
                )
            )
        return value

    def parse(self, text: str) -> int:
        """The number that the digits are."""
        with suppress(ValueError):
            if self.least <= (number := int(text)) <= MOST_WHOLE:
                return number
        raise ValueError(self._wrong(f"{text!r:.40}"))

    def _wrong(self, got: str) -> str:
        most = f" and below {MOST_WHOLE + 1:,}" if got.strip("'").isdigit() else ""
        return f"must be a whole number, {self.least} or more{most}; got {got}"


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, value: object) -> str:
        """The word."""
        if value not in self.words:
            raise ValueError(f"must be one of {', '.join(repr(word) for word in self.words)}; got {value!r}")
        return str(value)

    def parse(self, text: str) -> str:
        """The word."""
        return self.read(text)


class Flag(Kind):
    """true or false."""

    __slots__ = ()

    def read(self, value: object) -> bool:
        """The flag."""
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false; got {value!r}")
        return value

    def parse(self, text: str) -> bool:
        """The flag that the word is."""
        return self.read({"true": True, "false": False}.get(text.casefold(), text))

    def show(self, value: bool) -> str:
        """As TOML has it."""
        return "true" if value else "false"


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """Any text that is not empty; `empty` allows "" too, where "" and no value differ."""

    empty: bool = False

    def read(self, value: object) -> str:
        """The text."""
        if not isinstance(value, str) or not (value.strip() or (self.empty and not value)):
            raise ValueError(f"must be a text{', or empty' if self.empty else ''}; got {value!r}")
        return value

    def parse(self, text: str) -> str:
        """The text."""
        return self.read(text)

    def show(self, value: str | None) -> str:
        """The text."""
        return '""' if self.empty and value == "" else value or "none"


class Path(Text):
    """A file, named from the folder of the file that names it."""


class Texts(Kind):
    """A list of one or more texts; separated by `;` where they are a text."""

    __slots__ = ()

    def read(self, value: object) -> tuple[str, ...]:
        """The texts, each once."""
        if not isinstance(value, list | tuple) or not value or not all(isinstance(v, str) and v for v in value):
            raise ValueError(f'must be a list of texts, such as ["q1", "q2"]; got {value!r}')
        return tuple(dict.fromkeys(value))

    def parse(self, text: str) -> tuple[str, ...]:
        """The texts between semicolons."""
        return self.read(text.split(";"))

    def show(self, value: tuple[str, ...] | None) -> str:
        """The texts with commas."""
        return ", ".join(value) if value else "none"


@dataclass(frozen=True, slots=True)
class Numbers(Kind):
    """Several numbers; separated by `;` where they are a text (a comma separates parameters)."""

    count: int | None = None

    def read(self, value: object) -> tuple[float, ...]:
        """The numbers, in the order given."""
        numbers = tuple(map(finite, value)) if isinstance(value, list | tuple) else ()
        given = tuple(number for number in numbers if number is not None)
        return self._counted(given if len(given) == len(numbers) else (), value)

    def parse(self, text: str) -> tuple[float, ...]:
        """The numbers between semicolons."""
        try:
            numbers = tuple(float(part) for part in text.split(";"))
        except ValueError:
            numbers = ()
        return self._counted(numbers if all(map(math.isfinite, numbers)) else (), text)

    def _counted(self, numbers: tuple[float, ...], value: object) -> tuple[float, ...]:
        if not numbers or self.count not in (None, len(numbers)):
            expected = f"{self.count} numbers" if self.count else "numbers"
            raise ValueError(f"must be {expected} separated by ';'; got {value!r}")
        return numbers

    def show(self, value: tuple[float, ...]) -> str:
        """The numbers, separated by `;`."""
        return ";".join(show_number(number) for number in value)


@dataclass(frozen=True, slots=True)
class Optional(Kind):
    """Another kind, or None; `word` is the text for None."""

    kind: Kind
    word: str

    def read(self, value: object) -> Any:
        """None for None or the word, else what the other kind reads."""
        return None if value is None or value == self.word else self.kind.read(value)

    def parse(self, text: str) -> Any:
        """None for the word, else what the other kind parses."""
        return None if text == self.word else self.kind.parse(text)

    def show(self, value: object) -> str:
        """The word for None, else what the other kind writes."""
        return self.word if value is None else self.kind.show(value)


@dataclass(frozen=True, slots=True)
class ItemName(Kind):
    """The name of an item on a shelf: a dialect, a significance method. UnknownName where there is none."""

    shelf: str

    def read(self, value: object) -> str:
        """The name."""
        return shelf.canonical(self.shelf, Text().read(value))

    def parse(self, text: str) -> str:
        """The name."""
        return self.read(text)
