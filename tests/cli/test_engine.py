"""Where runs are read: in pieces, or on Spark; and what is said where that cannot be."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli

QRELS = "q1 0 d1 1\nq2 0 d2 2\n"
RUN = "q1 Q0 d1 1 2.0 t\nq2 Q0 d3 1 2.0 t\nq2 Q0 d2 2 1.0 t\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "a.qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "b.run").write_text(RUN.replace("2.0", "0.5"))
    return [str(tmp_path / name) for name in ("a.qrels", "a.run", "b.run")]


def run(*args: str) -> Any:
    return CliRunner().invoke(cli, list(args))


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_memory_changes_no_result(files: list[str], command: str) -> None:
    """64 bytes of memory: each query is a piece of its own."""
    at_once, in_pieces = (run(command, *files, "--json", *more) for more in ([], ["--memory", "64"]))
    assert in_pieces.exit_code == at_once.exit_code == 0
    told = [json.loads(answer.stdout) for answer in (at_once, in_pieces)]
    for document in told:
        del document["observed"]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--memory", "much"], "'much' is no size of memory. Write it as 512MB or 2GB."),
        (["--memory", "0GB"], "Reading takes some memory"),
        (["--master", "yarn"], "--master names a Spark cluster: add --engine spark."),
        (["--engine", "spark", "--memory", "1GB"], "--memory is for this machine"),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_what_does_not_go_together(files: list[str], command: str, options: list[str], said: str) -> None:
    answer = run(command, *files, *options)
    assert answer.exit_code == 2
    assert said in answer.stderr


def test_kept_reports_are_not_read_on_spark(files: list[str], tmp_path: Path) -> None:
    kept = str(tmp_path / "a.json")
    assert run("evaluate", *files[:2], "--save", kept).exit_code == 0
    answer = run("compare", "--saved", kept, kept, "--engine", "spark")
    assert answer.exit_code == 2
    assert "--engine" in answer.stderr


def test_without_spark_the_answer_says_what_to_install(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    answer = run("evaluate", *files[:2], "--engine", "spark")
    assert answer.exit_code == 2
    assert "pip install 'rankproof[spark]'" in answer.stderr


def test_without_java_the_answer_says_so(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    answer = run("evaluate", *files[:2], "--engine", "spark", "--master", "local[1]")
    assert answer.exit_code == 2
    assert "Spark needs Java, and none is found." in answer.stderr
