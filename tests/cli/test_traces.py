"""`rankproof traces`: from traces of production to judgments, comparisons, gates and tasks, on the command line."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.cli.json_case import faults
from tests.reading.formats.samples import traced
from tests.reading.traces.made import genai, otlp, span

from rankproof.cli.shared.root import cli
from rankproof.reading.formats._records import text_id

RUN = CliRunner()
FILES = ["topics.jsonl", "run.jsonl", "calls.jsonl", "latencies.tsv", "sessions.jsonl", "left_out.jsonl"]
QUERIES = [f"query {n}" for n in range(30)]
# Two documents are needed for each query, the second of which the old system never finds on every third.
QRELS = "".join(f"{text_id(query, '')} 0 a{n} 2\n{text_id(query, '')} 0 b{n} 1\n" for n, query in enumerate(QUERIES))
# The tasks are sessions of three queries each.
TASKS = "".join(f"s{n // 3} 0 a{n} 2\ns{n // 3} 0 b{n} 1\n" for n in range(30))


def day(finds_all: bool) -> list[bytes]:
    """A day's traces, in two files: agents' spans in the one, searches in the other; a hybrid around two retrievers."""
    agents, searches = [], []
    for n, query in enumerate(QUERIES):
        trace = f"{n + 1:032x}"
        here: dict[str, Any] = {"trace": trace}
        docs = [f"x{n}", f"a{n}"] if n % 3 == 0 and not finds_all else [f"a{n}", f"b{n}"]
        agents.append(span("agent", at=100 * n, lasts=90, session__id=f"s{n // 3}", **here))
        agents.append(span("chat", "agent", 100 * n, 9, gen_ai__operation__name="chat",
                           gen_ai__usage__input_tokens=40, **here))  # fmt: skip
        searches += [
            genai("try", query, None, "agent", at=100 * n + 10, lasts=5, failed=True, **here),
            genai("hybrid", query, docs, "agent", at=100 * n + 20, lasts=n + 1, **here),
            genai("bm25", query, ["never"], "hybrid", at=100 * n + 20, lasts=1, **here),
            genai("dense", query, ["never"], "hybrid", at=100 * n + 20, lasts=1, **here),
        ]
    return [b"\n".join(map(otlp, spans)) + b"\n" for spans in (searches, agents)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("traces.json").write_bytes(traced())
    for name, finds_all in (("old", False), ("new", True)):
        first, second = day(finds_all)
        Path(f"{name}1.jsonl").write_bytes(first)
        Path(f"{name}2.jsonl.gz").write_bytes(gzip.compress(second))
    Path("qrels.trec").write_text(QRELS)
    Path("tasks.trec").write_text(TASKS)
    return tmp_path


def invoke(*words: str, status: int = 0) -> Result:
    told = RUN.invoke(cli, list(words), prog_name="rankproof")
    assert told.exit_code == status, told.output
    return told


def written(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


# ---- from traces to verdicts -----------------------------------------------------------------------


def test_from_traces_to_a_verdict() -> None:
    """Two days of traces, one before and one after a change, judged once: evaluate, compare, gate, tasks."""
    for name in ("old", "new"):
        invoke("traces", f"{name}1.jsonl", f"{name}2.jsonl.gz", "--out", name)
    assert {row["text"] for row in written("old/topics.jsonl")} == set(QUERIES)
    assert len(written("new/run.jsonl")) == 30

    evaluated = json.loads(invoke("evaluate", "qrels.trec", "old/run.jsonl", "-m", "R@2 RR", "--json").stdout)
    means = {name: measure["value"] for name, measure in evaluated["evaluations"][0]["measures"].items()}
    # Of 30 queries 10 find one of two documents, at the second place.
    assert means == {"R@2": pytest.approx(25 / 30), "RR": pytest.approx(25 / 30)}

    compared = json.loads(
        invoke("compare", "qrels.trec", "old/run.jsonl", "new/run.jsonl", "-m", "R@2", "--json").stdout
    )
    assert compared["contrasts"][0]["difference"]["value"] == pytest.approx(5 / 30)
    assert compared["contrasts"][0]["direction"] == "better"

    policy = """
[policy]
qrels = "qrels.trec"
baseline = "old/run.jsonl"
candidate = "new/run.jsonl"
topics = "new/topics.jsonl"
latency = "new/latencies.tsv"

[[rule]]
rule = "least_gain"
measure = "R@2"
at_least = 0.01

