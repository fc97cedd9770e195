"""`rankproof evaluate` as a process of its own: standard input, standard output, silence on standard error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests import forking

from rankproof.cli.shared.root import cli

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d4 1\n"
# The first relevant document stands at rank 2 in q1 and is missing in q2: RR (1/2 + 0) / 2.
RUN = "q1 Q0 d2 1 4 a\nq1 Q0 d1 2 3 a\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    return tmp_path


def process(*args: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rankproof", *args], capture_output=True, text=True, timeout=60, **more
    )


def test_a_process_answers_as_the_function_does(here: Path) -> None:
    told = process("evaluate", "qrels", "a.run")
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout == CliRunner().invoke(cli, ["evaluate", "qrels", "a.run"]).stdout


@pytest.mark.parametrize(
    ("args", "given"),
    [
        (("evaluate", "qrels", "a.run", "--json", "-mRR"), ""),
        (("evaluate", "-mRR", "qrels", "-"), RUN),
        (("evaluate", "qrels", "missing.run"), ""),
        (("no-such-command",), ""),
    ],
)
def test_a_forked_process_answers_as_one_that_is_started(here: Path, args: tuple[str, ...], given: str) -> None:
    """So that other tests may fork: streams, folder, environment and exit status are those of a process."""

    def told(*command: str) -> tuple[int, object, str]:
        answer = subprocess.run(
            [*command, *args],
            cwd=here, input=given, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "60"},
        )  # fmt: skip
        out = json.loads(answer.stdout) if "--json" in args else answer.stdout
        if isinstance(out, dict):
            del out["observed"]
        return answer.returncode, out, answer.stderr

    assert told(*forking.command()) == told(sys.executable, "-m", "rankproof")


def test_standard_input_is_a_run(here: Path) -> None:
    told = process("evaluate", "-mRR", "qrels", "-", input=RUN)
    assert told.returncode == 0, told.stderr
    assert "0.2500" in told.stdout


def test_standard_input_can_be_read_only_once(here: Path) -> None:
    told = process("evaluate", "-", "-", input=QRELS)
    assert told.returncode == 2
    assert "only once" in told.stderr


def test_nothing_is_shown_on_standard_error_when_it_is_no_terminal(here: Path) -> None:
    assert process("evaluate", "qrels", "a.run").stderr == ""
