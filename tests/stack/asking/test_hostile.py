"""A hostile server loses nothing: every query ends in the right ranking or in a failure that is counted."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
from tests.live.clients import http_step, opened, queries
from tests.live.hostile import Hostile, hits, hostile

from rankproof.reading.ranking import Answered
from rankproof.stack.asking.ask import FetchProgress, ask_all
from rankproof.stack.asking.limits import KEEP_NOTHING, Limits

QUICK = Limits(concurrency=8, timeout=3.0, attempts=3, first_wait=0.01, longest_wait=2.0, dead_after=1000)

# What is met once and then answered: asked again, and nothing is lost.
PASSING = ("429", "429 wait 1", "500", "503", "hang", "reset", "drip", "short", "half json")
# What asking again does not mend, and the word it is counted under.
LASTING = {
    "400": "refused",
    "401": "not allowed",
    "302": "redirected",
    "empty": "unreadable answer",
    "garbage": "unreadable answer",
    "chatter": "unreadable answer",
    "page": "unreadable answer",
    "deep": "unreadable answer",
    "repeated": "repeated ids",
    "no ids": "missing ids",
    "null hit": "missing ids",
    "wrong shape": "unreadable answer",
    "hits a text": "unreadable answer",
    "rising": "scores out of order",
    "nan": "unreadable answer",
    "score text": "unreadable answer",
}


def ask(server: Hostile, n: int, limits: Limits = QUICK, **more: object) -> list[Answered]:
    asker = opened(http_step(server.url))
    try:
        return ask_all(asker, queries(n), 10, limits, KEEP_NOTHING, np.random.default_rng(0), **more)
    finally:
        asker.close()


def right(answer: Answered, i: int) -> bool:
    good = hits(f"red shoes size {i}", 10)
    return list(answer.ranking.doc_ids) == [hit["id"] for hit in good] and not answer.failures


def test_what_passes_is_asked_again_and_nothing_is_lost() -> None:
    with hostile({f"q{i}": (manner,) for i, manner in enumerate(PASSING)}) as server:
        answers = ask(server, len(PASSING) + 3)
    assert [a.query_id for a in answers] == [f"q{i}" for i in range(len(answers))]
    assert all(right(a, i) for i, a in enumerate(answers))
    assert [a.attempts for a in answers] == [2] * len(PASSING) + [1] * 3


def test_what_lasts_is_a_failure_with_its_word_and_is_asked_once() -> None:
    with hostile({f"q{i}": (manner,) * 9 for i, manner in enumerate(LASTING)}) as server:
        answers = ask(server, len(LASTING) + 1)
    found = {manner: a.failures[0].kind for manner, a in zip(LASTING, answers, strict=False)}
    assert found == LASTING
    assert all(len(a.ranking) == 0 and a.failures[0].fallback == "no answer" for a in answers[:-1])
    assert right(answers[-1], len(LASTING))
    assert set(server.asked.values()) == {1}


def test_who_never_stops_is_given_up_after_the_last_attempt() -> None:
    always = {
        "q0": ("500",) * 9,
        "q1": ("hang",) * 9,
        "q2": ("reset",) * 9,
        "q3": ("429",) * 9,
        "q4": ("half json",) * 9,
    }
    with hostile(always) as server:
        answers = ask(server, 6, Limits(8, 1.0, 3, 0.01, 2.0, None, 1000))
    kinds = [a.failures[0].kind for a in answers[:5]]
    assert kinds == ["server error", "timeout", "connection lost", "too many requests", "cut off"]
    assert [server.asked[f"q{i}"] for i in range(6)] == [3, 3, 3, 3, 3, 1]
    assert "It was asked 3 times." in answers[0].failures[0].message
    assert "out of memory" in answers[0].failures[0].message
    assert sum(any(f.fallback == "no answer" for f in answer.failures) for answer in answers) == 5


def test_nothing_found_is_an_answer_and_no_failure() -> None:
    with hostile({"q0": ("nothing found",)}) as server:
        (answer,) = ask(server, 1)
    assert (len(answer.ranking), answer.failures) == (0, ())


def test_a_slow_stream_ends_at_the_timeout() -> None:
    with hostile({"q0": ("drip",) * 9}) as server:
        began = time.monotonic()
        (answer,) = ask(server, 1, Limits(1, 0.5, 1))
    assert answer.failures[0].kind == "timeout"
    assert time.monotonic() - began < 15  # it would go on for 30 seconds


def test_a_server_that_asks_for_time_gets_it() -> None:
    """One thread meets 429 with "retry after 1 second"; nobody asks anything before that second is over."""
    with hostile({"q0": ("429 wait 1",)}) as server:
        ask(server, 2, Limits(1, 1.0, 3, 0.01, 2.0))
    assert len(server.moments) == 3
    assert server.moments[1] - server.moments[0] >= 1.0


def test_a_server_that_asks_for_a_day_is_not_waited_for() -> None:
    with hostile({"q0": ("429 wait long",)}) as server:
        began = time.monotonic()
        answers = ask(server, 2)
    assert time.monotonic() - began < 15
    assert "86400 seconds, longer than longest_wait = 2." in answers[0].failures[0].message
    assert right(answers[1], 1)


def test_a_dead_server_does_not_eat_hours() -> None:
    """Nobody listens: five failures in a row end it, and every query that was not asked says so."""
    with hostile() as server:
        gone = server.url
    asker = opened(http_step(gone))
    limits = Limits(concurrency=2, timeout=3.0, attempts=2, first_wait=0.01, dead_after=5)
    told: list[FetchProgress] = []
    answers = ask_all(asker, queries(300), 10, limits, KEEP_NOTHING, np.random.default_rng(0), told.append)
    kinds = Counter(a.failures[0].kind for a in answers)
    assert set(kinds) == {"no connection", "not asked"}
    assert kinds["no connection"] <= 6
    assert kinds["not asked"] >= 294
    assert "requests in a row failed" in answers[-1].failures[0].message
    assert told[-1] == FetchProgress(300, 300, 0, 300)


def test_no_more_requests_at_once_than_allowed() -> None:
    with hostile(pause=0.03) as server:
        answers = ask(server, 30, Limits(concurrency=3))
    assert server.most_open == 3
    assert all(right(a, i) for i, a in enumerate(answers))


def test_no_more_requests_in_a_second_than_allowed() -> None:
    """21 requests at 40 in a second are 20 gaps of 25 ms."""
    with hostile() as server:
        ask(server, 21, Limits(concurrency=8, rate=40))
    moments = sorted(server.moments)
    assert moments[-1] - moments[0] >= 0.45


def test_times_are_those_of_the_server_and_not_of_the_queue() -> None:
    """Ten queries of 40 ms one after the other: with the time that each waits for its turn they sum to 2 s."""
    with hostile(pause=0.04) as server:
        began = time.monotonic()
        answers = ask(server, 10, Limits(concurrency=1))
        passed = 1000 * (time.monotonic() - began)
    times = [answer.milliseconds for answer in answers if answer.milliseconds is not None]
    assert len(times) == 10
    assert min(times) >= 40
    assert sum(times) <= passed
