"""Each adjudication's rule on grades small enough to settle by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rankproof.judging.adjudications import mean, newest
from rankproof.judging.records import Judgment, Level, Scale
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


def test_the_newest_of_one_moment_is_found_by_key() -> None:
    scale = Scale("two", (Level(0, "no"), Level(1, "yes")))
    given = [replace(vote, time="2031-01-01T00:00:00.000000Z") for vote in votes(0, 1)]
    swapped: list[Judgment] = [replace(vote, key="f" * 32 if vote.grade == 0 else "0" * 32) for vote in given]
    assert newest.settle(given, scale, {}).grade == 1
    assert newest.settle(swapped, scale, {}).grade == 0


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
