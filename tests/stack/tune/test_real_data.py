"""Tuning a hybrid on real claims and abstracts: what it finds, and that it says so honestly where it finds nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.shared_data import SHARED, needs_shared_data

from rankproof.cli.shared.root import cli

pytestmark = [pytest.mark.full, needs_shared_data]
SCIFACT = SHARED / "scifact"
STACK = f"""
[benchmark]
dataset = "{SCIFACT}"
measures = ["nDCG@10"]

[modes]
lexical = "bm25()"
vector = "replay(path='{SCIFACT / "dense.run"}')"
hybrid = "fuse_rrf(lexical, vector, k=60)"
"""
DIALS = """
[tune]
trials = 200
[tune.dials]
lexical.k1 = [0.9, 1.2, 1.5, 2.0]
lexical.b = [0.4, 0.6, 0.75, 0.9]
hybrid.k = [5, 20, 60]
hybrid.weights.vector = [0.5, 1, 1.5]
"""
BAD = """
[tune]
[tune.dials]
hybrid.weights.vector = [0.25, 0.5, 1, 2, 4, 8]
"""


def tuned(folder: Path, text: str) -> dict[str, Any]:
    (folder / "t.toml").write_text(text)
    told = CliRunner().invoke(cli, ["tune", str(folder / "t.toml"), "-o", str(folder / "out"), "--json"])
    assert told.exit_code == 0, told.output
    document: dict[str, Any] = json.loads(told.stdout)
    return document


def test_the_tuned_hybrid_is_better_than_both_of_its_parts_on_test(tmp_path: Path) -> None:
    """By t. Less than half of the queries change against lexical search: there the default's bounds reach below 0."""
    student = STACK.replace("[modes]", 'significance = "t"\n\n[modes]')
    default, by_t = (tuned(tmp_path, stack + DIALS) for stack in (STACK, student))
    assert [part["queries"] for part in (default["dev"], default["test"])] == [150, 150]
    gains = [{other["mode"]: other["gain"] for other in found["against"]} for found in (default, by_t)]
    for mode in ("lexical", "vector"):
        assert gains[0][mode]["value"] == gains[1][mode]["value"] > 0
        assert gains[1][mode]["low"] > 0
    assert gains[0]["vector"]["low"] > 0 > gains[0]["lexical"]["low"] > -0.02


def test_defaults_that_are_good_already_are_kept(tmp_path: Path) -> None:
    found = tuned(tmp_path, STACK + DIALS)
    assert found["outcome"] in ("not shown", "worse")
    assert found["overfitted"]
    assert found["dev"]["gain"]["value"] > 0 > found["test"]["gain"]["value"]


def test_weights_that_are_far_off_are_bettered_on_test_too(tmp_path: Path) -> None:
    found = tuned(tmp_path, STACK.replace("k=60", "k=60, weights=[1, 8]") + BAD)
    assert found["outcome"] == "gain"
    assert not found["overfitted"]
