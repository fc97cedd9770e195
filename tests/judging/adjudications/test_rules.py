"""Each adjudication's rule on grades small enough to settle by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rankproof.judging.adjudicate import adjudicate
from rankproof.judging.adjudications import mean, newest
from rankproof.judging.records import SCALES, Level, Scale
from rankproof.testing.judging import settled, votes


@pytest.mark.parametrize(
    ("method", "grades", "said", "grade", "how"),
    [
        ("majority", (3,), {}, 3, "1 of 1"),
        ("majority", (1, 1, 3), {}, 1, "2 of 3"),
        ("majority", (0, 1, 2, 2, 3), {}, 2, "2 of 5"),  # less than half, yet the most common
        ("majority", (0, 1, 2), {}, None, "tie"),
        ("majority", (3, 0, 0, 3, 1), {}, None, "tie"),
        ("majority", (3, 0, 0, 3, 1), {"ties": "higher"}, 3, "tie, the higher"),
        ("majority", (3, 0, 0, 3, 1), {"ties": "lower"}, 0, "tie, the lower"),
        ("mean", (0, 0, 1), {}, 0, "mean"),  # 1/3
        ("mean", (0, 1, 1), {}, 1, "mean"),  # 2/3
        ("mean", (1, 2), {}, 1, "tie, the lower"),  # 3/2
        ("mean", (1, 2), {"ties": "higher"}, 2, "tie, the higher"),
        ("mean", (1, 2), {"ties": "unresolved"}, None, "tie"),
        ("mean", (0, 3, 3, 3, 0, 0), {}, 1, "tie, the lower"),  # 9/6
        ("median", (0, 0, 3), {}, 0, "median"),
        ("median", (0, 1, 1, 3), {}, 1, "median"),
        ("median", (0, 1, 3, 3), {}, 1, "tie, the lower"),  # 1 and 3 are in the middle
        ("newest", (3, 3, 0), {}, 0, "newest of 3"),
        ("trusted", (0, 1, 2), {"judges": ["c", "a"]}, 2, "trusted: c"),
        ("trusted", (0, 1, 2), {"judges": ["x"]}, None, "no trusted judge"),
        ("trusted", (0, 1), {"judges": ["x"], "otherwise": "majority"}, None, "tie"),
    ],
)
def test_worked(method: str, grades: tuple[int, ...], said: dict[str, Any], grade: int | None, how: str) -> None:
    assert settled(method, *grades, **said) == (grade, how)


def test_the_mean_looks_for_grades_that_the_scale_has() -> None:
    steps = Scale("steps", (Level(0, "no"), Level(1, "some"), Level(5, "all")))
    # 5/2: 1 is nearer than 5. 3: halfway between 1 and 5.
    assert mean.settle(votes(0, 5), steps, {"ties": "lower"}).grade == 1
    assert mean.settle(votes(1, 5), steps, {"ties": "higher"}).grade == 5
    assert mean.settle(votes(1, 5), steps, {"ties": "unresolved"}).how == "tie"


def test_the_newest_is_what_the_store_took_in_last_whatever_its_time() -> None:
    scale = Scale("two", (Level(0, "no"), Level(1, "yes")))
    first, second = votes(0, 1)
    future = replace(first, time="2999-01-01T00:00:00.000000Z", key="f" * 32)
    assert newest.settle([future, second], scale, {}).grade == 1
    assert newest.settle([second, future], scale, {}).grade == 0


def test_the_last_word_that_settles_is_what_the_store_took_in_last_whatever_its_time() -> None:
    ann, bob = votes(0, 3, settles=["a", "b"])
    future = replace(ann, time="2999-01-01T00:00:00.000000Z", key="f" * 32)
    assert adjudicate([future, bob], SCALES["graded"]).qrels.to_dict() == {"q1": {"d1": 3}}
    assert adjudicate([bob, future], SCALES["graded"]).qrels.to_dict() == {"q1": {"d1": 0}}


@pytest.mark.parametrize(
    ("method", "grade", "how"),
    [
        ("majority", 1, "2 of 3"),
        ("mean", 1, "mean"),
        ("median", 1, "median"),
        ("settled", 3, "settled: a"),
        ("newest", 3, "newest of 4"),
        ("trusted(judges=['a'])", 3, "trusted: a"),
        ("trusted(judges=['z'], otherwise='majority')", 1, "2 of 3"),
    ],
)
def test_a_word_that_settles_is_no_vote(method: str, grade: int, how: str) -> None:
    settles = replace(votes(3, settles=["a"])[0], key="e" * 32)
    found = adjudicate([*votes(0, 1, 1), settles], SCALES["graded"], method)
    assert (found.pairs[0].grade, found.pairs[0].how) == (grade, how)
    assert found.pairs[0].votes == (("a", 0), ("b", 1), ("c", 1))
    assert found.set_aside == ({"settling": 1} if method in ("majority", "mean", "median") else {})


@pytest.mark.parametrize("method", ["majority", "mean", "median", "trusted(judges=['z'], otherwise='majority')"])
def test_a_pair_that_was_only_settled_has_no_votes(method: str) -> None:
    found = adjudicate(votes(3, settles=["a"]), SCALES["graded"], method)
    assert found.qrels.to_dict() == {}
    assert found.agreement["one_judge"] == 0


@pytest.mark.parametrize(
    ("grades", "settles", "said", "grade", "how"),
    [
        ((2, 2, 0), ["c"], {}, 0, "settled: c"),  # one word against two
        ((2, 0, 3, 1), ["b", "c"], {}, 3, "settled: c"),  # the newer of two
        ((2, 2, 0), [], {}, 2, "2 of 3"),
        ((0, 2, 3), [], {"otherwise": "median"}, 2, "median"),
        ((2, 2), [], {"otherwise": "unresolved"}, None, "not settled"),
    ],
)
def test_who_settles_has_the_last_word_on_the_pair(
    grades: tuple[int, ...], settles: list[str], said: dict[str, Any], grade: int | None, how: str
) -> None:
    assert settled("settled", *grades, settles=settles, **said) == (grade, how)
