"""The four doors: a stranger types what the page shows, in an empty folder, and gets what it shows."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.documents.pages import DOCS, ROOT, blocks, links, prose
from tests.documents.processes import python
from tests.documents.reader import commands
from tests.documents.test_wheel import Stranger
from tests.documents.walk import DOORS, SERVE, Walker, extra, install_line

every_door = pytest.mark.parametrize("door", sorted(DOORS))
MOST_LINES = 90


def with_browser(walker: Walker, door: str, request: pytest.FixtureRequest) -> Walker:
    """Only judging needs one."""
    if door == "judge":
        walker.browser = request.getfixturevalue("browser")
    return walker


@every_door
def test_a_stranger_gets_what_the_page_shows(door: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    walker = with_browser(Walker(tmp_path), door, request)
    walker.serving = (sys.executable, "-m", "rankproof")  # a process that can be stopped, unlike the forked ones
    wrong = walker.read(DOORS[door])
    assert not wrong, "\n\n".join(wrong)


@every_door
def test_a_door_is_one_page_with_what_a_newcomer_needs(door: str) -> None:
    page = DOORS[door]
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert install_line(page)
    typed = [command for block in blocks(page) if block.language == "console" for command, _ in commands(block)]
    ours = [command for command in typed if command.startswith("rankproof ")]
    assert 4 <= len(ours) <= 9, ours
    told = " ".join(line for _, line in prose(page)).casefold()
    for words in ("confidence interval", "statistically significant", "effect size"):
        assert words in told, words
    assert "\nNext: " in text


def test_the_home_page_opens_every_door() -> None:
    opened = {(DOCS / target).resolve() for _, target in links(DOCS / "index.md")}
    assert set(DOORS.values()) <= opened


def test_the_page_that_serves_has_the_command_once() -> None:
    served = [door for door, page in DOORS.items() for b in blocks(page) if b.text.strip() == SERVE]
    assert served == ["judge"]


# ---- the same, with what the page's own line installs and nothing else ----------------------------


class Visitor(Walker, Stranger):
    """A walker whose `rankproof` and `python` are those of an environment of their own."""


@pytest.mark.full
@pytest.mark.skipif(find_spec("pip") is None, reason="pip builds and installs the wheel")
@every_door
def test_a_stranger_with_a_new_environment(
    door: str, wheel: Path, tmp_path: Path, request: pytest.FixtureRequest, record_property: Any
) -> None:
    python(sys.executable, "-m", "venv", "env", folder=tmp_path)
    programs = tmp_path / "env" / "bin"
    line = ["-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt"), f"{wheel}{extra(DOORS[door])}"]
    python(programs / "python", *line, folder=tmp_path)
    walker = with_browser(Visitor(tmp_path, programs), door, request)
    walker.serving = (str(programs / "rankproof"),)
    wrong = walker.read(DOORS[door])
    print(f"{door}: {walker.seconds:.1f} s")  # shown by pytest -s
    record_property("seconds", round(walker.seconds, 1))
    assert not wrong, "\n\n".join(wrong)
