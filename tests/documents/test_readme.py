"""The README: one screen, in which every command and every line of Python runs and prints what is shown."""

from __future__ import annotations

from pathlib import Path

from tests.documents.pages import ROOT, blocks, links
from tests.documents.reader import Reader, commands

README = ROOT / "README.md"
ONE_SCREEN = 80


def test_it_fits_on_one_screen() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= ONE_SCREEN


class Hurried(Reader):
    """A reader whose demo finds what other tests have made already."""

    def __init__(self, folder: Path, demo_cache: str) -> None:
        super().__init__(folder)
        self.demo_cache = demo_cache

    def typed(self, command: str) -> str:
        return command.replace("rankproof demo ", f"rankproof demo --cache {self.demo_cache} ")


def test_every_block_runs_and_gives_what_is_shown(tmp_path: Path, demo_cache: str) -> None:
    wrong = Hurried(tmp_path, demo_cache).read(README)
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
    assert any(block.language == "sh" and "pip install rankproof " in block.text for block in blocks(README))
    assert {"docs/differs.md", "docs/policies.md", "docs/ARCHITECTURE.md"} <= {target for _, target in links(README)}
