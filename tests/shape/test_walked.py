"""Data walks through few doors: how many files and functions of rankproof one command calls, on a sample."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
POLICY = """
[policy]
name = "shop search"
qrels = "qrels.trec"
baseline = "bm25.run"
candidate = "hybrid.run"

[[rule]]
rule = "no_regression"
measure = "nDCG@10"
margin = 0.01
"""
STACK = """
[benchmark]
name = "shop"
dataset = "sample:shop"
measures = ["nDCG@10"]

[modes]
lexical = "bm25()"
other = "bm25(k1=0.9)"
hybrid = "fuse_rrf(lexical, other)"
"""
# What a command may call at most: files, and functions (None: not held).
MOST = {
    "evaluate qrels.trec bm25.run -m nDCG@10": (25, 120),
    "compare qrels.trec bm25.run hybrid.run -m nDCG@10 --html page.html": (76, None),
    "gate gate.toml": (60, None),
    "benchmark run stack.toml -o report": (149, None),
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("walked") / "sample"
    shutil.copytree(ROOT / "src/rankproof/stack/samples/rankings", folder)
    (folder / "gate.toml").write_text(POLICY)
    (folder / "stack.toml").write_text(STACK)
    return folder


@pytest.mark.parametrize("line", MOST)
def test_a_command_walks_through_few_files(line: str, sample: Path) -> None:
    """In a process of its own: nothing may be loaded or remembered from before."""
    script = "import json, sys; from tests.shape.walked import walked; from rankproof.cli import main;"
    script += "walk = walked(lambda: main(sys.argv[1:]));"
    script += "print(json.dumps([walk.files, walk.functions]), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script, *line.split()],
        cwd=sample, capture_output=True, text=True, timeout=120, check=True, env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )  # fmt: skip
    files, functions = json.loads(done.stderr.splitlines()[-1])
    most_files, most_functions = MOST[line]
    assert len(files) <= most_files, files
    assert most_functions is None or len(functions) <= most_functions, functions
