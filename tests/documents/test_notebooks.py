"""The notebooks run, and give what they show; each is short, and its stored outputs are the same on every machine."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.documents.pages import DOCS

pytest.importorskip("pandas")
MOST_CELLS = 17


def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_notebooks", DOCS / "run_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


RUNNER = runner()
NOTEBOOKS: list[Path] = RUNNER.notebooks()
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def stored(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return notebook


def test_there_are_at_most_four() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["1-pandas", "2-rag-retriever", "3-benchmark", "4-ab-test"]


@every_notebook
def test_a_notebook_gives_what_it_shows(path: Path) -> None:
    """`python docs/run_notebooks.py` stores new outputs."""
    notebook = stored(path)
    assert RUNNER.texts(RUNNER.executed(notebook)) == RUNNER.texts(notebook)


@every_notebook
def test_a_notebook_is_short_and_its_outputs_name_no_place_and_no_time(path: Path) -> None:
    notebook = stored(path)
    assert len(notebook["cells"]) <= MOST_CELLS
    assert notebook["cells"][0]["cell_type"] == "markdown"
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    told = "\n".join(RUNNER.texts(notebook))
    assert not re.search(r"/(home|tmp|work|root|usr)/|0x[0-9a-f]{6,}|seconds", told)
    assert path.read_text("utf-8") == RUNNER.written(notebook)


def test_the_runner_shows_what_a_kernel_shows() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["x = 2\n", "print('printed')\n", "x + 1"]},
        {"cell_type": "code", "source": ["x = 3"]},
    ]
    made = RUNNER.executed({"cells": cells})
    assert made["cells"][0] == cells[0]
    assert [output["output_type"] for output in made["cells"][1]["outputs"]] == ["stream", "execute_result"]
    assert RUNNER.texts(made) == ["printed\n", "3"]
    assert made["cells"][2]["outputs"] == []
    with pytest.raises(ZeroDivisionError):
        RUNNER.executed({"cells": [{"cell_type": "code", "source": ["1 / 0"]}]})
