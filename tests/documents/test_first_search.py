"""The page from an address to judged documents: its commands run in order, with the API and the script of examples/."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.documents.pages import DOCS, ROOT
from tests.documents.test_tutorial_search_api import Follower


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    found = Follower(tmp_path)
    shutil.copy(ROOT / "examples" / "fill_sheet.py", found.here)
    yield found
    found.close()


@pytest.mark.slow
def test_every_command_gives_what_the_page_shows(follower: Follower) -> None:
    wrong = follower.read(DOCS / "first-search.md")
    assert not wrong, "\n\n".join(wrong)
