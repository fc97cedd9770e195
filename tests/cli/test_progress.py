"""A sign of life: on a terminal only, and only when the work is long."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.terminal import everything

from rankproof.cli.shared.output import watched

WORK = """
import sys, time
from rankproof.cli.shared import output
output.PATIENCE = {patience}
for item in output.watched(range(3), "measuring"):
    time.sleep(0.25)
print("rich" in sys.modules)
"""


def on_a_terminal(code: str) -> tuple[str, str]:
    """(standard output, what a terminal on standard error was shown)."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment
    ) as child:
        os.close(theirs)
        shown = everything(ours)
        out, _ = child.communicate(timeout=60)
    os.close(ours)
    assert child.returncode == 0
    return out.strip(), shown


def test_long_work_shows_how_far_it_is() -> None:
    out, shown = on_a_terminal(WORK.format(patience=0.05))
    assert out == "True"
    assert "measuring" in shown
    assert "/3" in shown


def test_short_work_shows_nothing_and_does_not_load_rich() -> None:
    assert on_a_terminal(WORK.format(patience=30)) == ("False", "")


def test_without_a_terminal_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched([1, 2], "measuring")) == [1, 2]
    assert capsys.readouterr().err == ""


def test_an_error_in_the_work_goes_its_way_and_ends_the_sign(tmp_path: Path) -> None:
    code = WORK.format(patience=0.05).replace("time.sleep(0.25)", "time.sleep(0.4); sys.exit(0)")
    _, shown = on_a_terminal(code)
    assert shown.count("\x1b[?25h") >= shown.count("\x1b[?25l")  # the cursor is shown again
