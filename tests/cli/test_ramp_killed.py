"""`rankproof ramp` killed at any moment and called again comes to the same decision and the same record."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests import forking
from tests.cli.ramping import put_day, written
from tests.killing import arm

from rankproof.cli.shared.root import cli

STATE = "ramp.ramp.jsonl"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Looks at a gate and at a day in this process: those that come from it need not load anything again."""
    folder = written(tmp_path_factory.mktemp("loaded") / "ramp")
    for number in (1, 2):
        assert CliRunner().invoke(cli, ["ramp", str(folder / "ramp.toml")]).exit_code in (0, 3)
        put_day(folder, number, 0.01)


def called(folder: Path, killed_at: float | None = None) -> tuple[int, str]:
    """A look in a process of its own: its status, negative where it was killed, and what it had printed.

    killed_at   counts the calls to the disk: 3.0 is before the third, 3.5 in the middle of it where it is a write
    """
    child = os.fork()
    if child == 0:
        _look(folder, killed_at)
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status), (folder / "printed").read_text()


def _look(folder: Path, killed_at: float | None) -> None:
    """In the child, which never returns."""
    status = 70
    try:
        os.chdir(folder)
        with open("printed", "w", encoding="utf-8") as sys.stdout:
            if killed_at is not None:
                arm(killed_at)
            cli.main(["ramp", "ramp.toml"])
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 70
    finally:
        os._exit(status)


def recorded(folder: Path) -> list[str]:
    """The state without its times."""
    lines = (folder / STATE).read_text().splitlines()
    return [json.dumps({**json.loads(line), "observed": None}) for line in lines]


def decided(printed: str) -> str:
    """What was printed, but for the note that it was decided before."""
    return "\n".join(line for line in printed.splitlines() if not line.startswith("as decided before"))


def at_the_gate(folder: Path) -> Path:
    return written(folder)


def before_going_on(folder: Path) -> Path:
    """One day at 1% is on record, and the second has come."""
    written(folder)
    called(folder)
    put_day(folder, 1, 0.01)
    called(folder)
    put_day(folder, 2, 0.01)
    return folder


def before_rolling_back(folder: Path) -> Path:
    """Latency has doubled at 1%."""
    written(folder)
    called(folder)
    put_day(folder, 1, 0.01, slow=2.0)
    called(folder)
    put_day(folder, 2, 0.01, slow=2.0)
    return folder


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    ("made", "status", "headline"),
    [
        pytest.param(at_the_gate, 0, "Go to 1%", marks=pytest.mark.slow),
        (before_going_on, 0, "Go to 5%"),
        pytest.param(before_rolling_back, 1, "STOP, roll back to 0%", marks=pytest.mark.slow),
    ],
)
def test_killed_at_every_call_to_the_disk(
    tmp_path: Path, made: Callable[[Path], Path], status: int, headline: str
) -> None:
    ready = made(tmp_path / "ready")
    whole = tmp_path / "whole"
    shutil.copytree(ready, whole)
    wanted = called(whole)
    assert (wanted[0], wanted[1].startswith(headline)) == (status, True)
    halves = 0
    for count in range(1, 100):
        ends = []
        for part in (0.0, 0.5):
            folder = tmp_path / "killed"
            shutil.copytree(ready, folder)
            ended, printed = called(folder, count + part)
            ends.append(ended)
            if ended == -signal.SIGKILL:
                # What was printed stands on record; what was not may or may not.
                assert not printed or recorded(folder) == recorded(whole)
                again = called(folder)
                assert (again[0], decided(again[1])) == (wanted[0], decided(wanted[1])), count + part
            assert recorded(folder) == recorded(whole), count + part
            shutil.rmtree(folder)
        halves += ends[1] == -signal.SIGKILL
        if ends[0] != -signal.SIGKILL:
            break
    assert 10 < count < 30  # a look makes about a dozen calls, and each was tried
    assert halves == 1  # an entry is one write


@pytest.mark.slow
def test_the_real_command_killed_at_random_times(tmp_path: Path) -> None:
    """Day after day to the end, with every look killed once somewhere before it is called in peace."""
    command = [sys.executable, "-m", "rankproof", "ramp", "ramp.toml"]

    def peaceful(folder: Path, *start: str) -> tuple[int, str]:
        called = [*start, *command[3:]] if start else command
        told = subprocess.run(called, cwd=folder, capture_output=True, text=True, check=False)
        return told.returncode, decided(told.stdout)

    whole, killed = (written(tmp_path / name) for name in ("whole", "killed"))
    rng = random.Random(6)
    number = 0
    longest = 1.0
    while True:
        began = time.monotonic()
        wanted = peaceful(whole)
        longest = time.monotonic() - began
        process = subprocess.Popen(command, cwd=killed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, longest))
        process.kill()
        process.wait()
        assert peaceful(killed, *forking.command()) == wanted
        assert recorded(killed) == recorded(whole)
        last = json.loads(recorded(whole)[-1])["decision"]
        if last["action"] in ("COMMIT", "STOP_AND_ROLL_BACK"):
            break
        number += 1
        for folder in (whole, killed):
            put_day(folder, number, last["share"], gain=0.03, slow=2.0 if last["share"] > 0.01 else 1.0)
    assert last["action"] == "STOP_AND_ROLL_BACK"
