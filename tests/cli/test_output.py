"""Where a command's answer goes: whole files or none, and standard output in any encoding."""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.raising import raises

from rankproof.cli.shared import output
from rankproof.cli.shared.root import cli
from rankproof.errors import UsageError
from rankproof.stack.samples import rankings


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    goal = tmp_path / "out.txt"
    output.give("Ωmega\n", str(goal))
    assert goal.read_bytes() == "Ωmega\n".encode()
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    goal = tmp_path / "out.txt"
    goal.write_text("old")
    goal.chmod(0o640)
    output.give("new", str(goal))
    assert stat.S_IMODE(goal.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    output.give("new", str(link))
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    output.give("gone", os.devnull)
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with raises(UsageError, tmp_path, "folder"):
        output.give("x", str(tmp_path))


def test_parents_are_not_created(tmp_path: Path) -> None:
    with raises(UsageError, tmp_path / "nowhere" / "out.txt", f"folder {tmp_path / 'nowhere'}"):
        output.give("x", str(tmp_path / "nowhere" / "out.txt"))
    assert os.listdir(tmp_path) == []


def test_what_an_encoding_cannot_hold_is_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    output.say("q\u03b6\n")
    assert raw.getvalue() == b"q\\u03b6\n"


def test_undecodable_bytes_leave_as_they_came(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    output.say(b"q\xff\n".decode("utf-8", "surrogateescape"))
    assert raw.getvalue() == b"q\xff\n"


@pytest.mark.parametrize(
    "args",
    [
        ("compare", "qrels.trec", "bm25.run", "dense.run", "--html", "bm25.run"),
        ("compare", "qrels.trec", "bm25.run", "dense.run", "--html", "new.html", "-o", "./new.html"),
        ("evaluate", "qrels.trec", "bm25.run", "-o", "./bm25.run"),
        ("evaluate", "qrels.trec", "bm25.run", "--save", "qrels.trec"),
        ("gate", "policy.toml", "--candidate", "dense.run", "--html", "policy.toml"),
        ("ab", "queries.csv", "--variant", "traffic", "--metric", "wants", "--write-config", "queries.csv"),
        ("leaderboard", "qrels.trec", "bm25.run", "dense.run", "-o", "link.run"),
        ("gate", "policy.toml", "--candidate", "dense.run", "--html", "bm25.run"),
        ("gate", "policy.toml", "--candidate", "dense.run", "-o", "qrels.trec"),
        ("evaluate", "qrels.trec", ".", "-o", "dense.run"),
        ("compare", "qrels.trec", "*.run", "--html", "hybrid.run"),
        ("leaderboard", "qrels.trec", "*.run", "-o", "hybrid.run"),
    ],
    ids=lambda args: args[0],
)
def test_a_file_that_is_read_or_written_elsewhere_is_not_overwritten(
    args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(rankings(), tmp_path / "sample"))
    Path("link.run").symlink_to("dense.run")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    told = CliRunner().invoke(cli, list(args))
    assert told.exit_code == 2, told.output
    assert "Name another file to write to" in told.output
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before
