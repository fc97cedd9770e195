"""A command on Spark that is told to stop does so without a word about Java."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rankproof.scale.session import stop_request


def test_what_spark_meets_on_the_way_does_not_hide_the_request() -> None:
    def gives_way(request: BaseException) -> BaseException:
        try:
            try:
                raise request
            finally:
                raise ValueError("Java answers no more")
        except ValueError as error:
            return error

    stop, interrupt = SystemExit(143), KeyboardInterrupt()
    assert stop_request(gives_way(stop)) is stop
    assert stop_request(gives_way(interrupt)) is interrupt
    assert stop_request(stop) is stop
    assert stop_request(gives_way(ValueError("a fault"))) is None


@pytest.mark.full
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, and there is none")
@pytest.mark.parametrize("after", [3.0, 8.0, 12.0])
def test_a_command_is_stopped_in_the_middle(tmp_path: Path, after: float) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_text("".join(f"q{q} 0 d1 1\n" for q in range(2000)))
    with run.open("w") as file:
        for q in range(2000):
            file.writelines(f"q{q} Q0 d{d} {d} {1000 - d} t\n" for d in range(1, 1001))
    told = [sys.executable, "-m", "rankproof", "evaluate", str(qrels), str(run), "--engine", "spark"]
    with subprocess.Popen([*told, "--master", "local[1]"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        time.sleep(after)
        command.send_signal(signal.SIGTERM)
        out, err = command.communicate(timeout=120)
    # It may have been done before.
    assert command.returncode in (0, 143)
    assert (command.returncode == 0) == bool(out)
    assert b"Traceback" not in err
