"""Optional libraries: imported when used, and reported with the install line when they are missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from rankproof.errors import MissingExtra


def library(name: str, what: str, extra: str = "dense", package: str = "") -> ModuleType:
    """The module; MissingExtra where its library is not installed.

    what      the feature that needs it, for the message
    package   the name of the library for installation, if not that of its module
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        top = name.split(".")[0]
        if error.name not in (name, top):
            raise  # the library is installed but broken: its own error says more
        raise MissingExtra(what, package or top, extra) from None
