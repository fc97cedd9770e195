"""Rows of made-up trials, collected and read by the command line: what tests of their data share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli

DESIGN = """
[trial]
name = "t"
control = "old"
shares = {old = 0.5, new = 0.5}
method = "sequence(units=5000)"
[columns]
day = "day"
[[metric]]
name = "clicks"
value = "clicks"
covariate = "before"
"""
HEAD = "user_id,variant,day,clicks,before"
Row = tuple[Any, ...]
HALVES = {"old": 500, "new": 500}


def trial(*args: str) -> click.testing.Result:
    """The command `rankproof trial`."""
    return CliRunner().invoke(cli, ["trial", *args])


def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a design and an empty folder of days."""
    monkeypatch.chdir(tmp_path)
    Path("trial.toml").write_text(DESIGN)
    os.mkdir("days")
    return tmp_path


def write(path: str, rows: Iterable[Row]) -> str:
    """A CSV of the rows."""
    Path(path).write_text("\n".join([HEAD, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def users(
    day: int, counts: dict[str, int], mean: float, *, seed: int = 0, before: dict[str, float] | None = None
) -> list[Row]:
    """New users of a day, one row each, whose clicks have that mean in both variants."""
    rng = np.random.default_rng([seed, day])
    date = f"2026-11-{day:02d}"
    return [
        (
            f"u{day}-{variant}-{i}",
            variant,
            date,
            int(rng.poisson(mean)),
            int(rng.poisson((before or {}).get(variant, 5))),
        )
        for variant, n in counts.items()
        for i in range(n)
    ]


def collected(*files: str, args: tuple[str, ...] = ()) -> click.testing.Result:
    """The rows collected into the folder of days."""
    told = trial("collect", "trial.toml", *files, "--into", "days", *args)
    assert told.exit_code == 0, told.output
    return told


def read() -> dict[str, Any]:
    """The verdict on all days, with the exit status that the command had."""
    told = trial("read", "trial.toml", "days", "--json")
    document: dict[str, Any] = json.loads(told.stdout)
    assert told.exit_code in (0, 1, 3), told.output
    return {**document, "exit": told.exit_code}


def failed(document: dict[str, Any]) -> list[str]:
    """The rules that fail."""
    return [ruling["measure"] for ruling in document["rulings"] if ruling["status"] == "FAIL"]


def said(document: dict[str, Any], begins: str) -> str:
    """The warning that begins so."""
    found = [line for line in document["warnings"] if line.startswith(begins)]
    assert found, (begins, document["warnings"])
    return found[0]
