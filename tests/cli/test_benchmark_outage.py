"""`rankproof benchmark run` with an engine that fails on some queries: an outage is no answer, and decides nothing."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests import forking
from tests.cli.asked_shop import CONFIG, answer, run, write
from tests.live.echo import Echo, Request, echo

from rankproof.kernel.schema_files import bundled

FAILED = ("q3", "q8", "q13", "q18", "q23")


def fails(request: Request) -> str:
    """The failed query of a request to the shop; "" for others."""
    asked = request.path.rpartition("q=")[2]
    return asked if "shop" in request.path and asked in FAILED else ""


def broken_server(request: Request) -> tuple[int, bytes]:
    return (500, b"out of memory") if fails(request) else answer(request)


def too_slow(request: Request) -> tuple[int, bytes]:
    if fails(request):
        time.sleep(2.5)
    return answer(request)


def broken_json(request: Request) -> tuple[int, bytes]:
    return (200, b'{"hits": [{"sku": ') if fails(request) else answer(request)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return write(tmp_path)


@pytest.fixture
def server() -> Iterator[Echo]:
    with echo(broken_server) as started:
        yield started


def report(here: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((here / "out/BenchmarkReport.json").read_text())
    assert [e.message for e in Draft202012Validator(bundled("benchmark/1")).iter_errors(document)] == []
    return document


@pytest.mark.parametrize("reply", [broken_server, too_slow, broken_json])
def test_failed_queries_leave_the_verdict_undecided(
    here: Path, server: Echo, reply: Callable[[Request], tuple[int, bytes]]
) -> None:
    server.reply = reply
    told = run(here, server.url)
    assert told.returncode == 3, told.stdout + told.stderr
    assert "UNDECIDED: 5 of 30 queries have no answer (shop 5)" in told.stdout
    assert "Ship" not in told.stdout
    found = report(here)
    advice, failed = found["advice"], found["failed"]
    assert (advice["ship"], advice["path"]) == (None, [])
    assert found["best"] == {"RR@10": None}
    assert {against["shown"] for rung in advice["rungs"] for against in rung["against"]} == {"undecided"}
    assert (failed["status"], failed["queries"], failed["compared"]) == ("UNDECIDED", 30, 25)
    assert failed["by_mode"] == {"shop": list(FAILED)}
    # Of the 25 both modes answered, shop loses 1/2 in two; of the 5 it may have lost 1 each, or nothing.
    (bound,) = failed["bounds"]
    assert (bound["mode"], bound["against"]) == ("shop", "base")
    assert bound["low"] == pytest.approx((-2 * 0.5 - 5) / 30)
    assert bound["high"] == pytest.approx((-2 * 0.5) / 30)
    (contrast,) = found["comparison"]["contrasts"]
    assert contrast["difference"]["value"] == pytest.approx(-2 * 0.5 / 25)
    assert "UNDECIDED: 5 of 30" in (here / "out/BenchmarkReport.html").read_text()
    assert "UNDECIDED: 5 of 30" in (here / "out/BenchmarkComparison.md").read_text()


def test_a_fusion_of_what_failed_is_no_answer_either_and_a_second_run_asks_what_is_missing(
    here: Path, server: Echo
) -> None:
    (here / "b.toml").write_text(CONFIG.replace("[limits]", 'both = "fuse_rrf(base, shop)"\n[limits]'))
    told = run(here, server.url, "--full")
    assert told.returncode == 3, told.stdout + told.stderr
    assert "5 of 30 queries have no answer (shop 5, both 5)" in told.stdout
    assert "shop: no answer to q3, q8, q13" in told.stdout
    run_lines = (here / "out/runs/both.run").read_text()
    assert "q3 " not in run_lines
    assert "q4 " in run_lines
    verified = subprocess.run(
        [*forking.command(), "verify", "out/manifest.json"], cwd=here, capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
    server.reply = answer
    mended = run(here, server.url)
    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert report(here)["failed"] is None
    assert "Ship base" in mended.stdout


@pytest.mark.parametrize(("choice", "compared", "shown"), [("zero", 30, "worse"), ("drop", 25, "not shown")])
def test_what_a_failed_query_counts_may_be_chosen_and_is_said(
    here: Path, server: Echo, choice: str, compared: int, shown: str
) -> None:
    (here / "b.toml").write_text(CONFIG.replace("[modes]", f'failed = "{choice}"\n[modes]'))
    told = run(here, server.url)
    assert told.returncode == 0, told.stdout + told.stderr
    ship = "Ship base: no mode is significantly better. 5 of 30 queries have no answer (shop 5); by --failed "
    assert ship + choice in told.stdout
    found = report(here)
    assert (found["failed"]["choice"], found["failed"]["compared"]) == (choice, compared)
    (_, shop) = found["advice"]["rungs"]
    assert [against["shown"] for against in shop["against"]] == [shown]
    for page in ("BenchmarkReport.html", "BenchmarkComparison.md"):
        assert f"failed {choice}" in (here / "out" / page).read_text()
    told = run(here, server.url, "--failed", "undecided")  # the command line has the last word
    assert told.returncode == 3


def test_a_lost_connection_for_some_queries_is_a_failure_and_no_connection_for_all_an_error(
    here: Path, server: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hangs_up(request: Request) -> tuple[int, bytes]:
        if fails(request):
            raise ConnectionAbortedError
        return answer(request)

    server.reply = hangs_up
    monkeypatch.setattr(server, "handle_error", lambda request, address: None)
    told = run(here, server.url, "--json")
    assert told.returncode == 3, told.stdout + told.stderr
    assert json.loads(told.stdout)["failed"]["by_mode"] == {"shop": list(FAILED)}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}"
    (here / "b.toml").write_text(CONFIG.replace("${SHOP}/shop", f"{dead}/shop"))
    gone = run(here, server.url)
    assert gone.returncode == 1
    assert "shop: no query has an answer" in gone.stderr


def test_a_mode_without_a_document_for_any_query_is_named(here: Path, server: Echo) -> None:
    server.reply = lambda request: (200, b'{"hits": []}') if "shop" in request.path else answer(request)
    told = run(here, server.url)
    assert told.returncode == 1
    assert "shop: all 30 queries have an empty answer" in told.stderr
    assert not (here / "out").exists()
