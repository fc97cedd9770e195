"""kill -9 of a process whose threads judge at full speed: what was acknowledged is there, and nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from rankproof.judging.records import Project
from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store

ROOT = Path(__file__).resolve().parents[3]
THREADS = 8


def killed_after(url: str, n: int, seed: int) -> list[str]:
    """The keys that a process acknowledged before it was killed, somewhere after the first `n`."""
    command = [sys.executable, "-m", "tests.judging.store.writer", url, str(THREADS), str(seed)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    heard = [process.stdout.readline().strip() for _ in range(n)]
    os.kill(process.pid, signal.SIGKILL)
    rest = process.stdout.read()  # not communicate(), which would pass over what readline() has read ahead
    process.stdout.close()
    process.wait(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert all(len(key) == 32 for key in heard)
    # A line is written by one call, so that only whole ones come; what was on its way still counts as acknowledged.
    return heard + rest.split()


@pytest.mark.slow
def test_what_was_acknowledged_survives(url: str) -> None:
    with open_store(url) as store:
        store.projects.add(Project("shop", "Shop"), by="ann")
    acknowledged: list[str] = []
    for seed, n in enumerate((150, 60, 300)):  # killed three times
        acknowledged += killed_after(url, n, seed)
        with open_store(url) as store:
            kept = Counter(act.key for act in store.judgments.history("shop"))
            assert set(kept.values()) == {1}
            assert kept.keys() >= set(acknowledged)
            # Beyond those, each thread may have had one act on its way when it was killed.
            assert len(kept) <= len(acknowledged) + (seed + 1) * THREADS
            _sent_again(store, len(kept))
    assert len(acknowledged) >= 510
    with open_store(url) as store:
        held = store.judgments.current("shop")
        taken_back = {act.withdraws for act in store.judgments.history("shop") if act.withdraws}
        assert taken_back
        assert not taken_back & {act.key for act in held}


def _sent_again(store: Store, n: int) -> None:
    """A browser that never heard the answer sends its judgment again: nothing is added."""
    for act in store.judgments.history("shop")[-20:]:
        assert not store.judgments.add("shop", act)
    assert len(store.judgments.history("shop")) == n


def test_the_file_is_sound_after_it(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "judging.db"
    with open_store(path) as store:
        store.projects.add(Project("shop", "Shop"), by="ann")
    killed_after(str(path), 100, 7)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.full
def test_killed_many_times(url: str) -> None:
    with open_store(url) as store:
        store.projects.add(Project("shop", "Shop"), by="ann")
    acknowledged: set[str] = set()
    for seed in range(25):
        acknowledged |= set(killed_after(url, 40 + 37 * seed % 400, 1000 + seed))
        with open_store(url) as store:
            kept = Counter(act.key for act in store.judgments.history("shop"))
        assert set(kept.values()) == {1}
        assert kept.keys() >= acknowledged
