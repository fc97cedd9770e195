"""Turns: writes of many threads, one commit after the other, each commit for all who wait.

Whoever comes while somebody writes waits. Who has written hands the turn to the one who has waited longest, and that
one writes for everybody who waits by then. So fifty judges who save at once wait for two commits, not for fifty, and
there is no thread of its own that could die with their words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Generic, TypeVar, cast

from rankproof.errors import InputError

T = TypeVar("T")

MOST_TOGETHER = 200  # writes in one commit: nobody waits for more than these


class Write(Generic[T]):
    """A write that waits for its turn, and what became of it. `leads`: it is to write for all."""

    __slots__ = ("_latch", "done", "error", "leads", "work", "worth")

    def __init__(self, work: Callable[[Any], T]) -> None:
        self.work: Any = work
        self.done = self.leads = False
        self.error: BaseException | None = None
        self.worth: T | None = None
        self._latch = Lock()
        self._latch.acquire()

    def wait(self) -> None:
        """Until somebody calls."""
        self._latch.acquire()

    def call(self) -> None:
        """It was written, or it is its turn."""
        self._latch.release()


class Turns:
    """The queue. `commit` writes several in one transaction, or raises and has written none."""

    def __init__(self, commit: Callable[[Sequence[Write[Any]]], None]) -> None:
        self._commit = commit
        self._waiting: deque[Write[Any]] = deque()
        self._door = Lock()
        self._taken = False

    def take(self, work: Callable[[Any], T]) -> T:
        """What `work` gives, committed. It is run again, alone, when one of those it was written with failed."""
        mine = Write(work)
        with self._door:
            self._waiting.append(mine)
            mine.leads, self._taken = not self._taken, True
        if not mine.leads:
            self._wait(mine)
        if mine.leads:
            self._write_for_all(mine)
        if mine.error is not None:
            raise mine.error
        return cast(T, mine.worth)

    def _wait(self, mine: Write[Any]) -> None:
        try:
            mine.wait()
        except BaseException:  # Ctrl-C: nobody may wait for a turn that is never taken
            with self._door:
                if mine in self._waiting:
                    self._waiting.remove(mine)
            if mine.leads:
                self._hand_on()
            raise

    def _write_for_all(self, mine: Write[Any]) -> None:
        with self._door:
            together = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_TOGETHER))]
        try:
            self._write(together)
        finally:
            self._hand_on()
            for write in together:
                if not write.done:
                    write.error = InputError("Writing was interrupted. Send it again: by its key it is kept once.")
                if write is not mine:
                    write.call()

    def _write(self, together: Sequence[Write[Any]]) -> None:
        try:
            self._commit(together)
        except Exception as error:
            if len(together) == 1:
                together[0].done, together[0].error = True, error
                return
            # One of them failed and took the others with it: each for itself, so that only that one fails.
            for write in together:
                try:
                    self._commit([write])
                except Exception as error:
                    write.error = error
                write.done = True
        else:
            for write in together:
                write.done = True

    def _hand_on(self) -> None:
        with self._door:
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].call()
            else:
                self._taken = False
