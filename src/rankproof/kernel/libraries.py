"""Optional libraries: imported when used, and reported with the install line when they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rankproof.errors import MissingExtra


def library(name: str, what: str, extra: str = "dense") -> Any:
    """The module; MissingExtra where its library is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        top = name.split(".")[0]
        if error.name not in (name, top):
            raise  # the library is there and broken: its own error says more
        raise MissingExtra(what, top, extra) from None
