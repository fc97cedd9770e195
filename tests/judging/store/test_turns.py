"""Turns: many threads, few commits; a write that fails fails alone; nobody waits forever."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from threading import Barrier, Event, Thread, main_thread
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


def asked_apart(turns: Turns, works: Sequence[Any]) -> tuple[list[Thread], list[Any]]:
    """Threads that ask one after the other, each waiting by then; and what each is given or told."""
    answers: list[Any] = ["nothing"] * len(works)

    def ask(i: int) -> None:
        try:
            answers[i] = turns.take(works[i])
        except BaseException as error:
            answers[i] = error

    threads = [Thread(target=ask, args=(i,)) for i in range(len(works))]
    for i, thread in enumerate(threads):
        thread.start()
        until = time.monotonic() + 10
        while len(turns._waiting) <= i and time.monotonic() < until:
            time.sleep(0.0005)
    return threads, answers


def ended(*threads: Thread) -> None:
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive(), "somebody waits for a turn that is never taken"


def test_who_is_written_together_with_one_who_is_interrupted_is_told_that_nothing_was_kept() -> None:
    """Ctrl-C inside of the commit of many: none of them was written, and none of them may believe so."""

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    disk = Disk()
    turns = Turns(disk.commit)
    disk.free.clear()
    first = Thread(target=turns.take, args=(lambda _: "first",))
    first.start()
    assert disk.writing.wait(10)
    threads, answers = asked_apart(turns, [giving(1), interrupted, giving(3)])
    disk.free.set()
    ended(first, *threads)
    assert disk.kept == ["first"]
    # The one that led was interrupted; the others have an error that says to send it again, and never an answer.
    assert [type(answer) for answer in answers] == [KeyboardInterrupt, InputError, InputError]
    assert [turns.take(giving(i)) for i in (1, 3)] == [1, 3]
    assert disk.kept == ["first", 1, 3]


def test_a_commit_that_fails_at_its_very_end_is_nobodys_success() -> None:
    """The work has given its answer by then, and the disk says no: alone, and together with others."""
    disk = Disk()
    full = [False]

    def commit(writes: Sequence[Write]) -> None:
        if not full[0]:
            disk.commit(writes)
            return
        disk.writing.set()
        assert disk.free.wait(10)
        for write in writes:
            write.worth = write.work(None)  # type: ignore[arg-type]
        raise InputError("disk full")

    turns = Turns(commit)
    full[0] = True
    with raises(InputError, "disk full"):
        turns.take(giving(1))
    answers = held_up_by_error(disk, turns, [giving(1), giving(2)])
    assert [str(answer) for answer in answers] == ["disk full", "disk full"]
    assert disk.kept == []
    full[0] = False
    assert turns.take(giving(5)) == 5


def held_up_by_error(disk: Disk, turns: Turns, works: Sequence[Any]) -> list[Any]:
    disk.free.clear()
    disk.writing.clear()
    first, _ = asked_first(turns)
    assert disk.writing.wait(10)
    threads, answers = asked_apart(turns, works)
    disk.free.set()
    ended(first, *threads)
    return answers


def asked_first(turns: Turns) -> tuple[Thread, list[BaseException]]:
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            turns.take(giving(0))
        except InputError as error:
            errors.append(error)

    thread = Thread(target=ask)
    thread.start()
    return thread, errors


def test_who_waits_and_is_interrupted_writes_nothing_and_keeps_nobody_waiting() -> None:
    """A real Ctrl-C while the main thread waits for its turn."""
    disk = Disk()
    turns = Turns(disk.commit)
    disk.free.clear()
    first = Thread(target=turns.take, args=(lambda _: "first",))
    first.start()
    assert disk.writing.wait(10)

    def press() -> None:
        until = time.monotonic() + 10
        while not turns._waiting and time.monotonic() < until:
            time.sleep(0.0005)
        time.sleep(0.05)  # it waits by now
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    presser = Thread(target=press)
    try:
        presser.start()
        with pytest.raises(KeyboardInterrupt):
            turns.take(giving(1))
    finally:
        presser.join(10)
        signal.signal(signal.SIGINT, before)
    assert not turns._waiting
    threads, answers = asked_apart(turns, [giving(2)])
    disk.free.set()
    ended(first, *threads)
    assert answers == [2]
    assert disk.kept == ["first", 2]
    assert turns.take(giving(3)) == 3


def test_who_is_interrupted_at_the_moment_of_their_turn_hands_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk()
    turns = Turns(disk.commit)
    wait, interrupted = Write.wait, giving(1)

    def woken(self: Write) -> None:
        wait(self)
        if self.work is interrupted:
            raise KeyboardInterrupt

    monkeypatch.setattr(Write, "wait", woken)
    disk.free.clear()
    first = Thread(target=turns.take, args=(lambda _: "first",))
    first.start()
    assert disk.writing.wait(10)
    threads, answers = asked_apart(turns, [interrupted, giving(2), giving(3)])
    disk.free.set()
    ended(first, *threads)
    assert isinstance(answers[0], KeyboardInterrupt)
    assert answers[1:] == [2, 3]
    assert disk.kept == ["first", 2, 3]
    assert turns.take(giving(4)) == 4
