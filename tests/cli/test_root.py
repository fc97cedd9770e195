"""The root of the command line: commands by their files, errors in one shape, telling statuses."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rankproof
from rankproof.cli.shared import root
from rankproof.cli.shared.root import cli
from rankproof.errors import MissingExtra, RankproofError, Refused, Unreadable, UsageError
from rankproof.reading.finding import Finding

FOLDER = Path(root.__file__).parents[1]
FILES = [*FOLDER.glob("[!_]*.py"), *(f.parent for f in FOLDER.glob("*/__init__.py") if f.parent.name != "shared")]
NAMES = sorted(file.stem.replace("_", "-") for file in FILES)


def run(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, list(args))


def test_every_module_is_a_command() -> None:
    context = click.Context(cli)
    assert cli.list_commands(context) == NAMES
    assert {"evaluate", "explain", "completion"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_command_has_help_and_one_line_of_it_without_being_loaded(name: str) -> None:
    told = run(name, "--help")
    assert told.exit_code == 0
    assert told.output.startswith(f"Usage: rankproof {name}")
    line = root.summary(name)
    module = __import__(f"rankproof.cli.{name.replace('-', '_')}", fromlist=["command"])
    assert line == (module.__doc__ or "").splitlines()[0]
    assert 20 < len(line) < 110


def test_the_root_lists_its_commands() -> None:
    told = run("--help")
    assert told.exit_code == 0
    assert all(f"\n  {name} " in told.output for name in NAMES)


def test_every_command_stands_under_one_heading() -> None:
    placed = [name for group in root.GROUPS.values() for name in group]
    assert len(placed) == len(set(placed))
    assert set(NAMES) <= set(placed)


def test_the_commands_most_people_need_come_first() -> None:
    assert next(iter(root.GROUPS)) == "Most used"
    shown = run("--help").output
    assert [shown.index(f"\n{heading}:\n") for heading in root.GROUPS] == sorted(
        shown.index(f"\n{heading}:\n") for heading in root.GROUPS
    )


def test_a_command_without_a_heading_is_still_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root, "GROUPS", {"Most used": ("evaluate",), "Others": ("compare", "not-there-yet")})
    shown = run("--help").output
    assert all(f"\n  {name} " in shown for name in NAMES)
    assert "not-there-yet" not in shown


def test_the_list_of_commands_fits_one_screen() -> None:
    lines = run("--help").output.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("word", ["confidence interval", "statistically significant", "A/B test", "RAG", "recall@k"])
def test_the_help_has_the_words_that_people_look_for(word: str) -> None:
    assert word in " ".join(run("--help").output.split())


def test_no_command_is_wrong_usage() -> None:
    told = run()
    assert told.exit_code == 2
    assert "Usage: rankproof" in told.output


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str) -> None:
    assert rankproof.__version__ in run(option).output


def test_a_wrong_command_names_its_neighbor() -> None:
    told = run("evalaute")
    assert told.exit_code == 2
    assert told.stderr == "rankproof: No command is called 'evalaute'. Did you mean 'evaluate'?\n"


def test_a_wrong_option_points_to_the_help() -> None:
    told = run("evaluate", "--no-such-option", "q", "r")
    assert told.exit_code == 2
    assert "rankproof evaluate --help" in told.stderr
    assert told.stdout == ""


def test_an_error_for_a_program_is_one_json_document() -> None:
    told = run("evalaute", "--json")
    assert told.exit_code == 2
    assert told.stderr == ""
    assert json.loads(told.stdout) == {
        "error": {
            "type": "UnknownName",
            "message": "No command is called 'evalaute'. Did you mean 'evaluate'?",
            "exit_status": 2,
            "near": ["evaluate"],
        }
    }


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (["evaluate", "--json"], True),
        (["evaluate", "--format", "json"], True),
        (["evaluate", "--format=json"], True),
        (["evaluate", "--format", "csv"], False),
        (["evaluate", "--", "--json"], False),
        ([], False),
    ],
)
def test_json_is_recognized_before_parsing(args: list[str], wanted: bool) -> None:
    assert root.wants_json(args) is wanted


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (UsageError("Wrong."), 2, "rankproof: Wrong."),
        (Unreadable("No file."), 1, "rankproof: No file."),
        (MissingExtra("This", "pyarrow", "arrow"), 2, "pip install 'rankproof[arrow]'"),
        (OSError(errno.ENOSPC, "No space left on device", "out.txt"), 1, "out.txt: No space left on device."),
        (MemoryError(), 1, "not enough memory"),
        (click.BadParameter("Bad."), 2, "Bad."),
        (root.Interrupted(), 130, "Interrupted"),
        (click.Abort(), 130, "Interrupted"),
    ],
)
def test_known_errors_have_a_message_and_a_status(
    capsys: pytest.CaptureFixture[str], error: Exception, status: int, told: str
) -> None:
    assert root.answer(error, as_json=False) == status
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""
    assert captured.err.count("\n") == 1


def test_findings_travel_in_the_json_of_a_refusal() -> None:
    found = Finding("duplicate_document", "error", "a.run", "Twice.", "Keep one.", line=7)
    shape = root.shape(Refused("a.run: Twice.", [found]))
    assert shape["error"]["findings"][0]["code"] == "duplicate_document"
    assert json.loads(json.dumps(shape)) == shape


def test_a_fault_of_the_program_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        root.answer(ZeroDivisionError(), as_json=True)


@pytest.mark.parametrize(("raised", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 141), (RankproofError, 1)])
def test_what_a_command_raises_decides_the_status(
    monkeypatch: pytest.MonkeyPatch, raised: type[BaseException], status: int
) -> None:
    @click.command("fail")
    def fail() -> None:
        raise raised

    monkeypatch.setattr(type(cli), "list_commands", lambda *_: ["fail"])
    monkeypatch.setattr(type(cli), "get_command", lambda *_: fail)
    # Closing the reader's end must not touch the test runner's own standard output.
    monkeypatch.setattr(root, "_close_output", lambda: None)
    told = run("fail")
    assert told.exit_code == status
    assert told.stderr.count("\n") == (0 if raised is BrokenPipeError else 1)


def test_python_m_rankproof_is_the_same_command() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "rankproof", "explain", "no-such-name"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert told.returncode == 2
    assert told.stderr.startswith("rankproof: No ")
    assert "Traceback" not in told.stderr


def test_a_reader_that_goes_early_hears_no_complaint() -> None:
    told = subprocess.run(
        f"{sys.executable} -m rankproof explain | head -n 1; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert told.stderr == ""
    assert told.stdout.splitlines()[0] == "measures"
