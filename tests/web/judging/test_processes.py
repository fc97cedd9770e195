"""Four server processes on one PostgreSQL store: no pair goes to more judges than want it, and one may be killed."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from tests.live.postgres import new_database, running
from tests.web.judging import load

from rankproof.judging.store import open_store

postgres_dsn = pytest.fixture(scope="module")(running)

QUERIES, DEPTH = 12, 10
PATIENCE = 150.0
# `rankproof serve` with a shorter time for silent judges.
SERVER = """
import sys
from datetime import timedelta
from rankproof.judging.store import open_store
from rankproof.web import serving
from rankproof.web.settings import ServeSettings
settings = ServeSettings(port=0, hold=timedelta(seconds=float(sys.argv[2])))
with serving.listening(settings) as (bound, settings), open_store(sys.argv[1]) as store:
    app, _ = serving.prepare(store, settings)
    serving.serve(serving.configured(app, None, None, ()), bound, lambda: print(settings.origin, flush=True))
"""


@contextmanager
def servers(url: str, hold: float, number: int = 4) -> Iterator[list[tuple[subprocess.Popen[str], str]]]:
    """Processes that serve one store, each with its address."""
    command = [sys.executable, "-c", SERVER, url, str(hold)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(number)]
    try:
        yield [(process, process.stdout.readline().strip()) for process in started if process.stdout is not None]
    finally:
        for process in started:
            process.kill()
            process.wait(30)


@dataclass
class Table:
    """What judges were given and what was acknowledged."""

    given: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    acknowledged: list[str] = field(default_factory=list)
    lock: Any = field(default_factory=Lock)


def ask(origin: str, token: str, method: str, path: str, body: object = None) -> dict[str, Any]:
    place = urlsplit(origin)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request(method, f"/api/v1/projects/{load.SLUG}/{path}", json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
        assert response.status in (200, 201), (response.status, content)
        answer: dict[str, Any] = json.loads(content)
        return answer
    finally:
        connection.close()


def judge(table: Table, origins: Sequence[str], number: int, token: str, leaves: bool) -> None:
    """Judges until everything is judged; goes to another server when one is gone, unless the judge leaves then."""
    at, until = number % len(origins), time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            asked = ask(origins[at % len(origins)], token, "GET", "next")
            if asked["doc_id"] is None:
                if asked["nothing"] == "done":
                    return
                time.sleep(0.2)
                continue
            pair = (asked["query"]["query_id"], asked["doc_id"])
            with table.lock:
                table.given.setdefault(pair, set()).add(f"judge{number}")
            act = {"key": uuid4().hex, "query_id": pair[0], "doc_id": pair[1], "grade": number % 4}
            ask(origins[at % len(origins)], token, "POST", "judgments", act)
            with table.lock:
                table.acknowledged.append(act["key"])
        except (OSError, http.client.HTTPException):
            if leaves:
                return
            at += 1
    raise AssertionError(f"judge{number} was not done in time")


def everybody(table: Table, origins: Sequence[str], tokens: Sequence[str], leaves: Sequence[int] = ()) -> list[Thread]:
    threads = [
        Thread(target=judge, args=(table, origins, number, token, number in leaves))
        for number, token in enumerate(tokens)
    ]
    for thread in threads:
        thread.start()
    return threads


def prepared(url: str, judges: int, wanted: int) -> list[str]:
    tokens = load.prepare(url, judges)
    with open_store(url) as store:
        from dataclasses import replace

        store.projects.change(replace(store.projects.get(load.SLUG), wanted=wanted), "setup")
        store.runs.add(load.SLUG, "a", {f"q{q}": [f"d{d}" for d in range(DEPTH)] for q in range(QUERIES)}, "0" * 64)
    return tokens


def graded(url: str) -> Counter[tuple[str, str]]:
    with open_store(url) as store:
        return Counter((act.query_id, act.doc_id) for act in store.judgments.current(load.SLUG))


@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("wanted", [1, 2])
def test_no_pair_is_given_to_more_judges_than_want_it(postgres_dsn: str, wanted: int) -> None:
    url = new_database(postgres_dsn)
    tokens = prepared(url, 24, wanted)
    table = Table()
    with servers(url, 900.0) as started:
        for thread in everybody(table, [origin for _, origin in started], tokens):
            thread.join(PATIENCE)
    assert len(table.given) == QUERIES * DEPTH
    assert {pair: len(judges) for pair, judges in table.given.items() if len(judges) != wanted} == {}
    assert graded(url) == Counter(dict.fromkeys(table.given, wanted))


@pytest.mark.slow
@pytest.mark.full
def test_a_server_is_killed_and_nothing_is_lost(postgres_dsn: str) -> None:
    """kill -9 of one of four, mid-work: what it acknowledged is there, and what its judges held goes to others."""
    url = new_database(postgres_dsn)
    tokens = prepared(url, 12, 1)
    table = Table()
    with servers(url, 8.0) as started:
        threads = everybody(table, [origin for _, origin in started], tokens, leaves=(1, 5, 9))
        until = time.monotonic() + PATIENCE
        while len(table.acknowledged) < 30 and time.monotonic() < until:
            time.sleep(0.002)
        load.kill(started[1][0])
        for thread in threads:
            thread.join(PATIENCE)
    with open_store(url) as store:
        kept = {act.key for act in store.judgments.history(load.SLUG)}
    assert set(table.acknowledged) <= kept
    # Three judges left with a pair in hand each: those came free, and every pair was graded once.
    assert graded(url) == Counter(dict.fromkeys(table.given, 1))
    assert len(table.given) == QUERIES * DEPTH


@pytest.mark.slow
def test_what_a_lost_judge_held_comes_free(tmp_path: Path) -> None:
    """Two processes on one SQLite file; a judge of the one that is killed leaves with pairs in hand."""
    url = str(tmp_path / "judging.db")
    first, second = prepared(url, 2, 1)
    with servers(url, 2.0, number=2) as started:
        (gone, one), (_, other) = started
        held = ask(one, first, "GET", "next")
        load.kill(gone)
        assert ask(other, second, "GET", "next")["doc_id"] != held["doc_id"]
        seen = set()
        until = time.monotonic() + PATIENCE
        while len(seen) < QUERIES * DEPTH and time.monotonic() < until:
            asked = ask(other, second, "GET", "next")
            if asked["doc_id"] is None:
                time.sleep(0.1)
                continue
            pair = (asked["query"]["query_id"], asked["doc_id"])
            seen.add(pair)
            act = {"key": uuid4().hex, "query_id": pair[0], "doc_id": pair[1], "grade": 1}
            ask(other, second, "POST", "judgments", act)
        assert (held["query"]["query_id"], held["doc_id"]) in seen
