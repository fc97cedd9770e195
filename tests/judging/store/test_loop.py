"""Closed rounds, resolved items and jobs, in each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName
from rankproof.judging.records import Project
from rankproof.judging.rounds.closed import close_round, is_closed, open_round
from rankproof.judging.store import loop, open_store
from rankproof.judging.store.loop import Resolution
from rankproof.judging.store.store import Store


def test_a_round_is_open_until_it_is_closed_and_can_be_opened_again(store: Store) -> None:
    store.projects.add(Project("other", "Other"), by="ann")
    assert not is_closed(store, "shop")
    assert close_round(store, "shop", "rita", "all done")
    assert not close_round(store, "shop", "ron")  # it was closed: the record names who closed it
    assert is_closed(store, "shop")
    assert not is_closed(store, "other")
    assert open_round(store, "shop", "ron")
    assert not open_round(store, "shop", "ron")
    assert not is_closed(store, "shop")
    assert [(one.closed, one.by, one.note) for one in store.closings.history("shop")] == [
        (True, "rita", "all done"), (False, "ron", "")
    ]  # fmt: skip
    with raises(UnknownName, "nowhere"):
        is_closed(store, "nowhere")


def test_two_reviewers_who_close_at_once_make_one_record(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        closed = list(pool.map(lambda n: close_round(store, "shop", f"r{n}"), range(8)))
    assert sum(closed) == 1 == len(store.closings.history("shop"))


def _word(key: str, act: str = "dismissed", item: str = "i" * 64, note: str = "fine") -> Resolution:
    return Resolution(key, item, "flag", "q1", "d1", act, "rita", note)  # type: ignore[arg-type]


def test_the_newest_word_about_an_item_holds_and_none_is_lost(store: Store) -> None:
    assert store.resolutions.add("shop", _word("key-1"))
    assert not store.resolutions.add("shop", _word("key-1"))
    with raises(InputError, "key-1"):
        store.resolutions.add("shop", _word("key-1", "settled"))
    with raises(InputError, "rita", "dismissed"):  # the second of two reviewers
        store.resolutions.add("shop", _word("key-4", "settled"))
    with raises(InputError, "again"):
        store.resolutions.add("shop", _word("key-5", "reopened", item="k" * 64))
    store.resolutions.add("shop", _word("key-2", item="j" * 64))
    assert store.resolutions.holding("shop").keys() == {"i" * 64, "j" * 64}
    store.resolutions.add("shop", _word("key-3", "reopened"))
    assert store.resolutions.holding("shop").keys() == {"j" * 64}
    assert [one.act for one in store.resolutions.of("shop", "i" * 64)] == ["dismissed", "reopened"]


def test_a_project_has_one_job_at_a_time_whoever_starts_it(store: Store) -> None:
    def start(n: int) -> int | None:
        try:
            return store.jobs.start("shop", {"n": n}, f"r{n}")
        except InputError:
            return None

    with ThreadPoolExecutor(8) as pool:
        started = [number for number in pool.map(start, range(8)) if number is not None]
    assert len(started) == 1
    (number,) = started
    assert store.jobs.tell(number, 3, 10)
    assert store.jobs.stop("shop")
    assert not store.jobs.tell(number, 4, 10)
    store.jobs.end(number, "stopped", {"why": "asked\0"})
    job = store.jobs.get("shop", number)
    assert (job.state, job.done, job.total, job.detail["why"]) == ("stopped", 4, 10, "asked\ufffd")
    assert not store.jobs.stop("shop")
    assert start(9) is not None


def test_a_job_whose_server_is_gone_is_interrupted_and_makes_room(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = store.jobs.start("shop", {}, "rita")
    with open_store(url) as again:  # another process on the same store
        with raises(InputError, "already"):
            again.jobs.start("shop", {}, "ron")
        monkeypatch.setattr(loop, "SILENT", timedelta(seconds=-1))
        newest = again.jobs.newest("shop")
        assert newest is not None
        assert newest.state == "interrupted"
        second = again.jobs.start("shop", {}, "ron")
    monkeypatch.setattr(loop, "SILENT", timedelta(seconds=20))
    assert store.jobs.get("shop", first).state == "interrupted"
    assert not store.jobs.tell(first, 1, 1)  # what was taken for dead does not come back
    store.jobs.end(first, "done", {})
    assert store.jobs.get("shop", first).state == "interrupted"
    assert store.jobs.get("shop", second).state == "running"
    with raises(UnknownName, 999):
        store.jobs.get("shop", 999)