[[rule]]
rule = "latency"
basis = "point"
percentile = 50
budget_ms = {budget}
"""
    # A search takes n + 1 milliseconds, and 10 more since its first attempt: half of them at most 25.
    for budget, status in ((60, 0), (12, 1)):
        Path("policy.toml").write_text(policy.replace("{budget}", str(budget)))
        ruled = json.loads(invoke("gate", "policy.toml", "--json", status=status).stdout)
        assert ruled["rulings"][1]["observed"] == pytest.approx(25, abs=1)

    tasks = json.loads(invoke("tasks", "tasks.trec", "old/calls.jsonl", "new/calls.jsonl", "--json").stdout)
    by_measure = {contrast["measure"]: contrast for contrast in tasks["contrasts"]}
    # The old system leaves one query of each session unanswered.
    assert by_measure["AllRecall@20"]["difference"]["value"] == 1
    assert by_measure["Calls"]["difference"]["value"] == by_measure["Tokens"]["difference"]["value"] == 0
    (alone,) = json.loads(invoke("tasks", "tasks.trec", "new/calls.jsonl", "--json").stdout)["evaluations"]
    # Three queries a session, each after a model that took 40 tokens; an attempt that failed is no call of its own.
    assert alone["measures"]["Calls"]["value"] == 3
    assert alone["measures"]["Tokens"]["value"] == 120


def test_tasks_are_read_of_traces_as_of_calls() -> None:
    Path("both.jsonl").write_bytes(
        Path("new1.jsonl").read_bytes() + gzip.decompress(Path("new2.jsonl.gz").read_bytes())
    )
    invoke("traces", "both.jsonl", "--out", "new")
    direct, written_first = (
        json.loads(invoke("tasks", "tasks.trec", path, "-q", "--json").stdout)["evaluations"][0]["measures"]
        for path in ("both.jsonl", "new/calls.jsonl")
    )
    assert direct == written_first
    told = invoke("tasks", "tasks.trec", "both.jsonl", "--full").output
    assert "both: 60 nested retrievals" in told


@pytest.mark.slow
def test_topics_are_judged_and_the_judgments_measure_the_run() -> None:
    invoke("traces", "traces.json", "--out", "seen")
    queries = [row["_id"] for row in written("seen/topics.jsonl")]
    Path("judged.csv").write_text(
        f"judge,query_id,doc_id,grade\nann,{queries[0]},d1,1\nann,{queries[0]},d2,0\nann,{queries[1]},d3,1\n"
    )
    made = ["--project", "p", "--dataset", "seen/topics.jsonl", "--run", "seen=seen/run.jsonl"]
    assert "run seen: 2 queries" in invoke("judgments", "init", "j.db", *made).output
    assert "3 judgments added" in invoke("judgments", "import", "j.db", "judged.csv").output
    invoke("judgments", "export", "j.db", "judged.trec")
    told = json.loads(invoke("evaluate", "judged.trec", "seen/run.jsonl", "-m", "RR P@1", "--json").stdout)
    assert told["evaluations"][0]["measures"]["P@1"]["value"] == 1


# ---- files -----------------------------------------------------------------------------------------


def test_what_is_written() -> None:
    told = invoke("traces", "old1.jsonl", "old2.jsonl.gz", "--out", "out")
    assert sorted(os.listdir("out")) == sorted([*FILES[:5], "manifest.json"])
    first, second = written("out/calls.jsonl")[:2]
    assert first == {
        "task_id": "s0", "call": 1, "docs": ["x0", "a0"], "tokens": 40, "query_id": text_id("query 0", ""),
        "session_id": "s0", "trace_id": "0" * 31 + "1", "start": "2026-01-02T03:04:05.010000+00:00",
        "milliseconds": 11.0,
    }  # fmt: skip
    assert (second["task_id"], second["call"], second["docs"]) == ("s0", 2, ["a1", "b1"])
    rows = [line.split("\t") for line in Path("out/latencies.tsv").read_text().splitlines()]
    assert rows[:3] == [
        ["query_id", "milliseconds"], [text_id("query 0", ""), "11.0"], [text_id("query 1", ""), "12.0"],
    ]  # fmt: skip
    assert written("out/sessions.jsonl")[0] == {"session_id": "s0", "traces": 3, "searches": 3, "queries": 3}
    assert "60 nested retrievals" in told.output
    assert "30 retries" in told.output


def test_the_manifest_says_what_was_read_and_written() -> None:
    answer = invoke("traces", "old1.jsonl", "old2.jsonl.gz", "--out", "out", "--json").stdout
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert faults(manifest, "traces/1") == []
    given = json.loads(answer)
    assert {**manifest, "observed": 0} == {**given, "observed": 0}
    plain = gzip.decompress(Path("old2.jsonl.gz").read_bytes())
    assert manifest["files"][1] == {
        "name": "old2.jsonl.gz", "bytes": len(plain), "sha256": sha256(plain).hexdigest()
    }  # fmt: skip
    for name, file in manifest["written"].items():
        data = Path("out", name).read_bytes()
        assert file == {"lines": data.count(b"\n"), "sha256": sha256(data).hexdigest()}


def test_the_same_traces_in_any_order_are_the_same_files() -> None:
    """Lines shuffled and spread over other files: to the byte, save for the manifest, which names the files."""
    packed = gzip.decompress(Path("old2.jsonl.gz").read_bytes())
    lines = (Path("old1.jsonl").read_bytes() + packed).splitlines()
    Path("even.jsonl").write_bytes(b"\n".join(lines[::-2]))
    Path("odd.jsonl").write_bytes(b"\n".join(lines[-2::-2]))
    invoke("traces", "old1.jsonl", "old2.jsonl.gz", "--out", "one")
    invoke("traces", "even.jsonl", "odd.jsonl", "--out", "two")
    for name in FILES[:5]:
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes(), name


def test_what_cannot_be_read_is_listed() -> None:
    spans = [genai("a", "q", None), genai("b", "r", ["x"], at=20), genai("c", None, ["y"], at=40)]
    Path("few.jsonl").write_bytes(otlp(*spans))
    invoke("traces", "few.jsonl", "--out", "out")
    assert written("out/left_out.jsonl") == [
        {"trace_id": spans[0]["traceId"], "span_id": spans[0]["spanId"], "query_id": text_id("q", ""),
         "reason": "no documents recorded"}
    ]  # fmt: skip
    assert not Path("out/sessions.jsonl").exists()
    # A time without a query stands under its trace.
    assert Path("out/latencies.tsv").read_text().splitlines()[-1] == f"{spans[2]['traceId']}\t10.0"


def test_ids_with_tabs_and_quotes_make_no_columns() -> None:
    Path("odd.jsonl").write_bytes(otlp({**genai("a", None, ["x"], lasts=7), "traceId": 'a\t"b"\nc'}))
    invoke("traces", "odd.jsonl", "--out", "out")
    from rankproof.proving.percentile import read_latencies

    assert read_latencies("out/latencies.tsv").tolist() == [7.0]


def test_standard_input_and_the_summary_alone() -> None:
    command = [sys.executable, "-m", "rankproof", "traces", "-"]
    told = subprocess.run(command, input=traced(), capture_output=True, timeout=60, check=True).stdout.decode()
    assert "2 searches: 2 queries, 2 calls of 2 tasks" in told
    assert "--out DIR" in told
    assert sorted(os.listdir()) == sorted(
        ["new1.jsonl", "new2.jsonl.gz", "old1.jsonl", "old2.jsonl.gz", "qrels.trec", "tasks.trec", "traces.json"]
    )


# ---- refused and stopped -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "status", "names"),
    [
        ("traces", 2, ["FILE"]),
        ("traces nowhere.jsonl", 1, ["nowhere.jsonl"]),
        ("traces qrels.trec", 1, ["qrels.trec", "line 1"]),
        ("traces traces.json --out traces.json", 2, ["traces.json"]),
        ("traces traces.json --out .", 2, ["."]),
        ("traces traces.json --out nowhere/out", 2, ["nowhere"]),
        ("traces - -", 2, ["-"]),
        ("traces traces.json --stage first", 2, ["first", "last", "retriever", "reranker"]),
        ("traces traces.json --source faq", 1, ["faq"]),
        ("traces traces.json empty.jsonl --out out", 1, ["empty.jsonl"]),
        ("traces traces.json cut.jsonl.gz --out out", 1, ["cut.jsonl.gz"]),
    ],
)
def test_refused_with_one_message_and_nothing_written(line: str, status: int, names: list[str]) -> None:
    Path("empty.jsonl").write_bytes(b"")
    Path("cut.jsonl.gz").write_bytes(Path("old2.jsonl.gz").read_bytes()[:-20])
    before = sorted(os.listdir())
    told = invoke(*line.split(), status=status)
    assert "Traceback" not in told.output
    for name in names:
        assert name in told.output
    assert sorted(os.listdir()) == before


# A process that says when it has begun a file of the folder, and then takes its time.
SLOW = """
import time
from rankproof.reading.traces import files
def slowly(traces):
    yield {"task_id": "s", "call": 1, "docs": []}
    print("begun", flush=True)
    for _ in range(600):
        time.sleep(0.05)
files._calls = slowly
from rankproof.cli import main
main(["traces", "old1.jsonl", "old2.jsonl.gz", "--out", "out"])
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_stopped_while_writing_there_is_no_folder(how: signal.Signals) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What runs in the background of a shell ignores the signal; the command is not to inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        os.kill(child.pid, how)
        _, told = child.communicate(timeout=20)
    finally:
        child.kill()
    assert child.returncode != 0
    assert not Path("out").exists()
    assert how == signal.SIGKILL or not [name for name in os.listdir() if name.endswith(".part")]
    if how == signal.SIGINT:
        assert child.returncode == 130
        assert told == "rankproof: Interrupted; nothing was written.\n"
    # What a killed process left does not stand in the way.
    invoke("traces", "old1.jsonl", "old2.jsonl.gz", "--out", "out")
    assert len(written("out/run.jsonl")) == 30
