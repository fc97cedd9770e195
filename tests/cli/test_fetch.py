"""`rankproof runs fetch` on a live engine: what is asked, what is kept, what is said of what failed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests import forking
from tests.live.echo import Echo, Reply, Request, echo

CONFIG = """
[benchmark]
dataset = "{dataset}"
[modes]
shop = "http(url='${{SHOP}}/search', params={{'q': '{{query}}'}}, hits='hits', id='sku')"
[limits]
probe = 0
"""


def answers(*skus: str) -> bytes:
    return json.dumps({"hits": [{"sku": sku} for sku in skus]}).encode()


def asked(server: Echo) -> list[str]:
    return sorted(parse_qs(urlsplit(request.path).query)["q"][0] for request in server.requests)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "queries.csv").write_text("query_id,text\nq1,red lamp\nq2,blue chair\nq3,desk\n")
    (tmp_path / "shop.toml").write_text(CONFIG.format(dataset="queries.csv"))
    return tmp_path


def fetch(here: Path, server: Echo, *args: str, config: str = "shop.toml") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forking.command(), "runs", "fetch", config, "-o", "out", *args],
        cwd=here, env={**os.environ, "SHOP": server.url}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_queries_that_nobody_judged_are_asked(here: Path) -> None:
    with echo(answers("a", "b")) as server:
        told = fetch(here, server)
        assert told.returncode == 0, told.stderr
        assert asked(server) == ["blue chair", "desk", "red lamp"]
    assert told.stdout.startswith("shop: 3 queries, 6 documents, p50 ")
    assert told.stdout.splitlines()[0].endswith(": out/runs/shop.run")
    assert (here / "out/runs/shop.run").read_text().splitlines()[0] == "q1 Q0 a 1 2.0 shop"
    assert json.loads((here / "out/fetch.json").read_text())["dataset"]["queries"] == 3


def test_only_judged_ones_where_that_is_said(here: Path) -> None:
    data = here / "data"
    data.mkdir()
    (here / "queries.csv").rename(data / "queries.csv")
    (data / "qrels.trec").write_text("q1 0 a 1\nq3 0 b 1\n")
    (here / "data.toml").write_text(CONFIG.format(dataset="data"))
    with echo(answers("a")) as server:
        assert fetch(here, server, "--judged", config="data.toml").returncode == 0
        assert asked(server) == ["desk", "red lamp"]
        assert fetch(here, server, config="data.toml").returncode == 0
        assert asked(server) == ["blue chair", "desk", "red lamp"]  # the one that was missing


def test_what_is_kept_is_said_and_can_be_forgotten(here: Path) -> None:
    with echo(answers("a")) as server:
        fetch(here, server)
        again = fetch(here, server, "--json")
        assert len(server.requests) == 3
        assert json.loads(again.stdout)["observed"]["kept"] == {"shop": 3}
        assert ", 3 answers from the cache: " in fetch(here, server).stdout
        assert "kept" not in fetch(here, server, "--fresh").stdout
        assert len(server.requests) == 6


def test_another_server_behind_the_same_name_is_asked(here: Path) -> None:
    with echo(answers("a")) as first, echo(answers("b")) as second:
        fetch(here, first)
        told = fetch(here, second)
        assert (len(first.requests), len(second.requests)) == (3, 3)
    assert "kept" not in told.stdout
    assert " b 1 " in (here / "out/runs/shop.run").read_text()


def some(query: str) -> Reply:
    """Refuses one query."""

    def reply(request: Request) -> tuple[int, bytes]:
        return (400, b'{"error": "no such word"}') if query in request.path else (200, answers("a"))

    return reply


def test_a_query_without_an_answer_is_told_with_its_reason_and_is_no_success(here: Path) -> None:
    with echo(some("desk")) as server:
        told = fetch(here, server)
        assert told.returncode == 1
        lines = told.stdout.splitlines()
        assert lines[1] == "  http: refused, no answer: 1 (q3)"
        assert lines[2].startswith("    GET ${SHOP}/search answered 400 Bad Request: ")
        assert lines[2].endswith("no such word")
        assert lines[4] == "1 query has no answer. Mend what failed and fetch again: only missing queries are sent."
        server.reply = some("nothing")
        server.requests.clear()
        assert fetch(here, server).returncode == 0
        assert asked(server) == ["desk"]


def test_an_empty_run_does_not_take_the_place_of_a_whole_one(here: Path) -> None:
    with echo(answers("a")) as server:
        fetch(here, server)
        before = (here / "out/runs/shop.run").read_bytes()
        server.reply = lambda request: (200, b'{"results": []}')
        told = fetch(here, server, "--fresh")
    assert (told.returncode, told.stdout) == (1, "")
    assert "no query has an answer, so nothing is written. q1: unreadable answer: hits = 'hits' gives" in told.stderr
    assert (here / "out/runs/shop.run").read_bytes() == before


def test_an_id_that_no_run_can_hold_is_refused(here: Path) -> None:
    with echo(answers("a", "red lamp")) as server:
        told = fetch(here, server)
    assert told.returncode == 1
    assert "shop, query 'q1': the id 'red lamp'" in told.stderr
    assert not (here / "out/runs/shop.run").exists()
