"""`rankproof clicks fit` that is killed while it writes: no half file, and an older one stays as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# A process that says when it has written the first piece of the grades, and then takes its time: in short sleeps, since
# a signal that comes just before a sleep begins is noticed when it ends.
SLOW = """
import sys, time
from rankproof.online.clicks import grades
whole = grades.content
def slowly(rows, path):
    for piece in whole(rows, path):
        yield piece
        print("begun", flush=True)
        for _ in range(600):
            time.sleep(0.05)
grades.content = slowly
from rankproof.cli import main
few = ["-m", "ctr", "--curve", "none", "--least-confidence", "0"]
main(["clicks", "fit", "log.csv", *few, "--grades", "grades.csv", "--qrels", "made.qrels"])
"""
# The same while it reads.
READING = """
import time
from rankproof.online.clicks.logs import text
def slowly(head):
    print("begun", flush=True)
    for _ in range(600):
        time.sleep(0.05)
text.is_text = slowly
from rankproof.cli import main
main(["clicks", "fit", "log.csv", "--qrels", "made.qrels"])
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_killed_while_writing(tmp_path: Path, how: signal.Signals) -> None:
    rows = "".join(f"q,a,1,{i % 2}\nq,b,2,0\n" for i in range(40))
    (tmp_path / "log.csv").write_text(f"query,doc,rank,clicked\n{rows}")
    (tmp_path / "grades.csv").write_text("older\n")
    child = subprocess.Popen([sys.executable, "-c", SLOW], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        os.kill(child.pid, how)
        child.wait(timeout=20)
    finally:
        child.kill()
    assert child.returncode != 0
    assert (tmp_path / "grades.csv").read_text() == "older\n"
    # The qrels were written before, and whole.
    assert [line.split()[2] for line in (tmp_path / "made.qrels").read_text().splitlines()] == ["a", "b"]
    left = [path for path in tmp_path.iterdir() if path.suffix == ".part"]
    assert how == signal.SIGKILL or left == []


def test_interrupted_while_reading_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("query,doc,rank,clicked\nq,a,1,1\n")
    child = subprocess.Popen(
        [sys.executable, "-c", READING],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What runs in the background of a shell ignores the signal; the command is not to inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=20)
    assert child.returncode == 130
    assert told == "rankproof: Interrupted; nothing was written.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]
