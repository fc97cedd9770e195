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
    """A verdict, a comparison, a result with its fine print, Python, a refusal, trec_eval's lines, where to read on."""
    shown = {command: output for b in blocks(README) if b.language == "console" for command, output in commands(b)}
    assert any(output.startswith("FAIL: ") and "UNDECIDED" in output for output in shown.values())
    assert any("95% confidence interval" in output for output in shown.values())
    assert any("queries: 20 scored of 20 judged" in output for output in shown.values())
    assert any(output.startswith("rankproof: ") and ", line " in output for output in shown.values())
    assert any("--dialect trec_eval --format trec" in command for command in shown)
    assert any(block.language == "python" and ">>> import rankproof" in block.text for block in blocks(README))
    assert any(block.language == "sh" and "\npip install " in f"\n{block.text}" for block in blocks(README))
    assert {"docs/differs.md", "docs/policies.md", "docs/ARCHITECTURE.md"} <= {target for _, target in links(README)}
