"""Where an answer cannot go, and choices that nobody means: one message, the right status, nothing half written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.hostile.command import PATIENCE, Answer, good_files, here, leftovers, program
from tests.raising import raises

import rankproof
from rankproof.errors import UsageError

posix = pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")


def shell(command: list[str], redirection: str) -> Answer:
    quoted = " ".join(f"'{word}'" for word in command)
    told = subprocess.run(
        f"{quoted} {redirection}", shell=True, capture_output=True, timeout=PATIENCE, check=False, text=True
    )
    return Answer(told.returncode, told.stdout, told.stderr)


@posix
def test_an_output_that_is_closed(tmp_path: Path) -> None:
    qrels, run = good_files(tmp_path)
    for args in (
        ["evaluate", qrels, run],
        ["runs", "validate", run],
        ["convert", run, "-", "--to", "csv", "--noun", "run"],
    ):
        assert "no standard output" in shell(program(*args), ">&-").refused(status=2)
    assert shell(program("evaluate", tmp_path / "missing", run), "2>&-").status == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    qrels, run = good_files(tmp_path)
    for args in (
        ["evaluate", qrels, run],
        ["runs", "validate", run],
        ["convert", run, "-", "--to", "csv", "--noun", "run"],
    ):
        assert "No space left on device" in shell(program(*args), ">/dev/full").refused()
    assert "/dev/full cannot be written: No space left" in here("evaluate", qrels, run, "-o", "/dev/full").refused()


def test_ids_that_are_no_text_are_written_as_nothing(tmp_path: Path) -> None:
    # Measuring them may be allowed; a file that holds them would be read by nobody.
    run = tmp_path / "latin1.run"
    run.write_bytes(b"q1 Q0 caf\xe9 1 2.5 t\n")
    for ending in ("run", "tsv", "csv", "json", "jsonl", "parquet"):
        target = tmp_path / f"out.{ending}"
        told = here("convert", run, target, "--noun", "run", "--allow", "undecodable_bytes")
        assert "no UTF-8 file can hold" in told.refused()
        assert leftovers(tmp_path, run) == []


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "latex", "trec"])
def test_a_query_that_is_no_text_is_reported_when_that_is_allowed(form: str, tmp_path: Path) -> None:
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_bytes(b"caf\xe9 0 d1 1\nq 0 d1 1\n")
    run.write_bytes(b"caf\xe9 Q0 d1 1 2.5 t\nq Q0 d1 1 2.5 t\n")
    target = tmp_path / "answer"
    args = ["evaluate", qrels, run, "-q", "-m", "RR", "--format", form, "--allow", "undecodable_bytes", "-o", target]
    assert here(*args).status == 0
    assert target.stat().st_size > 0


def test_topics_that_cannot_be_held(tmp_path: Path) -> None:
    topics, target = tmp_path / "topics", tmp_path / "out.jsonl"
    for content, words in (
        (b'{"q1": "a\\ud800b"}', "no UTF-8 file can hold"),
        (b"query_id,text\nq1," + b"x" * 200_000 + b"\nq2,b\n", "line 2: this is not CSV"),
        (b"query_id,text\nq1,a\nq1,b\n", "query 'q1' already has a text"),
        (b'{"q1": 5}', "has 5 where its text should be"),
        (b"<top>\n<num> 1\n", ""),
        (b"", "is empty"),
        (bytes(200), "is a binary file"),
    ):
        topics.write_bytes(content)
        assert words in here("convert", topics, target, "--noun", "topics").refused()
        assert leftovers(tmp_path, topics) == []


def test_numbers_beyond_all_use(tmp_path: Path) -> None:
    qrels, run = good_files(tmp_path)
    plain = here("evaluate", qrels, run, "--format", "csv").out
    assert here("evaluate", qrels, run, "--format", "csv", "-M", "9" * 30).out == plain
    for option in (
        ["-l", "9" * 30],
        ["-M", "0"],
        ["-M", "-1"],
        ["-M", "ten"],
        ["--threads", "-1"],
        ["--threads", "9" * 12],
        ["-m", "P@" + "9" * 30],
    ):
        here("evaluate", qrels, run, *option).refused(status=2)
    for threads in (-1, 10**12):
        with raises(UsageError, "threads", 0, 1024, threads):
            rankproof.evaluate(qrels, run, "RR", threads=threads)


def test_the_number_of_threads_never_matters(tmp_path: Path) -> None:
    qrels, run = good_files(tmp_path)
    plain = here("evaluate", qrels, run, "--format", "csv").out
    for threads in ("1", "2", "7", "1024"):
        assert here("evaluate", qrels, run, "--format", "csv", "--threads", threads).out == plain
