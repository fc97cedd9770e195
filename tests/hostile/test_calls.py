"""Files of calls that nobody should write: read or refused with one message, in good time and within the memory."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.hostile.command import PATIENCE, apart, here, program
from tests.hostile.strategies import anything

import rankproof
from rankproof.errors import RankproofError

QRELS = {"t1": {"a": 1, "b": 1}, "t2": {"c": 1}, "7": {"7": 1}}
QUICK = settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "a", "t1", "7", " ", "\ud800", "1e9"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "docs", "tokens"]), inner),
    max_leaves=4,
)
NAMES = st.sampled_from(["task_id", "call", "docs", "tokens", "calls", "step", "doc_ids", "query_id", "", "Docs"])
IDS = st.sampled_from(["t1", "t2", "7", 7])
USUAL = st.fixed_dictionaries(
    {"task_id": IDS, "docs": st.lists(st.sampled_from(["a", "b", "c", 7]), max_size=3)},
    optional={"call": st.integers(0, 3), "tokens": st.one_of(st.integers(0, 9), st.none(), VALUES)},
)
LINES = st.lists(st.one_of(USUAL, USUAL, USUAL, st.dictionaries(NAMES, VALUES, max_size=4)), max_size=6)


def measured_or_refused(what: object) -> None:
    """A sound evaluation, or one of our errors with one message for a person."""
    try:
        evaluation = rankproof.evaluate_tasks(QRELS, what, "AllRecall@5 R@5")
    except RankproofError as error:
        message = str(error)
        assert 10 < len(message) < 1500
        assert "\n" not in message
        return
    for name, result in evaluation.items():
        for value in result.by_query.values():
            assert math.isfinite(value)
            assert value >= 0
            assert value <= 1 or name in ("CallsToAll", "Calls", "Tokens", "TokensToAll")
    # Never found is never a number, and what is found is found by a call that was made.
    solved = evaluation["CallsToAll"].by_query
    assert all(evaluation["Calls"].by_query[task] >= at >= 1 for task, at in solved.items())


@QUICK
@given(anything)
def test_any_bytes(content: bytes) -> None:
    measured_or_refused(content)


@QUICK
@given(LINES)
def test_nearly_calls_as_lines_and_as_objects(rows: list[dict[str, Any]]) -> None:
    measured_or_refused(rows)
    measured_or_refused("".join(json.dumps(row) + "\n" for row in rows).encode())


@QUICK
@given(st.lists(st.lists(st.text(max_size=4), min_size=3, max_size=3), max_size=4))
def test_nearly_a_table(rows: list[list[str]]) -> None:
    text = "\n".join(",".join(row) for row in [["task_id", "docs", "tokens"], ["t1", "a b", "3"], *rows])
    measured_or_refused(text.encode("utf-8", "replace"))


FILES = {
    "nothing": b"",
    "blanks": b" \n\n \n",
    "zeros": b"\0" * 100,
    "not UTF-8": b'{"task_id": "t1", "docs": ["\xff"]}\n',
    "half a character": b'{"task_id": "t1", "docs": ["\\ud800"]}\n',
    "half a character in a task": b'{"task_id": "t1\\udfff", "docs": ["a"]}\n',
    "deep": b'{"task_id": "t1", "docs": ' + b"[" * 100_000 + b"\n",
    "a number of a million digits": b'{"task_id": "t1", "docs": [], "tokens": ' + b"9" * 1_000_000 + b"}\n",
    "a cell of a megabyte": b"task_id,docs\nt1," + b"a" * (1 << 20) + b"\n",
    "an open quote": b'task_id,docs\nt1,"a\n',
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_one_message_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_bytes(FILES[name])
    (tmp_path / "qrels.trec").write_text("t1 0 a 1\n")
    here("tasks", tmp_path / "qrels.trec", tmp_path / "calls.jsonl", "-o", tmp_path / "out.txt").refused()
    assert not (tmp_path / "out.txt").exists()


def test_a_file_that_is_not_there_and_a_folder(tmp_path: Path) -> None:
    (tmp_path / "qrels.trec").write_text("t1 0 a 1\n")
    assert "nowhere" in here("tasks", tmp_path / "qrels.trec", tmp_path / "nowhere.jsonl").refused()
    here("tasks", tmp_path / "qrels.trec", tmp_path).refused()


def test_calls_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "qrels.trec").write_text("t1 0 a 1\n")
    told = apart("tasks", tmp_path / "qrels.trec", "-", "--json", given=b'{"task_id": "t1", "docs": ["a"]}\n')
    assert told.status == 0, told.err
    assert json.loads(told.out)["evaluations"][0]["measures"]["CallsToAll"]["value"] == 1


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="/usr/bin/time and its maximum of memory are of Unix")
def test_a_million_calls(tmp_path: Path) -> None:
    """10 calls of 10 documents for each of 100,000 tasks: 160 MB, read line by line."""
    calls, qrels = tmp_path / "calls.jsonl", tmp_path / "qrels.trec"
    with calls.open("w") as file:
        for i in range(100_000):
            for n in range(10):
                docs = [f"d{(i * 7 + n * 13 + k) % 200_000}" for k in range(10)]
                file.write(f'{{"task_id": "t{i}", "call": {n}, "docs": {json.dumps(docs)}, "tokens": {n}}}\n')
    # The document that the fourth call of each task brings first.
    qrels.write_text("".join(f"t{i} 0 d{(i * 7 + 3 * 13) % 200_000} 1\n" for i in range(100_000)))
    script = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=sys.stdout); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(done.returncode)"
    )
    told = subprocess.run(
        [sys.executable, "-c", script, *program("tasks", qrels, calls, "--json")],
        capture_output=True, text=True, timeout=10 * PATIENCE, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    measures = json.loads(told.stdout)["evaluations"][0]["measures"]
    assert measures["CallsToAll"]["value"] == 4
    assert measures["Tokens"]["value"] == 45
    assert measures["TokensToAll"]["value"] == 0 + 1 + 2 + 3
    assert int(told.stderr) < 2_500_000, "kilobytes of memory at most"
