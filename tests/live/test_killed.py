"""kill -9 in the middle of a fetch of 200 queries, then again: nothing that was kept is asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.live.hostile import Hostile, hostile

from rankproof.stack.asking.answers import Answers

ROOT = Path(__file__).resolve().parents[2]
N = 200


def start(server: Hostile, answers: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.live.fetcher", server.url, str(answers), str(N)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def finished(fetch: subprocess.Popen[str]) -> dict[str, dict[str, float]]:
    out, _ = fetch.communicate(timeout=60)
    assert fetch.returncode == 0
    run: dict[str, dict[str, float]] = json.loads(out.splitlines()[-1])
    return run


def test_a_killed_fetch_goes_on_where_it_was(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    with hostile(pause=0.01) as server:
        kept_after: list[int] = []
        for stop_at in (40, 120):  # killed twice
            fetch = start(server, answers)
            assert fetch.stdout is not None
            while int(fetch.stdout.readline().split()[0]) < stop_at:
                pass
            os.kill(fetch.pid, signal.SIGKILL)
            fetch.communicate(timeout=20)
            assert fetch.returncode == -signal.SIGKILL
            with Answers(answers) as kept:
                kept_after.append(len(kept))
        asked_before = server.asked.copy()
        run = finished(start(server, answers))
        asked = server.asked - asked_before

    # What was told as done was kept; at most the four that were under way were asked and not kept.
    assert kept_after[0] >= 40
    assert kept_after[1] >= 120
    assert sum(asked.values()) == N - kept_after[1]
    assert sum(server.asked.values()) <= N + 2 * 4
    assert set(asked.values()) == {1}

    with hostile() as other:
        uninterrupted = finished(start(other, tmp_path / "other.jsonl"))
        assert sum(other.asked.values()) == N
    assert json.dumps(run) == json.dumps(uninterrupted)


def test_a_fetch_that_is_done_asks_nothing(tmp_path: Path) -> None:
    with hostile() as server:
        first = finished(start(server, tmp_path / "answers.jsonl"))
        asked = sum(server.asked.values())
        second = finished(start(server, tmp_path / "answers.jsonl"))
        assert sum(server.asked.values()) == asked == N
    assert first == second
