"""Many judges at once against a real server: raw connections that cost little, and what each of them was told."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from rankproof.judging.records import Project
from rankproof.judging.store import open_store
from rankproof.reading.collection import Query
from rankproof.web.context import stamp
from rankproof.web.security.credentials import digest, new_token

SLUG = "load"
QUERIES, DOCUMENTS = 20, 200
PATIENCE = 120.0  # seconds that a busy machine is given


def prepare(url: str, judges: int) -> list[str]:
    """A store with a project and judges who are signed in already; their tokens."""
    from datetime import UTC, datetime, timedelta

    until = stamp(datetime.now(UTC) + timedelta(days=1))
    tokens = []
    with open_store(url) as store:
        store.projects.add(Project(SLUG, "Load"), "setup")
        store.items.add_queries(SLUG, [Query(f"q{i}", f"words {i}") for i in range(QUERIES)])
        store.items.add_documents(SLUG, ((f"d{i}", {"title": f"Thing {i}", "text": "text"}) for i in range(DOCUMENTS)))
        for i in range(judges):
            store.accounts.add(f"judge{i}", "viewer", "no password")
            store.memberships.put(f"judge{i}", SLUG, "judge", "setup")
            token = new_token()
            store.sessions.add(digest(token), f"judge{i}", new_token(), until)
            tokens.append(token)
    return tokens


@contextmanager
def running(url: str, log: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`rankproof serve` as a process of its own, on a free port; gives it and its address."""
    command = [sys.executable, "-m", "rankproof", "serve", url, "--port", "0"]
    with log.open("a") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        found = re.search(r"http://\S+", first)
        assert found is not None, first + log.read_text()
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(30)


@dataclass
class Told:
    """What the judges sent and were told.

    sent          every act by its key, with the number of its judge
    acknowledged  the status that each acknowledged key was answered with
    milliseconds  how long each of those took
    """

    sent: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    acknowledged: dict[str, int] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """The time that this share of the answers took at most."""
        ranked = sorted(self.milliseconds)
        return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def acts(judge: int) -> Iterator[dict[str, Any]]:
    """The acts of a judge, each with a key of its own, about one pair after the other."""
    for number in count(judge * 7919):
        pair = number % (QUERIES * DOCUMENTS)
        query, doc = pair % QUERIES, pair // QUERIES
        yield {"key": uuid4().hex, "query_id": f"q{query}", "doc_id": f"d{doc}", "grade": number % 4}


def judge_all(origin: str, tokens: list[str], seconds: float, pause: float = 0.0) -> Told:
    """Every judge saves one judgment, and then others until the time is over or the server is gone."""
    return _together(Told(), origin, tokens, [acts(i) for i in range(len(tokens))], seconds, pause)


def judge_until_killed(process: subprocess.Popen[str], origin: str, tokens: list[str], after: int, late: float) -> Told:
    """The server is killed `late` seconds after that many judgments were acknowledged, however long that takes."""
    told = Told()

    def watch() -> None:
        until = time.monotonic() + PATIENCE
        while len(told.acknowledged) < after and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(late)
        kill(process)

    killer = threading.Thread(target=watch)
    killer.start()
    _together(told, origin, tokens, [acts(i) for i in range(len(tokens))], 2 * PATIENCE, 0.0)
    killer.join()
    return told


def send_again(origin: str, tokens: list[str], before: Told) -> Told:
    """Every judge sends everything again."""
    mine: list[list[dict[str, Any]]] = [[] for _ in tokens]
    for judge, act in before.sent.values():
        mine[judge].append(act)
    return _together(Told(), origin, tokens, [iter(acts) for acts in mine], PATIENCE, 0.0)


def _together(
    told: Told, origin: str, tokens: list[str], work: Sequence[Iterator[dict[str, Any]]], seconds: float, pause: float
) -> Told:
    """Fills what was told, while it happens."""

    async def everybody() -> None:
        until = time.perf_counter() + seconds
        judges = (_judge(origin, token, i, work[i], until, pause, told) for i, token in enumerate(tokens))
        await asyncio.gather(*judges)

    # In a thread of its own: a browser that is open has a loop in this one.
    with ThreadPoolExecutor(1) as own:
        own.submit(asyncio.run, everybody()).result()
    return told


async def _judge(
    origin: str, token: str, judge: int, work: Iterator[dict[str, Any]], until: float, pause: float, told: Told
) -> None:
    place = urlsplit(origin)
    try:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
    except OSError:
        return
    head = (
        f"POST /api/v1/projects/{SLUG}/judgments HTTP/1.1\r\nHost: {place.netloc}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: "
    ).encode()
    try:
        for number, act in enumerate(work):
            if number and time.perf_counter() > until:
                break
            body = json.dumps(act).encode()
            told.sent[act["key"]] = (judge, act)
            began = time.perf_counter()
            writer.write(head + str(len(body)).encode() + b"\r\n\r\n" + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer)
            assert length is not None, answer
            content = await reader.readexactly(int(length[1]))
            took = (time.perf_counter() - began) * 1000
            status = int(answer.split(b" ", 2)[1])
            if status in (200, 201):
                told.acknowledged[act["key"]] = status
                told.milliseconds.append(took)
            else:
                told.refused.append(f"{status} {content.decode()}")
            if pause:
                await asyncio.sleep(pause)
    except (OSError, asyncio.IncompleteReadError):
        pass  # the server is gone
    finally:
        writer.close()


def kept(url: str) -> list[str]:
    """The key of every judgment in a store, as often as it is there."""
    with open_store(url) as store:
        return [act.key for act in store.judgments.history(SLUG)]


def kill(process: subprocess.Popen[str]) -> None:
    """Ends a process so that it can do nothing about it."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
