"""Command lines about users that give JSON: one module for each command, which is all it takes to be run.

A module has CASES, and where it needs them FILES to be written and STORED, command lines that are run before.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.cli.json_case import Case

_MODULES = [import_module(f"{__name__}.{path.stem}") for path in sorted(Path(__file__).parent.glob("[!_]*.py"))]
CASES: list[Case] = [case for module in _MODULES for case in module.CASES]
FILES: dict[str, str] = {name: text for module in _MODULES for name, text in getattr(module, "FILES", {}).items()}
STORED: tuple[str, ...] = tuple(args for module in _MODULES for args in getattr(module, "STORED", ()))
