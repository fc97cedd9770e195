"""Turns: many threads, few commits; a write that fails fails alone; nobody waits forever."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.judging.store.database import MOST_TOGETHER, Turns, Write


class Disk:
    """Commits that can be held up, and what each had in it. A transaction that fails keeps nothing."""

    def __init__(self) -> None:
        self.commits: list[int] = []
        self.kept: list[Any] = []
        self.free = Event()
        self.free.set()
        self.writing = Event()

    def commit(self, writes: Sequence[Write[Any]]) -> None:
        self.writing.set()
        assert self.free.wait(10)
        given = [write.work(self) for write in writes]
        for write, worth in zip(writes, given, strict=True):
            write.worth = worth
        self.kept += given
        self.commits.append(len(writes))


def held_up(disk: Disk, turns: Turns, works: Sequence[Any]) -> list[Any]:
    """What each work gives or raises, where all of them wait while the first one is written."""
    disk.free.clear()
    answers: list[Any] = [None] * len(works)

    def ask(i: int) -> None:
        try:
            answers[i] = turns.take(works[i])
        except Exception as error:
            answers[i] = error

    first = Thread(target=turns.take, args=(lambda _: "first",))
    first.start()
    assert disk.writing.wait(10)
    threads = [Thread(target=ask, args=(i,)) for i in range(len(works))]
    for i, thread in enumerate(threads):
        thread.start()
        while len(turns._waiting) <= i:
            pass
    disk.free.set()
    for thread in (first, *threads):
        thread.join(10)
        assert not thread.is_alive()
    return answers


def giving(worth: int) -> Any:
    return lambda _: worth


def failing(_: object) -> None:
    raise InputError("no")


def test_who_waits_is_written_together() -> None:
    disk = Disk()
    turns = Turns(disk.commit)
    assert held_up(disk, turns, [giving(i) for i in range(20)]) == list(range(20))
    assert disk.commits == [1, 20]
    assert turns.take(giving(7)) == 7  # and the turn is free again


def test_no_commit_has_too_many() -> None:
    disk = Disk()
    assert held_up(disk, Turns(disk.commit), [giving(i) for i in range(MOST_TOGETHER + 5)])[-1] == MOST_TOGETHER + 4
    assert disk.commits == [1, MOST_TOGETHER, 5]


def test_a_write_that_fails_fails_alone() -> None:
    disk = Disk()
    turns = Turns(disk.commit)
    answers = held_up(disk, turns, [giving(1), failing, giving(3), failing])
    assert [answers[0], answers[2]] == [1, 3]
    assert [str(answers[1]), str(answers[3])] == ["no", "no"]
    assert disk.kept == ["first", 1, 3]
    with raises(InputError, "no"):
        turns.take(failing)
    assert turns.take(giving(7)) == 7


def test_one_who_is_interrupted_leaves_the_others_an_answer_and_the_turn() -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    disk = Disk()
    turns = Turns(disk.commit)
    answers = held_up(disk, turns, [giving(1), giving(2)])
    assert answers == [1, 2]
    with pytest.raises(KeyboardInterrupt):
        turns.take(interrupted)
    assert turns.take(giving(7)) == 7


def test_every_write_of_many_threads_is_kept_once() -> None:
    disk = Disk()
    turns = Turns(disk.commit)
    start = Barrier(16)

    def judge(number: int) -> None:
        start.wait()
        for i in range(200):
            assert turns.take(giving(number * 1000 + i)) == number * 1000 + i

    threads = [Thread(target=judge, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(disk.kept) == sorted(number * 1000 + i for number in range(16) for i in range(200))
    assert sum(disk.commits) == 3200
