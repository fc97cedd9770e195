"""Limits of requests to live engines, and keys of stored answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.specs.kinds import Number, Param, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Answered


@dataclass(frozen=True, slots=True)
class Limits:
    """What a live engine is spared, and what ends a fetch.

    concurrency    requests under way at once
    timeout        seconds for one request, from sending it to the last byte of the answer
    attempts       how often one query is asked at most
    first_wait     seconds before the second attempt; each further wait is twice as long
    longest_wait   seconds no wait goes over; a server that asks for more is not asked that query again
    rate           requests per second at most, attempts included; None for no limit
    dead_after     failures in a row, of any query, after which no further query is asked
    probe          queries with stored answers that are asked anew before these are used; 0 uses them unchecked
    """

    concurrency: int = 4
    timeout: float = 10.0
    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0
    rate: float | None = None
    dead_after: int = 20
    probe: int = 3

    def __post_init__(self) -> None:
        for name in ("concurrency", "attempts", "dead_after"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be 1 or more; got {getattr(self, name)}.")
        if self.probe < 0:
            raise UsageError(f"probe must be 0 or more queries; got {self.probe}.")
        for name in ("timeout", "rate"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} must be a number above 0; got {value}.")
        for name in ("first_wait", "longest_wait"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise UsageError(f"{name} must be 0 seconds or more; got {getattr(self, name)}.")

    def wait(self, attempt: int, draw: float, requested: float | None = None) -> float:
        """Seconds to wait after an attempt that failed (the first is 1). `draw` is a random number from 0 to 1.

        Waits double, and a random part keeps those who failed together from coming back together: between half of
        the wait and all of it. A wait that the server requested is waited in full, and the random part is added.

        >>> Limits(first_wait=1).wait(3, draw=1.0), Limits(first_wait=1).wait(3, draw=0.0)
        (4.0, 2.0)
        >>> Limits(first_wait=1).wait(1, draw=0.5, requested=7)
        7.5
        """
        if requested is not None:
            return requested + draw * self.first_wait
        # The power is bounded before it is taken: no number of attempts overflows.
        doubled = self.first_wait * 2.0 ** min(attempt - 1, 60)
        return min(doubled, self.longest_wait) * (0.5 + 0.5 * draw)


_USUAL = Limits()
# What a configuration may say of them.
PARAMS = (
    Param("concurrency", Whole(1), _USUAL.concurrency, "requests under way at once"),
    Param("timeout", Number(0, open_low=True), _USUAL.timeout, "seconds for one request"),
    Param("attempts", Whole(1), _USUAL.attempts, "how often one query is asked at most"),
    Param("first_wait", Number(0), _USUAL.first_wait, "seconds before the second attempt; doubled each time"),
    Param("longest_wait", Number(0), _USUAL.longest_wait, "seconds no wait goes over"),
    Param("rate", Number(0, open_low=True), None, "requests per second at most; no limit when nothing is said"),
    Param("dead_after", Whole(1), _USUAL.dead_after, "failures in a row after which nothing more is asked"),
    Param("probe", Whole(0), _USUAL.probe, "queries with stored answers asked anew before these are used; 0 for none"),
)


class AnswerStore(Protocol):
    """Answers by key, stored between fetches. Several threads may call, but never two at once."""

    def get(self, key: str) -> Answered | None:
        """The stored answer; None where there is none, or where it is damaged."""

    def put(self, key: str, answered: Answered) -> None:
        """Stores it: after this call it is there for the next fetch, even when this process is killed."""

    def drop(self, beginning: str) -> None:
        """Drops every answer whose key begins so, for good, even when this process is killed."""


class KeepNothing:
    """Forgets every answer."""

    def get(self, key: str) -> Answered | None:
        """Nothing."""
        return None

    def put(self, key: str, answered: Answered) -> None:
        """Forgets it."""

    def drop(self, beginning: str) -> None:
        """There is nothing to drop."""


KEEP_NOTHING: Final = KeepNothing()


def answer_key(query: Query, depth: int, engine: str, identity: Mapping[str, str]) -> str:
    """SHA-256 of all that an answer depends on: an answer to other words, or of another index, is never found.

    The columns of the query count, because a request may be made from them. A key begins with that of its step
    (`keys_of`), so that all answers of a step can be dropped together.
    """
    own = to_json(
        {
            "query_id": query.query_id,
            "text": query.text,
            "columns": dict(sorted(query.columns.items())),
            "depth": depth,
            "engine": engine,
            "identity": dict(sorted(identity.items())),
        }
    )
    return keys_of(engine) + sha256(f"answer 1\n{own}".encode()).hexdigest()


def keys_of(engine: str) -> str:
    """What the keys of all answers of a step begin with."""
    return f"{sha256(engine.encode()).hexdigest()[:16]}-"
