"""Later: a text that costs something to make, made when somebody asks for it, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


class Later:
    """`later()` is the text. Who never asks never pays; who asks twice pays once."""

    __slots__ = ("_make", "_text")

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make
        self._text: str | None = None

    def __call__(self) -> str:
        """The text."""
        if self._text is None:
            self._text = self._make()
        return self._text

    def __repr__(self) -> str:
        return "Later(...)" if self._text is None else f"Later({self._text!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial, (str, self())  # another process gets the text, not the way to make it
