"""A clone of the project into which the files that a page shows are put, as its reader would."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.documents.pages import ROOT, Block, blocks
from tests.documents.reader import is_file

from rankproof.core import _core

# An editable installation finds its own files before any path: here the clone's must be found.
START = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Editable" not in type(finder).__name__
                    and "Redirecting" not in type(finder).__name__]
sys.path[:0] = ["src", "."]
"""


@dataclass(frozen=True)
class Edit:
    """What a block adds: a whole file, or lines in or before a definition of one."""

    path: str
    text: str
    where: str = ""  # "in", "before" or nothing
    name: str = ""


def edits(page: Path) -> list[Edit]:
    """The files that a page shows, each named by the line above its block."""
    return [_edit(block) for block in blocks(page) if block.language == "python" and is_file(block)]


def _edit(block: Block) -> Edit:
    said = re.fullmatch(r"`([\w/.-]+)`(?:, (in|before) `(\w+)`)?:", block.above)
    assert said is not None, f"{block.place}: {block.above!r} does not say where this goes"
    return Edit(said[1], block.text, said[2] or "", said[3] or "")


class Clone:
    """The package, its tests and its settings, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "clone"
        skip = shutil.ignore_patterns("*.cpp", "*.hpp", "*.so")
        shutil.copytree(ROOT / "src", self.root / "src", ignore=skip)
        shutil.copytree(ROOT / "tests", self.root / "tests", ignore=skip)
        (self.root / "docs").mkdir()
        for file in ("pyproject.toml", "docs/generate.py"):
            shutil.copy(ROOT / file, self.root / file)
        compiled = Path(_core.__file__)
        shutil.copy(compiled, self.root / "src" / "rankproof" / "core" / compiled.name)

    def apply(self, edit: Edit) -> None:
        """Puts what a block shows where the page says."""
        path = self.root / edit.path
        if not edit.where:
            assert not path.exists(), f"{edit.path} is there already"
            path.write_text(edit.text, encoding="utf-8")
            return
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (at,) = (i for i, line in enumerate(lines) if re.match(rf"{edit.name}\b.*[{{(\[]$", line))
        lines.insert(at + (edit.where == "in"), edit.text if edit.where == "in" else f"{edit.text}\n\n")
        path.write_text("".join(lines), encoding="utf-8")

    def python(self, code: str, *args: str) -> subprocess.CompletedProcess[str]:
        """Runs Python on the clone's files."""
        return subprocess.run(
            [sys.executable, "-c", START + code, *args],
            cwd=self.root, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False,
        )  # fmt: skip

    def pytest(self, *args: str) -> str:
        """Runs tests of the clone; the last lines they print."""
        code = "import pytest\nsys.exit(pytest.main(sys.argv[1:]))"
        told = self.python(code, "-p", "no:cacheprovider", *args)
        return f"{told.stdout[-4000:]}{told.stderr[-2000:]}\nexit status {told.returncode}"
