"""A run of a model judge that is killed goes on where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.model_judging import grades, made, run
from tests.stack.stages.model_server import says, serving

from rankproof.judging.models import ask as asking

AT_ONCE = 2
NAMES = ["graded:m", *(f"graded:m#{n}" for n in range(2, 21))]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_kill_dash_nine_loses_only_what_is_under_way(tmp_path: Path) -> None:
    """6 pairs, 20 times each, two questions at once: a kill in the middle can lose two answers."""
    store = made(tmp_path)
    args = ("--repeat", "20", "--concurrency", str(AT_ONCE))
    with serving(lambda body, before: time.sleep(0.02) or says(f"Grade: {body['seed'] % 4}")) as server:
        command = [sys.executable, "-m", "rankproof", "judge", "run", store, "--endpoint", server.url, "--model", "m"]
        command += ["--cache", str(tmp_path / "cache"), "--depth", "2", *args]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            deadline = time.monotonic() + 60
            while len(server.asked) < 30 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        before = len(server.asked)
        assert 30 <= before < 120
        kept = sum(len(grades(store, name)) for name in NAMES)
        assert kept >= before - 2 * AT_ONCE  # under way: asked, or answered and about to be written
        done = run(store, server.url, *args)
        assert done.exit_code == 0, done.output
        assert len(server.asked) <= 120 + AT_ONCE
    for n, name in enumerate(NAMES):
        assert list(grades(store, name).values()) == [n % 4] * 6


def test_ctrl_c_says_that_answers_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = made(tmp_path)

    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "ask_all", interrupted)
    done = run(store, "http://127.0.0.1:9/v1")
    assert (done.exit_code, done.stderr) == (
        130,
        "rankproof: Interrupted; answers so far are in the store. The same command goes on.\n",
    )
