"""`rankproof evaluate` that is interrupted: one line, status 130, nothing written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 d1 2\nq2 0 d4 1\n")
    return tmp_path


def test_an_interrupt_ends_with_130_and_writes_nothing(here: Path) -> None:
    """The run comes through a pipe that never ends, so the process waits until it is interrupted."""
    os.mkfifo(here / "slow.run")
    child = subprocess.Popen(
        [sys.executable, "-m", "rankproof", "evaluate", "qrels", "slow.run", "-o", "out.txt"],
        stderr=subprocess.PIPE,
        text=True,
        # What runs in the background of a shell ignores the signal; the command is not to inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    writer = os.open(here / "slow.run", os.O_WRONLY)  # returns once the child has begun to read
    try:
        for _ in range(30):  # a signal just before the process begins to wait is noticed with the next one
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                _, told = child.communicate(timeout=1)
                break
    finally:
        os.close(writer)
    assert child.returncode == 130
    assert told.count("\n") == 1
    assert "Traceback" not in told
    assert not (here / "out.txt").exists()
    assert not list(here.glob("*.part"))
