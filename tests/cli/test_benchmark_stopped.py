"""`rankproof benchmark run` that is killed or interrupted: nothing half-written, and nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.live.echo import Echo, Request, echo

COMMAND = Path(sys.executable).parent / "rankproof"
QUERIES = 30
CONFIG = """
[benchmark]
dataset = "data"
measures = ["RR@10"]
latency_queries = 0
throughput_concurrency = 0
[modes]
shop = "http(url='${SHOP}/search', params={'q': '{query}'}, hits='hits', id='sku')"
other = "http(url='${SHOP}/other', params={'q': '{query}'}, hits='hits', id='sku')"
[limits]
concurrency = 2
probe = 0
"""


def slow(request: Request) -> tuple[int, bytes]:
    time.sleep(0.05)
    order = "abc" if "search" in request.path else "cab"
    return 200, json.dumps({"hits": [{"sku": sku} for sku in order]}).encode()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    ids = [f"q{number}" for number in range(QUERIES)]
    (data / "queries.csv").write_text("query_id,text\n" + "".join(f"{query},words of {query}\n" for query in ids))
    (data / "qrels.trec").write_text("".join(f"{query} 0 {'abc'[at % 3]} 1\n" for at, query in enumerate(ids)))
    (tmp_path / "b.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def server() -> Iterator[Echo]:
    with echo(slow) as started:
        yield started


def start(here: Path, server: Echo, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [COMMAND, "benchmark", "run", "b.toml", *args],
        cwd=here, env={**os.environ, "SHOP": server.url}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def stopped(here: Path, server: Echo, number: int) -> tuple[int, str]:
    """Started, and stopped by a signal in the middle of asking."""
    child = start(here, server, "-o", "out")
    deadline = time.monotonic() + 60
    while len(server.requests) < 12 and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(number)
    _, told = child.communicate(timeout=60)
    return child.returncode, told


def kept(here: Path) -> int:
    """Whole lines of the file of answers, without its head."""
    return (here / ".rankproof-cache/answers.jsonl").read_bytes().count(b"\n") - 1


def test_what_was_killed_goes_on_and_asks_nothing_twice(here: Path, server: Echo) -> None:
    status, _ = stopped(here, server, signal.SIGKILL)
    assert status == -signal.SIGKILL
    assert not (here / "out").exists()
    before = kept(here)
    assert 0 < before < 2 * QUERIES
    server.requests.clear()
    child = start(here, server, "-o", "out")
    told, wrong = child.communicate(timeout=120)
    assert child.returncode == 0, wrong
    assert len(server.requests) == 2 * QUERIES - before
    assert "2 modes on 30 queries" in told
    assert not list(here.rglob("*.part"))
    whole = start(here, server, "-o", "whole", "--cache", "fresh")
    whole.communicate(timeout=120)
    for mode in ("shop", "other"):
        assert (here / f"out/runs/{mode}.run").read_bytes() == (here / f"whole/runs/{mode}.run").read_bytes()


def test_an_interrupt_ends_in_one_line_and_writes_no_report(here: Path, server: Echo) -> None:
    status, told = stopped(here, server, signal.SIGINT)
    assert status == 130
    assert "Traceback" not in told
    assert not (here / "out").exists()
    assert kept(here) > 0


def test_damaged_answers_are_told_and_asked_again(here: Path, server: Echo) -> None:
    start(here, server, "-o", "out").communicate(timeout=120)
    path = here / ".rankproof-cache/answers.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b"words", b"wards").replace(b'"a"', b'"x"')
    path.write_bytes(b"".join(lines))
    server.requests.clear()
    child = start(here, server, "-o", "out")
    _, told = child.communicate(timeout=120)
    assert child.returncode == 0
    assert "1 kept answer is damaged; what is missing is asked again" in told
    assert len(server.requests) == 1
