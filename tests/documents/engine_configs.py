"""The configurations that people copy, one for each engine: examples/engines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from tests.documents.pages import ROOT

from rankproof.cli.shared.root import cli

CONFIGS = ROOT / "examples" / "engines"


def copied(name: str, folder: Path) -> Path:
    """The configuration of an engine, in a folder of its own."""
    return Path(shutil.copy(CONFIGS / f"{name}.toml", folder))


def command(*words: str) -> str:
    """What a command prints, which must end well."""
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    return told.output


def benchmark(config: Path) -> dict[str, Any]:
    """The report of `rankproof benchmark run`; every mode answered every query, and found something."""
    out = config.parent / "out"
    command("benchmark", "run", str(config), "-o", str(out))
    told: dict[str, Any] = json.loads((out / "BenchmarkReport.json").read_text("utf-8"))
    assert told["modes"]
    for row in told["modes"]:
        assert row["failures"] == {}, row["mode"]
        lines = (out / "runs" / f"{row['mode']}.run").read_text("utf-8").splitlines()
        assert len({line.split()[0] for line in lines}) > 0.9 * told["dataset"]["queries"], row["mode"]
    return told
