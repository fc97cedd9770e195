"""A command that is told to stop leaves the file that was there, or none: never half of one, and no scraps."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.hostile.command import PATIENCE, good_files, here, leftovers, program

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")]

OLD = "an older file\n"


def long_run(folder: Path) -> Path:
    """A run that takes seconds to write as xz, with equal scores that a repair has something to do with."""
    path = folder / "long.run"
    path.write_text("".join(f"q{q} Q0 doc{d * 7919 % 100_003} 1 {d} t\n" for q in range(300) for d in range(300)))
    return path


def stopped_while_writing(
    args: list[str | Path], folder: Path, known: list[Path], number: int, ignored: bool = False
) -> int:
    """Starts a command, waits until it writes into the folder, sends it a signal; gives its status."""

    def heard() -> None:
        """Whoever runs the tests may ignore the signal, as nohup does; the command is to inherit what the test says."""
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)

    with subprocess.Popen(
        program(*args), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heard
    ) as child:
        until = time.monotonic() + PATIENCE
        while not leftovers(folder, *known):
            assert child.poll() is None, "it ended before it wrote anything"
            assert time.monotonic() < until, "it wrote nothing"
            time.sleep(0.002)
        child.send_signal(number)
        return child.wait(PATIENCE)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("old", [False, True])
def test_while_a_file_is_written(number: signal.Signals, old: bool, tmp_path: Path) -> None:
    run, target = long_run(tmp_path), tmp_path / "out.run.xz"
    known = [run]
    if old:
        target.write_text(OLD)
        known.append(target)
    ways: list[list[str | Path]] = [["convert", run, target, "--noun", "run"]]
    if number == signal.SIGTERM:
        ways.append(["runs", "validate", run, "--fix", target, "--order", "score"])
    for args in ways:
        assert stopped_while_writing(args, tmp_path, known, number) == 128 + number
        assert leftovers(tmp_path, *known) == []
        assert not old or target.read_text() == OLD


def test_killed_outright(tmp_path: Path) -> None:
    # Nobody can tidy up then; but what was there is still there, whole.
    run, target = long_run(tmp_path), tmp_path / "out.run.xz"
    target.write_text(OLD)
    args: list[str | Path] = ["convert", run, target, "--noun", "run"]
    assert stopped_while_writing(args, tmp_path, [run, target], signal.SIGKILL) == -signal.SIGKILL
    assert target.read_text() == OLD


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_at_any_moment(number: signal.Signals, tmp_path: Path) -> None:
    qrels, run = good_files(tmp_path)
    target = tmp_path / "table.json"
    whole = here("evaluate", qrels, run, "--format", "csv").out
    for delay in (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3):
        target.write_text(OLD)
        args = program("evaluate", qrels, run, "--format", "csv", "-o", target)
        with subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            time.sleep(delay)
            child.send_signal(number)
            status = child.wait(PATIENCE)
        # 0: it was faster. Negative: Python itself was not up yet.
        assert status in (0, 128 + number, -number, 1)
        assert target.read_text() in (OLD, whole)
        assert leftovers(tmp_path, target) == []


def test_a_signal_that_the_caller_ignores_stays_ignored(tmp_path: Path) -> None:
    # As under nohup: the command goes on to its end.
    run, target = long_run(tmp_path), tmp_path / "out.run.xz"
    args: list[str | Path] = ["convert", run, target, "--noun", "run"]
    assert stopped_while_writing(args, tmp_path, [run], signal.SIGHUP, ignored=True) == 0
    assert leftovers(tmp_path, run) == [target.name]


def test_handlers_are_put_back(tmp_path: Path) -> None:
    qrels, run = good_files(tmp_path)
    before = signal.getsignal(signal.SIGTERM)
    assert here("evaluate", qrels, run).status == 0
    assert signal.getsignal(signal.SIGTERM) is before
