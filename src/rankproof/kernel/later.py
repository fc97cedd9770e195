"""Values that are computed on first use, once, from any thread."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class Later(Generic[Value]):
    """`later()` is the value. It is computed at most once, on first use, also with several threads."""

    __slots__ = ("_lock", "_make", "_value")

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make: Callable[[], Value] | None = make
        self._lock = Lock()

    def __call__(self) -> Value:
        """The value."""
        if self._make is not None:
            with self._lock:
                if self._make is not None:
                    self._value = self._make()
                    self._make = None  # the function and its inputs can be freed
        return self._value

    def __repr__(self) -> str:
        return "Later(...)" if self._make is not None else f"Later({self._value!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self(),)  # another process gets the value, not the way to make it


def _made(value: Value) -> Later[Value]:
    """A Later whose value is already computed."""
    later: Later[Value] = Later(lambda: value)
    later()
    return later


class LateField(Generic[Value]):
    """A field of a frozen dataclass (without slots) that may be given as a Later: it is made when first read.

    `part: LateField[Part | None] = LateField(lambda: None)`; the function gives the default.
    """

    def __init__(self, default: Callable[[], Value]) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, record: None, owner: type) -> Value: ...
    @overload
    def __get__(self, record: object, owner: type) -> Value: ...
    def __get__(self, record: object | None, owner: type) -> Any:
        if record is None:
            return self  # what a dataclass takes for the default; `__set__` knows it
        value = record.__dict__[self._name]
        return value() if isinstance(value, Later) else value

    def __set__(self, record: object, value: Value | Later[Value]) -> None:
        given: object = value
        record.__dict__[self._name] = self._default() if given is self else given

    def __repr__(self) -> str:
        return repr(self._default())
