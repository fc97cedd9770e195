"""`rankproof judgments` as the tests call it."""

from __future__ import annotations

from click.testing import CliRunner, Result

from rankproof.cli.shared.root import cli


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["judgments", *args])


def done(*args: str) -> str:
    told = run(*args)
    assert told.exit_code == 0, told.output
    return told.stdout


def refused(*args: str) -> str:
    told = run(*args)
    assert told.exit_code in (1, 2), told.output
    return told.stderr
