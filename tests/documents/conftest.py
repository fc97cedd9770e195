"""The wheel, built once for all tests that install it."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.documents.pages import ROOT
from tests.documents.processes import python


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    if find_spec("scikit_build_core") is not None:
        build.insert(3, "--no-build-isolation")
    python(sys.executable, *build, folder=folder)
    (made,) = folder.glob("rankproof-*.whl")
    return made
