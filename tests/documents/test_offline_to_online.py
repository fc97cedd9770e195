"""The story from the offline gate to full traffic: its files are written and its commands run, in their order."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from tests.documents.pages import DOCS, ROOT, blocks
from tests.documents.reader import Reader

PAGE = DOCS / "offline-to-online.md"
SCRIPTS = ("online_users.py", "online_ramp.py")
# A block that is a whole file, and its name.
FILE = re.compile(r".*The file ([\w./-]+):$")


class Follower(Reader):
    """A reader with the scripts of the story, who writes the files that the page shows."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for script in SCRIPTS:
            shutil.copy(ROOT / "examples" / script, self.here)
        python = folder / "bin" / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)

    def read(self, page: Path) -> list[str]:
        for block in blocks(page):
            name = FILE.match(block.above)
            if name and block.language == "toml":
                (self.here / name[1]).write_text(block.text, encoding="utf-8")
        return super().read(page)


@pytest.mark.slow
def test_every_command_gives_what_the_page_shows(tmp_path: Path) -> None:
    wrong = Follower(tmp_path).read(PAGE)
    assert not wrong, "\n\n".join(wrong)


def test_every_file_of_the_story_is_shown() -> None:
    """And every chart is one that `docs/charts_online.py` draws from the same files."""
    named = {found[1] for block in blocks(PAGE) if (found := FILE.match(block.above))}
    assert named == {"gate.toml", "trial.toml", "ramp.toml"}
    text = PAGE.read_text(encoding="utf-8")
    drawn = (ROOT / "docs" / "charts_online.py").read_text(encoding="utf-8")
    charts = re.findall(r"\(images/([\w-]+\.svg)\)", text)
    assert len(charts) == 3
    assert all(f'"{chart}"' in drawn for chart in charts)
