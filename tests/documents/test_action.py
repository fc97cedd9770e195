"""The page of the action says what action.yml says, and its workflow is one that GitHub would take."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.documents.pages import DOCS, ROOT, blocks

yaml = pytest.importorskip("yaml", reason="PyYAML reads the action")
PAGE = DOCS / "action.md"
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def rows(header: str) -> list[list[str]]:
    """The cells of the table that begins with this header."""
    _, _, table = PAGE.read_text("utf-8").partition(f"{header}\n")
    lines = table.partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def example() -> dict[str, Any]:
    (block,) = (block for block in blocks(PAGE) if block.language == "yaml")
    found: dict[str, Any] = yaml.safe_load(block.text)
    return found


def test_every_input_is_on_the_page_with_its_default() -> None:
    said = [
        [f"`{name}`", "required" if one.get("required") else f"`{one['default']}`" if one.get("default") else "", text]
        for name, one in ACTION["inputs"].items()
        for text in [one["description"]]
    ]
    assert rows("| input | default | meaning |") == said


def test_every_output_is_on_the_page() -> None:
    said = [[f"`{name}`", one["description"]] for name, one in ACTION["outputs"].items()]
    assert rows("| output | meaning |") == said


def test_the_workflow_gives_inputs_and_reads_outputs_that_there_are() -> None:
    (job,) = example()["jobs"].values()
    (step,) = (step for step in job["steps"] if "/rankproof@" in step.get("uses", ""))
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert {name for name, one in ACTION["inputs"].items() if one.get("required")} <= set(step["with"])
    read = set(re.findall(r"steps\.gate\.outputs\.(\w+)", str(job)))
    assert step["id"] == "gate"
    assert read
    assert read <= set(ACTION["outputs"])


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="no actionlint on the path")
def test_actionlint_accepts_the_example_and_every_workflow(tmp_path: Path) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (block,) = (block for block in blocks(PAGE) if block.language == "yaml")
    (folder / "relevance.yml").write_text(block.text, encoding="utf-8")
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        shutil.copy(file, folder)
    told = subprocess.run(
        ["actionlint", *map(str, sorted(folder.iterdir()))], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr
