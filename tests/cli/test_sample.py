"""`rankproof sample`: the bundled files, whole or not at all, and a next line that runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.stack.samples import rankings


def sample(*args: str) -> tuple[int, str]:
    told = CliRunner().invoke(cli, ["sample", *args])
    return told.exit_code, told.output


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_writes_every_file_and_says_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, told = sample()
    assert status == 0, told
    assert contents(tmp_path / "sample") == contents(Path(rankings()))
    *_, enter, command = (line.strip() for line in told.splitlines())
    monkeypatch.chdir(enter.removeprefix("cd "))
    gated = CliRunner().invoke(cli, command.split()[1:])
    assert gated.exit_code == 1  # FAIL: the dense rankings lose too much on one query
    assert gated.output.startswith("FAIL: ")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "qrels.trec").write_text("mine")
    status, told = sample(str(folder))
    assert status == 2
    assert str(folder) in told
    assert contents(folder) == {"qrels.trec": b"mine"}


def test_nothing_is_left_of_one_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.rename", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    status, told = sample(str(tmp_path / "full"))
    assert status == 1
    assert "No space left" in told
    assert list(tmp_path.iterdir()) == []


def test_the_folder_one_stands_in_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be gone from under the shell: its next command would find no folder."""
    monkeypatch.chdir(tmp_path)
    status, told = sample(".")
    assert status == 1
    assert "the folder that you are in" in told
    assert list(tmp_path.iterdir()) == []
