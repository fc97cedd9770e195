"""What a measure's parameter may hold: how its text is read, checked and written back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

from rankproof.kernel.specs import show_number


class TextKind(Protocol):
    """Reads a parameter's text into a value and writes the value back."""

    def read(self, text: str) -> Any:
        """The value; ValueError with what is possible when the text is wrong."""

    def show(self, value: Any) -> str:
        """Text that reads back to the same value."""


@dataclass(frozen=True, slots=True)
class WholeText:
    """A whole number, `least` or more."""

    least: int = 0

    def read(self, text: str) -> int:
        """The number."""
        try:
            value = int(text)
        except ValueError:
            value = self.least - 1
        if value < self.least:
            raise ValueError(f"must be a whole number, {self.least} or more; got {text!r}")
        return value

    def show(self, value: int) -> str:
        """Its digits."""
        return str(value)


@dataclass(frozen=True, slots=True)
class NumberText:
    """A number between `low` and `high`; `open_high` leaves `high` itself out, `open_low` likewise `low`."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def read(self, text: str) -> float:
        """The number."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        fits = self.low <= value <= self.high and math.isfinite(value)
        if (self.open_low and value == self.low) or (self.open_high and value == self.high):
            fits = False
        if not fits:
            left, right = ("above" if self.open_low else "from"), ("below" if self.open_high else "to")
            raise ValueError(f"must be a number {left} {self.low:g} {right} {self.high:g}; got {text!r}")
        return value

    def show(self, value: float) -> str:
        """Shortest text that reads back."""
        return show_number(value)


@dataclass(frozen=True, slots=True)
class ChoiceText:
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, text: str) -> str:
        """The word."""
        if text not in self.words:
            raise ValueError(f"must be one of {', '.join(self.words)}; got {text!r}")
        return text

    def show(self, value: str) -> str:
        """The word."""
        return value


@dataclass(frozen=True, slots=True)
class Optional:
    """Another kind, or nothing; `word` is the text for nothing."""

    kind: Any
    word: str

    def read(self, text: str) -> Any:
        """None for the word, else what the other kind reads."""
        return None if text == self.word else self.kind.read(text)

    def show(self, value: Any) -> str:
        """The word for None, else what the other kind writes."""
        return self.word if value is None else str(self.kind.show(value))


@dataclass(frozen=True, slots=True)
class Numbers:
    """Several numbers, separated by `;` (a comma separates parameters)."""

    count: int | None = None

    def read(self, text: str) -> tuple[float, ...]:
        """The numbers, in the order given."""
        try:
            values = tuple(float(part) for part in text.split(";"))
        except ValueError:
            values = ()
        if not values or not all(map(math.isfinite, values)) or self.count not in (None, len(values)):
            wanted = f"{self.count} numbers" if self.count else "numbers"
            raise ValueError(f"must be {wanted} separated by ';'; got {text!r}")
        return values

    def show(self, value: tuple[float, ...]) -> str:
        """The numbers, separated by `;`."""
        return ";".join(show_number(v) for v in value)
