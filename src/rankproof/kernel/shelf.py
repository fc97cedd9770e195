"""Finds what the files of a shelf offer, and other packages' entry points.

A shelf is a folder of modules. A module on it ends in ``OFFERS = (item, ...)`` and every item has a
``name``. Adding the file is the whole registration: the command line, the generated reference,
``rankproof explain`` and the contract tests all read the shelf through this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from rankproof.errors import UnknownName

# Shelf folder -> the singular noun used in messages and pages.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "measures": "measure",
        "spanmeasures": "span measure",
        "dialects": "dialect",
        "formats": "format",
        "checks": "check",
        "similarities": "similarity",
        "engines": "engine",
        "stages": "stage",
        "significance": "significance method",
        "corrections": "correction",
        "adjudications": "adjudication",
        "selections": "selection",
        "interleavings": "interleaving",
        "judges": "judge",
        "clickmodels": "click model",
        "estimators": "estimator",
        "trials": "trial method",
        "rules": "rule",
        "diagnoses": "diagnosis",
        "reports": "report",
    }
)

# Shelf -> the package that holds its items.
PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "measures": "rankproof.measuring.measures",
        "spanmeasures": "rankproof.measuring.spans.measures",
        "dialects": "rankproof.measuring.dialects",
        "similarities": "rankproof.measuring.similarities",
        "formats": "rankproof.reading.formats",
        "checks": "rankproof.reading.checks",
        "engines": "rankproof.stack.engines",
        "stages": "rankproof.stack.stages",
        "significance": "rankproof.proving.significance",
        "corrections": "rankproof.proving.corrections",
        "rules": "rankproof.proving.rules",
        "diagnoses": "rankproof.proving.diagnoses",
        "adjudications": "rankproof.judging.adjudications",
        "selections": "rankproof.judging.selections",
        "judges": "rankproof.judging.judges",
        "interleavings": "rankproof.online.interleavings",
        "clickmodels": "rankproof.online.clickmodels",
        "estimators": "rankproof.online.estimators",
        "trials": "rankproof.online.trials",
        "reports": "rankproof.reports.forms",
    }
)
# Modules of a shelf that hold no item: its contract, and what only some of its items share (with an underscore).
_CONTRACT = "contract"

_loaded: dict[str, dict[str, Any]] = {}
_with_plugins: set[str] = set()


def offered(shelf: str) -> Mapping[str, Any]:
    """The items that rankproof's own files put on a shelf, by name, in file order."""
    items = _loaded.get(shelf)
    if items is None:
        items = _loaded[shelf] = _load(shelf)
    return items


def everything(shelf: str) -> Mapping[str, Any]:
    """The items of a shelf, with those that installed packages add by entry point."""
    offered(shelf)
    items = _loaded[shelf]
    if shelf not in _with_plugins:
        # Scanning installed packages costs more than the rest of start-up, so it is done only on request.
        from importlib.metadata import entry_points

        for point in entry_points(group=f"rankproof.{shelf}"):
            for item in point.load():
                _add(items, item, f"entry point {point.name}")
        _with_plugins.add(shelf)
    return items


def glance(shelf: str, name: str) -> Any | None:
    """The item that the file of its own name offers, without loading the rest of the shelf.

    Most items live in a file of their name, in small letters; a short command needs two or three of them and
    should not pay for the whole shelf. None means only that the whole shelf has to be searched.
    """
    if shelf in _loaded:
        return _loaded[shelf].get(name)
    file = name.casefold()
    if not file.isidentifier() or file.startswith("_") or file == _CONTRACT:
        return None
    module = f"{PACKAGES[shelf]}.{file}"
    try:
        offers = import_module(module).OFFERS
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None
    for item in offers:
        if item.name == name:
            return item
    return None


def find(shelf: str, name: str) -> Any:
    """The item called `name`; an error that suggests similar names when there is none."""
    item = glance(shelf, name)
    if item is not None:
        return item
    items = offered(shelf)
    if name in items:
        return items[name]
    items = everything(shelf)
    if name in items:
        return items[name]
    raise unknown(shelf, name, items)


def canonical(shelf: str, name: str) -> str:
    """The name of the item that is called `name`, or so in another spelling; an error where there is none.

    >>> canonical("significance", "paired t-test")
    't'
    """
    item = glance(shelf, name)
    if item is None:
        items = everything(shelf)
        spelled = {spelling: item for item in items.values() for spelling in getattr(item, "spellings", ())}
        item = items.get(name) or spelled.get(name.casefold().replace("_", "-").replace(" ", "-"))
        if item is None:
            raise unknown(shelf, name, [*items, *spelled])
    found: str = item.name
    return found


def unknown(shelf: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for a name that no item of a shelf has; `known` are its names, with other spellings of them."""
    return UnknownName(KINDS[shelf], name, known, f"`rankproof explain {shelf}` lists all.")


def _load(shelf: str) -> dict[str, Any]:
    package = import_module(PACKAGES[shelf])
    items: dict[str, Any] = {}
    modules = {
        file[:-3]
        for folder in package.__path__
        for file in os.listdir(folder)
        if file.endswith(".py") and not file.startswith("_") and file[:-3] != _CONTRACT
    }
    for module in sorted(modules):
        for item in import_module(f"{PACKAGES[shelf]}.{module}").OFFERS:
            _add(items, item, f"{PACKAGES[shelf]}.{module}")
    return items


def _add(items: dict[str, Any], item: Any, where: str) -> None:
    if item.name in items:
        raise TypeError(f"{where} offers {item.name!r}, but that name is taken on this shelf")
    items[item.name] = item
