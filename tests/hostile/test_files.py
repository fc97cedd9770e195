"""Whatever the file is, every command that reads it gives one clear message, the right status and no other file."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from tests.hostile.command import QRELS, RUN, apart, good_files, here, leftovers, ways
from tests.hostile.files import faulty_qrels, faulty_runs, unreadable

UNREADABLE = [(noun, name) for noun in ("run", "qrels") for name in unreadable(noun)]
FAULTY = [("run", name) for name in faulty_runs()] + [("qrels", name) for name in faulty_qrels()]


@pytest.mark.parametrize(("noun", "name"), UNREADABLE)
def test_a_file_that_is_wrong_as_a_whole(noun: str, name: str, tmp_path: Path) -> None:
    content, words = unreadable(noun)[name]
    file = tmp_path / name
    file.write_bytes(content)
    for args in ways(file, tmp_path, noun).values():
        message = here(*args).refused()
        assert words in message
        assert str(file) in message
        assert leftovers(tmp_path, file) == []


@pytest.mark.parametrize(("noun", "name"), FAULTY)
def test_a_file_with_one_fault(noun: str, name: str, tmp_path: Path) -> None:
    content, code, words = (faulty_runs() if noun == "run" else faulty_qrels())[name]
    file = tmp_path / "faulty"  # not `name`, which may have the code in it
    file.write_bytes(content)
    for way, args in ways(file, tmp_path, noun).items():
        if way == "fix":
            continue  # what can be repaired is repaired: below
        message = here(*args).refused()
        assert words in message.replace("\n    ", " ")
        assert way != "validate" or f"error {code}\n" in message
        assert str(file) in message
        assert leftovers(tmp_path, file) == []


@pytest.mark.parametrize("name", faulty_runs())
def test_a_repair_gives_a_run_without_fault_or_nothing(name: str, tmp_path: Path) -> None:
    file, fixed = tmp_path / name, tmp_path / "fixed.run"
    file.write_bytes(faulty_runs()[name][0])
    told = here("runs", "validate", file, "--fix", fixed)
    assert told.err == ""
    assert told.status == (0 if fixed.exists() else 1)
    assert leftovers(tmp_path, file) == (["fixed.run"] if fixed.exists() else [])
    if fixed.exists():
        assert here("runs", "validate", fixed).status == 0


def test_what_is_not_there(tmp_path: Path) -> None:
    """A folder stands for the runs in it where runs are measured; one without a run, and elsewhere, is refused."""
    empty = tmp_path / "empty"
    empty.mkdir()
    for noun in ("run", "qrels"):
        for file, words in ((tmp_path / "missing", ("no such file",)), (empty, ("is a directory", "no file"))):
            for args in ways(file, tmp_path, noun).values():
                answer = here(*args)
                told = answer.refused(2 if "has no file" in answer.err + answer.out else 1)
                assert any(word in told for word in words), told
    empty.rmdir()
    assert leftovers(tmp_path) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    file = tmp_path / "closed"
    for noun, text in (("run", RUN), ("qrels", QRELS)):
        file.write_text(text)
        file.chmod(0)
        for args in ways(file, tmp_path, noun).values():
            assert "no permission" in here(*args).refused()
        file.chmod(0o600)


@pytest.mark.parametrize("content", [RUN.encode(), b'{"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d3": 1}}'])
def test_a_pipe_is_read_once(content: bytes, tmp_path: Path) -> None:
    qrels, _ = good_files(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for args in (
        ["evaluate", qrels, pipe, "--format", "csv"],
        ["runs", "validate", pipe],
        ["runs", "validate", pipe, "--fix", tmp_path / "fixed.run"],
        ["convert", pipe, tmp_path / "written.csv", "--noun", "run"],
    ):
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        assert here(*args).status == 0
        writer.join()


@pytest.mark.parametrize("measure", ["nDCG@10", "alpha_nDCG@10"])
def test_qrels_from_a_pipe_are_read_once_whatever_is_asked(measure: str, tmp_path: Path) -> None:
    _, run = good_files(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for text, status in ((QRELS, 0), (QRELS.replace("q", "z"), 1)):
        writer = threading.Thread(target=pipe.write_text, args=(text,))
        writer.start()
        assert here("evaluate", pipe, run, "-m", measure).status == status
        writer.join()


SEPARATE = ["empty", "binary", "zstd_cut_off", "json_too_deep", "old_macintosh"]


@pytest.mark.parametrize("name", SEPARATE)
def test_the_installed_command(name: str, tmp_path: Path) -> None:
    content, words = unreadable("run")[name]
    file = tmp_path / name
    file.write_bytes(content)
    qrels, _ = good_files(tmp_path)
    assert words in apart("evaluate", qrels, file).refused()
    assert words in apart("runs", "validate", file).refused()
    assert words in apart("convert", file, tmp_path / "out.csv", "--noun", "run").refused()
    assert "<stdin>" in apart("evaluate", qrels, "-", given=content).refused()
    assert leftovers(tmp_path, file) == []


def test_wrong_usage_is_told_apart_from_wrong_data(tmp_path: Path) -> None:
    qrels, run = good_files(tmp_path)
    for args in (
        ["evaluate", qrels],
        ["evaluate", qrels, run, "-m", "nDGC@10"],
        ["evaluate", qrels, run, "-m", "nDCG@0"],
        ["evaluate", qrels, run, "-o", tmp_path],
        ["evaluate", qrels, run, "-o", tmp_path / "none" / "table.txt"],
        ["evaluate", qrels, run, "--allow", "duplicates"],
        ["evaluate", "-", "-"],
        ["runs", "validate", run, "--fix", tmp_path],
        ["convert", run, tmp_path / "out.unknown", "--noun", "run"],
        ["convert", run, tmp_path / "out.json", "--noun", "run", "-O", "nonsense=1"],
        ["convert", run, tmp_path / "none" / "out.json", "--noun", "run"],
    ):
        here(*args).refused(status=2)
    apart("evaluate", qrels, run, "-m", "nDGC").refused(status=2)
    assert leftovers(tmp_path) == []
