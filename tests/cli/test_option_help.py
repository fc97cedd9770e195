"""Long helps: at most twelve common options first, then every other option once, under a heading."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner
from tests.cli.every_command import commands

from rankproof.cli.shared import option_help
from rankproof.cli.shared.root import cli

# Helps with more options than this are read by nobody from top to bottom.
LONG = 16
# Two commands about logs, whose options are columns and thresholds of their own.
PLAIN = {"clicks fit", "interleave read", "judgments init", "judgments change"}


GROUPED = {name: command for name, command in commands(cli) if isinstance(command, option_help.LongHelp)}


def options(command: click.Command) -> list[click.Option]:
    return [param for param in command.params if isinstance(param, click.Option) and not param.hidden]


def test_long_helps_have_headings() -> None:
    long = {name for name, command in commands(cli) if len(options(command)) > LONG}
    assert long - PLAIN <= set(GROUPED)


@pytest.mark.parametrize("name", sorted(GROUPED))
def test_common_options_come_first_and_every_option_once(name: str) -> None:
    command = GROUPED[name]
    assert isinstance(command, option_help.LongHelp)
    known = {option.name for option in options(command)}
    assert set(command.common) <= known, "a common option that the command does not have"
    assert len(command.common) <= option_help.MOST_COMMON
    told = CliRunner().invoke(cli, [*name.split(), "--help"]).output
    lines = told.splitlines()
    assert lines.index(f"{option_help.COMMON}:") < min(
        (at for at, line in enumerate(lines) if line.rstrip(":") in command.headings), default=len(lines)
    )
    for option in options(command):
        longest = max(option.opts, key=len)
        begun = [line.strip().partition("  ")[0] for line in lines if line.startswith("  -")]
        shown = [names for names in begun if longest in names.replace(",", " ").split()]
        assert len(shown) == 1, longest


def test_a_parameter_stands_under_one_heading() -> None:
    placed = [name for names in option_help.HEADINGS.values() for name in names]
    assert len(placed) == len(set(placed))


def test_what_no_heading_names_is_shown_last() -> None:
    @click.command("x", cls=option_help.long_help("output"))
    @click.argument("file")
    @click.option("--strange", help="Nobody placed this.")
    @click.option("-o", "--output", help="Where.")
    def x(file: str, strange: str, output: str) -> None:
        """X."""

    told = CliRunner().invoke(x, ["--help"]).output
    assert (
        told.index("Common options:") < told.index("--output") < told.index("Other options:") < told.index("--strange")
    )
    assert "FILE" not in told.partition("Common options:")[2]
