"""The README: one screen, in which every command and every line of Python runs and prints what is shown."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.documents.pages import ROOT, Block, blocks, links
from tests.documents.reader import Reader, commands

README = ROOT / "README.md"
ONE_SCREEN = 80


def test_it_fits_on_one_screen() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= ONE_SCREEN


class Newcomer(Reader):
    """A reader who has an empty folder, and stays where a page has taken them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.here = folder / "empty"
        self.here.mkdir()

    def type(self, block: Block) -> list[str]:
        wrong = super().type(block)
        for command, _ in commands(block):
            if moved := re.search(r"(?:^|&& )cd (\S+)$", command):
                self.here /= moved[1]
                os.chdir(self.here)
        return wrong


def test_every_block_runs_and_gives_what_is_shown(tmp_path: Path) -> None:
    wrong = Newcomer(tmp_path).read(README)
    assert not wrong, "\n\n".join(wrong)


def test_it_shows_what_it_promises() -> None:
    """A picture that is there, a comparison, a verdict, Python, install lines, four doors, a fair table, speed."""
    text = README.read_text(encoding="utf-8")
    shown = {command: output for b in blocks(README) if b.language == "console" for command, output in commands(b)}
    assert any(output.startswith("FAIL: ") for output in shown.values())
    assert any("95% confidence interval" in output and "Report: " in output for output in shown.values())
    assert any(block.language == "python" and ">>> import rankproof" in block.text for block in blocks(README))
    assert any(block.language == "sh" and "\npip install " in f"\n{block.text}" for block in blocks(README))
    targets = {target for _, target in links(README)}
    doors = {f"docs/doors/{path.name}" for path in (ROOT / "docs" / "doors").glob("*.md")}
    assert len(doors) == 4
    assert doors | {"docs/index.md", "docs/differs.md", "docs/compare-tools.md", "docs/ARCHITECTURE.md"} <= targets
    for peer in ("trec_eval", "ir_measures", "ranx", "PyTerrier", "Quepid", "ragas", "deepeval", "GrowthBook"):
        assert peer in text
    picture = re.search(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert picture is not None
    assert (ROOT / picture[1]).is_file()
    assert len(targets) < 25, "no wall of links"
