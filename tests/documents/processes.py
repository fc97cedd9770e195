"""Programs and scripts that tests of documents run."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from tests.documents.pages import DOCS


def python(program: str | Path, *args: str, folder: Path) -> str:
    """A program that must end well, in a folder that is not the repository's."""
    told = subprocess.run([str(program), *args], cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


def script_of_docs(name: str) -> ModuleType:
    """A script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found  # its dataclasses look their module up by name
    spec.loader.exec_module(found)
    return found
