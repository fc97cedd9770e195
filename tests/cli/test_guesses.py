"""What people type first works, or is answered with the line that does it."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from rankproof.cli.shared import guesses
from rankproof.cli.shared.root import cli

COMMANDS = cli.list_commands(click.Context(cli))


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


@pytest.mark.parametrize("word", sorted(guesses.ANSWERS))
def test_a_guessed_word_is_answered_with_a_line_that_exists(word: str) -> None:
    told = run(word)
    assert told.exit_code == 2
    assert told.stdout == ""
    lines = re.findall(r"`rankproof ([^`]+)`", told.stderr)
    assert lines or "--json" in told.stderr
    for line in lines:
        words = [part for part in line.split() if re.fullmatch(r"[a-z]+", part)]
        helped = run("help", *words)
        assert helped.exit_code == 0, line
        for option in re.findall(r"--[a-z-]+", line):
            assert option in helped.output, line


def test_a_guess_is_never_the_name_of_a_command() -> None:
    assert not {*guesses.ANSWERS, *guesses.ALIASES} & set(COMMANDS)
    assert set(guesses.ALIASES.values()) <= set(COMMANDS)
    assert len(guesses.ALIASES) <= 5


@pytest.mark.parametrize(("guess", "meant"), sorted(guesses.ALIASES.items()))
def test_another_spelling_just_works(guess: str, meant: str) -> None:
    told = run(guess, "--help")
    assert told.exit_code == 0
    assert f"rankproof {meant}" in told.output


@pytest.mark.parametrize("option", sorted(guesses.OPTIONS))
def test_an_option_of_another_tool_is_answered_with_the_one_here(option: str) -> None:
    told = run("evaluate", "qrels", "run", option, "x")
    assert told.exit_code == 2
    assert guesses.OPTIONS[option] in told.stderr


@pytest.mark.parametrize(
    ("args", "near"),
    [
        (("comapre",), "compare"),
        (("trial", "raed"), "read"),
        (("qrels", "vaildate"), "validate"),
        (("benchmark", "rnu"), "run"),
        (("judgments", "exprot"), "export"),
    ],
)
def test_a_wrong_word_names_its_neighbor_at_every_depth(args: tuple[str, ...], near: str) -> None:
    told = run(*args)
    assert told.exit_code == 2
    assert repr(near) in told.stderr


def test_a_word_near_nothing_gets_three_suggestions() -> None:
    told = run("xyzzy")
    assert told.exit_code == 2
    named = re.search(r"names: ([^.]+)\.", told.stderr)
    assert named is not None
    assert len(named[1].split(", ")) == 3
    assert "`rankproof help`" in told.stderr


def test_help_prints_what_the_option_prints() -> None:
    assert run("help").output == run("--help").output
    assert run("help", "compare").output == run("compare", "--help").output
    assert run("help", "trial", "plan").output == run("trial", "plan", "--help").output
    assert run("help", "gate", "policy.toml").output == run("gate", "--help").output
    assert run("help", "comapre").exit_code == 2


def test_a_benchmark_may_be_named_without_run(tmp_path: Path) -> None:
    told = run("benchmark", tmp_path / "nosuch.toml")
    assert told.exit_code == 1
    assert "nosuch.toml" in told.stderr
    assert "no such file" in told.stderr


def test_fetch_is_the_command_of_runs() -> None:
    assert run("fetch", "--help").output.replace("rankproof fetch", "rankproof runs fetch", 1) == (
        run("runs", "fetch", "--help").output
    )
