"""The wheel alone: built from this tree and installed by itself, it runs every command of the README."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.documents.pages import ROOT, Block
from tests.documents.processes import python
from tests.documents.test_readme import README, Newcomer

# Building takes the compiler about a minute; what the wheel needs comes from the package index.
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(find_spec("pip") is None, reason="pip builds and installs the wheel"),
]
MOST_BYTES = 4_000_000


@pytest.fixture(scope="module")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel and what it asks for, and nothing else."""
    folder = tmp_path_factory.mktemp("alone")
    python(sys.executable, "-m", "venv", "env", folder=folder)
    programs = folder / "env" / "bin"
    pins = str(ROOT / "constraints.txt")
    python(programs / "python", "-m", "pip", "install", "--quiet", "-c", pins, str(wheel), folder=folder)
    return programs


class Stranger(Newcomer):
    """A reader in an empty folder whose `rankproof` and `python` are those of the environment."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.here = folder / "empty"
        self.here.mkdir()
        self.python = programs / "python"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self.environment = {**kept, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}

    def run(self, block: Block) -> list[str]:
        page = self.here / "page.txt"
        page.write_text(block.text, encoding="utf-8")
        told = subprocess.run(
            [self.python, "-m", "doctest", "-o", "ELLIPSIS", page.name],
            cwd=self.here, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        page.unlink()
        return [] if told.returncode == 0 else [f"{block.place}\n{told.stdout}{told.stderr}"]


def test_every_command_of_the_readme_runs_with_the_wheel_alone(alone: Path, tmp_path: Path) -> None:
    wrong = Stranger(tmp_path, alone).read(README)
    assert not wrong, "\n\n".join(wrong)
    place = python(alone / "python", "-c", "import rankproof; print(rankproof.__file__)", folder=tmp_path)
    assert Path(place.strip()).is_relative_to(alone.parent)


def test_what_belongs_to_an_extra_is_asked_for_by_the_line_to_type(alone: Path, tmp_path: Path) -> None:
    told = subprocess.run(
        [alone / "rankproof", "demo", "--live"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert told.returncode == 2
    assert "pip install 'rankproof[stack]'" in told.stderr
    # The same line, typed: rankproof is there already, so the index is only asked for what the extra adds.
    line = ["-m", "pip", "install", "--dry-run", "--quiet", "--report", "-", "rankproof[stack]"]
    asked = python(alone / "python", *line, folder=tmp_path)
    assert '"bm25s"' in asked


def test_the_wheel_is_small_and_has_no_sources_of_the_core(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.endswith((".cpp", ".hpp"))]
    assert "rankproof/stack/samples/rankings/policy.toml" in names
