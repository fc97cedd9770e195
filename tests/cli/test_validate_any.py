"""`rankproof validate FILE...`: what a file holds is found out by content, and said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof.cli.shared.root import cli

RUN = "q1 Q0 d1 1 9.5 t\nq1 Q0 d2 2 9.1 t\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
TOPICS = "query_id\ttext\nq1\tcheap shoes\n"
EITHER = "q1\td1\t1\nq1\td2\t0\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "a.txt": RUN,
        "b.txt": QRELS,
        "c.txt": TOPICS,
        "d.txt": EITHER,
        "e.md": "made by hand\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def validate(*args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["validate", *args], input=stdin)


def test_each_file_says_what_it_was_taken_for(here: Path) -> None:
    told = validate("a.txt", "b.txt", "c.txt")
    assert told.exit_code == 0
    lines = [line for line in told.output.splitlines() if line[:1] in "abc"]
    assert [line.split(";")[0] for line in lines] == [
        "a.txt: valid run",
        "b.txt: valid qrels",
        "c.txt: valid topics",
    ]


def test_standard_input_is_recognized_too(here: Path) -> None:
    assert validate("-", stdin=QRELS).output.startswith("-: valid qrels")


def test_what_may_be_either_is_shown_and_asked_about(here: Path) -> None:
    told = validate("d.txt")
    assert told.exit_code == 1
    assert repr("q1\td1\t1") in told.output
    assert "--as run" in told.output
    assert validate("d.txt", "--as", "qrels").output.startswith("d.txt: valid qrels")
    assert validate("d.txt", "--as", "run").output.startswith("d.txt: valid run")


def test_an_ending_decides_between_what_is_possible(here: Path) -> None:
    (here / "x.qrels").write_text(EITHER)
    (here / "x.run").write_text(EITHER)
    assert validate("x.qrels").output.startswith("x.qrels: valid qrels")
    assert validate("x.run").output.startswith("x.run: valid run")


def test_content_that_is_nothing_known_is_shown(here: Path) -> None:
    told = validate("e.md")
    assert told.exit_code == 1
    assert repr("made by hand") in told.output


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\x1f\x8b broken"])
def test_what_cannot_be_read_is_an_answer(here: Path, content: bytes) -> None:
    (here / "x.bin").write_bytes(content)
    told = validate("x.bin", "a.txt")
    assert told.exit_code == 1
    assert "x.bin: INVALID" in told.output
    assert "a.txt: valid run" in told.output


def test_faults_make_the_status_one(here: Path) -> None:
    (here / "twice.txt").write_text(RUN + "q1 Q0 d1 3 1.0 t\n")
    told = validate("twice.txt")
    assert told.exit_code == 1
    assert "duplicate_document" in told.output
    assert validate("twice.txt", "--allow", "duplicate_document").exit_code == 0


def test_runs_are_checked_against_judgments(here: Path) -> None:
    (here / "other.txt").write_text(RUN.replace("q1", "q9"))
    assert "no_common_query" in validate("other.txt", "--qrels", "b.txt").output


def test_a_folder_stands_for_its_files_and_the_rest_is_named(here: Path) -> None:
    told = validate(".", "--as", "run")
    assert "e.md" in told.stderr
    (here / "d.txt").unlink()
    told = validate(".")
    assert told.exit_code == 0
    assert "3 of 3 files valid" in told.stdout
    (here / "none").mkdir()
    assert validate("none").exit_code == 2


def test_json_names_the_noun(here: Path) -> None:
    document = json.loads(validate("a.txt", "b.txt", "c.txt", "--json").stdout)
    assert [file["noun"] for file in document["files"]] == ["run", "qrels", "topics"]
