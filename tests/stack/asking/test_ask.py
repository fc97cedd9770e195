"""Asking without a network: what is kept, what is asked again, what ends it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Answered, Ranking
from rankproof.stack.asking.ask import FetchProgress, ask_all
from rankproof.stack.asking.limits import KEEP_NOTHING, Limits
from rankproof.stack.engines.contract import AskFailed

QUERIES = [Query(f"q{i}", f"words {i}") for i in range(12)]
QUICK = Limits(concurrency=3, attempts=4, first_wait=0.001, longest_wait=1.0, probe=0)


class Scripted:
    """Fails as often as it is told, then answers with the query's id."""

    def __init__(self, failing: Mapping[str, Sequence[AskFailed]] | None = None, identity: str = "one") -> None:
        self.failing = {query: list(failed) for query, failed in (failing or {}).items()}
        self.asked: Counter[str] = Counter()
        self.identity: Mapping[str, str] = {"index": identity}

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        self.asked[query.query_id] += 1
        if self.failing.get(query.query_id):
            raise self.failing[query.query_id].pop(0)
        return Ranking.in_order([f"{query.query_id}-{n}" for n in range(depth)])

    def close(self) -> None:
        pass


class Remembers(dict[str, Answered]):
    """Keeps answers in memory."""

    def put(self, key: str, answered: Answered) -> None:
        self[key] = answered

    def drop(self, beginning: str) -> None:
        for key in [key for key in self if key.startswith(beginning)]:
            del self[key]


def ask(asker: Scripted, keep: Remembers, limits: Limits = QUICK, seed: int = 0) -> list[Answered]:
    return ask_all(asker, QUERIES, 2, limits, keep, np.random.default_rng(seed), stage="shop", engine="e")


def again(n: int) -> list[AskFailed]:
    return [AskFailed("server error", "it broke.", again=True) for _ in range(n)]


def test_what_was_kept_is_not_asked_again() -> None:
    keep = Remembers()
    first = ask(Scripted({"q3": again(9)}), keep)
    assert [a.query_id for a in first if a.failures] == ["q3"]
    assert len(keep) == 11
    second = Scripted()
    answers = ask(second, keep)
    assert dict(second.asked) == {"q3": 1}
    assert [a.kept for a in answers] == [query.query_id != "q3" for query in QUERIES]
    assert [a.ranking.doc_ids for a in answers] == [(f"q{i}-0", f"q{i}-1") for i in range(12)]


def test_another_index_is_asked_anew() -> None:
    keep = Remembers()
    ask(Scripted(identity="one"), keep)
    other = Scripted(identity="two")
    ask(other, keep)
    assert sum(other.asked.values()) == 12


def test_a_failure_says_who_what_and_how_often() -> None:
    (failed,) = (a for a in ask(Scripted({"q3": again(9)}), Remembers()) if a.failures)
    (failure,) = failed.failures
    assert (failure.query_id, failure.stage, failure.kind, failure.fallback) == (
        "q3",
        "shop",
        "server error",
        "no answer",
    )
    assert failure.message == "it broke. It was asked 4 times."
    assert (failed.attempts, failed.milliseconds, len(failed.ranking)) == (4, None, 0)


def test_what_asking_again_does_not_mend_is_asked_once() -> None:
    asker = Scripted({"q3": [AskFailed("refused", "no.", again=False)]})
    (failed,) = (a for a in ask(asker, Remembers()) if a.failures)
    assert asker.asked["q3"] == 1
    assert failed.failures[0].message == "no."


def test_the_seed_decides_the_waits_and_threads_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    def pause(self: object, seconds: float) -> bool:
        waits.append(seconds)
        return True

    monkeypatch.setattr("rankproof.stack.asking.ask._Fetch.pause", pause)

    def waited(seed: int, concurrency: int) -> list[float]:
        waits.clear()
        failing = {query.query_id: again(2) for query in QUERIES}
        ask(Scripted(failing), Remembers(), Limits(concurrency=concurrency, dead_after=99), seed)
        return sorted(waits)

    assert len(waited(1, 1)) == 24
    assert waited(1, 1) == waited(1, 5)
    assert waited(1, 1) != waited(2, 1)


def test_a_server_that_puts_off_is_not_dead() -> None:
    """Four times 429 in a row, of queries that are answered in the end, with a limit of three failures in a row."""
    busy = {f"q{i}": [AskFailed("too many requests", "later.", again=True)] * 2 for i in range(2)}
    answers = ask(Scripted(busy), Remembers(), Limits(concurrency=1, first_wait=0.001, dead_after=3))
    assert not any(a.failures for a in answers)


def test_an_answer_between_failures_ends_the_row() -> None:
    odd = {f"q{i}": [AskFailed("refused", "no.", again=False)] for i in range(0, 12, 2)}
    answers = ask(Scripted(odd), Remembers(), Limits(concurrency=1, dead_after=2))
    assert [bool(a.failures) for a in answers] == [i % 2 == 0 for i in range(12)]


def test_an_engine_that_cannot_say_what_it_is_is_one_clear_error() -> None:
    class Dead(Scripted):
        tried = 0

        @property
        def identity(self) -> Mapping[str, str]:
            self.tried += 1
            raise AskFailed("no connection", "http://localhost:9200: connection refused.", again=True)

        @identity.setter
        def identity(self, value: Mapping[str, str]) -> None:
            pass

    dead = Dead()
    with raises(InputError, "shop", "http://localhost:9200", "4"):
        ask(dead, Remembers())
    assert (dead.tried, sum(dead.asked.values())) == (4, 0)


def test_a_full_disk_ends_the_fetch() -> None:
    class Full(Remembers):
        def put(self, key: str, answered: Answered) -> None:
            raise InputError("the disk is full")

    asker = Scripted()
    with raises(InputError, "disk"):
        ask(asker, Full(), Limits(concurrency=1, rate=50))
    assert sum(asker.asked.values()) < 12


def test_progress_is_told_for_every_query() -> None:
    told: list[FetchProgress] = []
    ask_all(Scripted({"q3": again(9)}), QUERIES, 2, QUICK, KEEP_NOTHING, np.random.default_rng(0), told.append)
    assert [p.done for p in told] == list(range(13))
    assert told[-1] == FetchProgress(12, 12, 0, 1)


def test_no_queries_are_no_answers() -> None:
    assert ask_all(Scripted(), [], 2, QUICK, KEEP_NOTHING, np.random.default_rng(0)) == []
