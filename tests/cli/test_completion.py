"""Shell completion: the script, and values that come from the live shelves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.kernel import shelf


def complete(*words: str) -> list[str]:
    """What is offered for the last word."""
    *args, incomplete = words
    completer = ShellComplete(cli, {}, "rankproof", "_RANKPROOF_COMPLETE")
    return [item.value for item in completer.get_completions(list(args), incomplete)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed(shell: str) -> None:
    told = CliRunner().invoke(cli, ["completion", shell])
    assert told.exit_code == 0
    assert f"_RANKPROOF_COMPLETE={shell}_complete" in told.stdout
    program = shutil.which(shell)
    if program is not None:  # where the shell is at hand, it must accept the script
        subprocess.run([program, "-n"], input=told.stdout, text=True, check=True, timeout=60)


def test_another_shell_is_wrong_usage() -> None:
    assert CliRunner().invoke(cli, ["completion", "tcsh"]).exit_code == 2


def test_commands_complete() -> None:
    assert "evaluate" in complete("ev")
    assert complete("no-such") == []


def test_options_complete() -> None:
    assert "--dialect" in complete("evaluate", "--dia")


def test_names_complete_from_the_shelves() -> None:
    assert set(complete("evaluate", "--dialect", "")) == set(shelf.offered("dialects"))
    reports = shelf.offered("reports")
    of_evaluations = {name for name in reports if "evaluation" in reports[name].holds}
    assert set(complete("evaluate", "--format", "")) == of_evaluations
    assert set(complete("gate", "--format", "")) == {name for name in reports if "verdict" in reports[name].holds}
    runs = {name for name, item in shelf.offered("formats").items() if "run" in item.holds}
    assert set(complete("evaluate", "--run-format", "")) == runs
    assert complete("evaluate", "--allow", "duplicate_doc") == ["duplicate_document"]
    assert "nDCG" in complete("explain", "nDC")


def test_measures_complete_with_cutoffs() -> None:
    assert {"nDCG", "ndcg"} <= set(complete("evaluate", "-m", "nd"))
    assert "nDCG@10" in complete("evaluate", "-m", "nDCG@1")
    assert "R@100" in complete("evaluate", "-m", "R@")
    assert "RR nDCG@10" in complete("evaluate", "-m", "RR nDCG@")


def test_a_shell_gets_its_answer_from_a_process() -> None:
    environment = {
        **os.environ,
        "_RANKPROOF_COMPLETE": "bash_complete",
        "COMP_WORDS": "rankproof eva",
        "COMP_CWORD": "1",
    }
    told = subprocess.run(
        [sys.executable, "-c", "from rankproof.cli import main; main()"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
    )
    assert "plain,evaluate" in told.stdout


def test_click_is_the_one_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group must not import its commands to complete a name."""
    loaded: list[str] = []
    monkeypatch.setattr(type(cli), "get_command", lambda self, ctx, name: loaded.append(name))
    context = click.Context(cli)
    assert [item.value for item in cli.shell_complete(context, "ex")] == ["explain"]
    assert loaded == []
