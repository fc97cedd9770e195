from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Query
from rankproof.stack.asking.limits import Limits, answer_key


def test_waits_double_up_to_the_longest() -> None:
    limits = Limits(first_wait=1, longest_wait=5)
    assert [limits.wait(attempt, draw=1.0) for attempt in (1, 2, 3, 4, 400)] == [1, 2, 4, 5, 5]
    assert [limits.wait(attempt, draw=0.0) for attempt in (1, 2, 3, 4, 400)] == [0.5, 1, 2, 2.5, 2.5]


def test_what_the_server_asked_for_is_waited_in_full() -> None:
    assert Limits(first_wait=1).wait(3, draw=0.25, requested=9) == 9.25


@pytest.mark.parametrize(
    ("wrong", "word"),
    [({"concurrency": 0}, "concurrency"), ({"timeout": 0.0}, "timeout"), ({"rate": -1.0}, "rate"),
     ({"first_wait": float("nan")}, "first_wait"), ({"dead_after": 0}, "dead_after")],
)  # fmt: skip
def test_limits_that_cannot_be(wrong: dict[str, float], word: str) -> None:
    with raises(UsageError, word, wrong[word]):
        Limits(**wrong)


def test_the_key_knows_all_an_answer_depends_on() -> None:
    base = (Query("q1", "red shoes", {"locale": "us"}), 10, "engine", {"index": "a"})
    others = [
        (Query("q2", "red shoes", {"locale": "us"}), *base[1:]),
        (Query("q1", "red shoe", {"locale": "us"}), *base[1:]),
        (Query("q1", "red shoes", {"locale": "de"}), *base[1:]),
        (base[0], 20, *base[2:]),
        (*base[:2], "other", base[3]),
        (*base[:3], {"index": "b"}),
    ]
    keys = {answer_key(*base), *(answer_key(*other) for other in others)}
    assert len(keys) == 7
    assert answer_key(*base) == answer_key(Query("q1", "red shoes", {"locale": "us"}), *base[1:])
