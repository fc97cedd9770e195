"""Answers from the store: looked at anew, told on every page, never timed, and asked anew where one says so."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.asked_shop import CONFIG, answer, rankproof, run, valid, write
from tests.live.echo import Echo, Request, echo

SHOP_ALONE = CONFIG.replace("latency_queries = 0", "latency_queries = 5\nlatency_warmup = 0")


def changed(request: Request) -> tuple[int, bytes]:
    return 200, json.dumps({"hits": [{"sku": sku} for sku in "cab"]}).encode()


def down(request: Request) -> tuple[int, bytes]:
    return 503, b"closed"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return write(tmp_path)


@pytest.fixture
def server() -> Iterator[Echo]:
    with echo(answer) as started:
        yield started


def test_stored_answers_are_looked_at_told_and_never_timed(here: Path, server: Echo) -> None:
    assert "from the store" not in run(here, server.url).stderr
    day = time.strftime("%Y-%m-%d", time.gmtime())
    server.requests.clear()
    again = run(here, server.url, "--json")
    assert again.returncode == 0, again.stderr
    assert f"shop: 30 answers from the store (30 kept of {day}, 0 asked); --fresh asks anew" in again.stderr
    observed = valid(again.stdout)["observed"]
    assert observed["kept"] == {"base": {day: 30}, "shop": {day: 30}}
    same = {"verdict": "same", "asked": 3, "stored": 30, "failed": 0, "query_id": "", "what": ""}
    assert observed["probes"] == {"base": {"http": same}, "shop": {"http": same}}
    assert [times["queries"] for times in observed["milliseconds"].values()] == [0, 0]
    assert (len(server.requests), (here / "out/latency/shop.tsv").read_text()) == (6, "")
    short = run(here, server.url).stdout
    assert f"Answers from the store: base (30 kept of {day}, 0 asked), shop (30 kept of {day}, 0 asked)." in short
    told = run(here, server.url, "--full")
    for text in (
        told.stdout,
        *((here / "out" / f).read_text() for f in ("BenchmarkReport.html", "BenchmarkComparison.md")),
    ):
        assert "Answers of live engines" in text
        assert f"30 kept of {day}, 0 asked" in text.replace("<wbr>", "")
        assert "http: 3 queries asked anew for 30 stored answers: the same." in text
    fresh = run(here, server.url, "--fresh", "--json")
    assert "from the store" not in fresh.stderr
    assert {"kept", "probes"} & json.loads(fresh.stdout)["observed"].keys() == set()


def test_latency_is_of_requests_sent_now_though_every_answer_is_stored(here: Path, server: Echo) -> None:
    """They were stored in a slow hour: none of its times comes back."""

    def slow(request: Request) -> tuple[int, bytes]:
        time.sleep(0.15)
        return answer(request)

    server.reply = slow
    run(here, server.url)
    (here / "b.toml").write_text(SHOP_ALONE)
    server.reply = answer
    server.requests.clear()
    observed = valid(run(here, server.url, "--json").stdout)["observed"]
    assert {mode: sum(days.values()) for mode, days in observed["kept"].items()} == {"base": 30, "shop": 30}
    for times in observed["milliseconds"].values():
        assert (times["queries"], times["kept"]) == (5, 0)
        assert times["most"] < 150
    assert len(server.requests) == 2 * (3 + 5)
    server.reply = down
    gone = valid(run(here, server.url, "--json").stdout)["observed"]["milliseconds"]
    assert {mode: (times["queries"], times["p50"]) for mode, times in gone.items()} == {
        "base": (0, None),
        "shop": (0, None),
    }


def test_a_changed_server_is_asked_everything_anew(here: Path, server: Echo) -> None:
    before = run(here, server.url, "--json")
    server.reply = changed
    after = run(here, server.url, "--json")
    assert "http: the server has changed (query q" in after.stderr
    assert "rank 1 was 'a' and is 'c'" in after.stderr
    observed = valid(after.stdout)["observed"]
    assert "kept" not in observed
    assert {probe["http"]["verdict"] for probe in observed["probes"].values()} == {"changed"}
    values = [
        {e["run"]: e["measures"]["RR@10"]["value"] for e in json.loads(told.stdout)["comparison"]["evaluations"]}
        for told in (before, after)
    ]
    assert values[0] != values[1] == {"base": 0.5, "shop": 0.5}


def test_a_server_that_is_down_leaves_a_warning_at_the_verdict(here: Path, server: Echo) -> None:
    run(here, server.url)
    server.reply = down
    told = run(here, server.url)
    assert told.returncode == 0, told.stderr
    words = "30 stored answers could not be checked against the server: 3 of 3 queries asked anew gave no answer"
    assert f"Warning: http: {words}" in told.stdout
    assert words in told.stderr
    for page in ("BenchmarkReport.html", "BenchmarkComparison.md"):
        assert words in (here / "out" / page).read_text()
    assert any(
        words in text for text in json.loads((here / "out/BenchmarkReport.json").read_text())["comparison"]["warnings"]
    )
    (here / "b.toml").write_text(CONFIG + "probe = 0\n")
    offline = run(here, server.url, "--full")
    assert words not in offline.stdout + offline.stderr
    assert "base, shop: stored answers were used without asking any anew (probe = 0 in [limits])." in offline.stdout


def test_a_search_tells_of_stored_answers_and_asks_anew_where_one_says_so(here: Path, server: Echo) -> None:
    search = ("search", "b.toml", "q7", "--mode", "shop")
    first = rankproof(here, server.url, *search)
    assert first.returncode == 0, first.stderr
    assert "kept" not in first.stdout + first.stderr
    day = time.strftime("%Y-%m-%d", time.gmtime())
    again = rankproof(here, server.url, *search)
    assert f"shop (kept of {day}):" in again.stdout
    assert f"shop: 1 answer from the store (1 kept of {day}, 0 asked); --fresh asks anew" in again.stderr
    observed = valid(rankproof(here, server.url, *search, "--json").stdout)["observed"]
    assert observed["kept"] == {"shop": {day: 1}}
    assert observed["probes"]["shop"]["http"]["verdict"] == "same"
    assert observed["milliseconds"] == {"shop": None}
    server.requests.clear()
    fresh = rankproof(here, server.url, *search, "--fresh")
    assert "kept" not in fresh.stdout + fresh.stderr
    assert len(server.requests) == 1
    server.reply = changed
    other = rankproof(here, server.url, *search)
    assert "http: the server has changed (query q7" in other.stderr
    assert "kept" not in other.stdout
