"""What a policy's values may be: each kind reads what it should, refuses the rest in words, and shows itself."""

from __future__ import annotations

import datetime
import math
from typing import Any

import pytest

from rankproof.rules._params import Bands, Choice, Flag, Kind, MeasureName, Number, Path, Text, Texts, Whole

SHARE = Number(0, 1, open_high=True)


@pytest.mark.parametrize(
    ("kind", "value", "read", "shown"),
    [
        (SHARE, 0, 0.0, "0"),
        (SHARE, 0.25, 0.25, "0.25"),
        (Whole(1), 10, 10, "10"),
        (Choice(("a", "b")), "b", "b", "b"),
        (Flag(), True, True, "true"),
        (Text(), "x", "x", "x"),
        (Path(), "a/b", "a/b", "a/b"),
        (Texts(), ["b", "a", "b"], ("b", "a"), "b, a"),
        (MeasureName(), "mrr@10", "RR@10", "RR@10"),
        (Bands(), {"good": 1, "strong": 2.5}, {"good": 1.0, "strong": 2.5}, "good = 1, strong = 2.5"),
    ],
)
def test_a_value_is_read_and_shown(kind: Kind, value: Any, read: Any, shown: str) -> None:
    assert kind.read(value) == read
    assert kind.show(read) == shown


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (SHARE, 1, "must be a number from 0 below 1; got 1"),
        (SHARE, True, "got True"),
        (SHARE, "0.5", "got '0.5'"),
        (SHARE, math.nan, "got nan"),
        (Number(), math.inf, "must be a number; got inf"),
        (Number(), 10**400, "must be a number; got 1000"),
        (Number(0, open_low=True), 0, "must be a number above 0; got 0"),
        (Whole(1), 0, "must be a whole number, 1 or more; got 0"),
        (Whole(1), 2.0, "got 2.0"),
        (Whole(0), False, "got False"),
        (Choice(("a", "b")), "c", "must be one of 'a', 'b'; got 'c'"),
        (Choice(("a", "b")), ["a"], "must be one of 'a', 'b'"),
        (Flag(), 1, "must be true or false; got 1"),
        (Text(), "  ", "must be a text"),
        (Text(), datetime.date(2024, 1, 1), "must be a text"),
        (Texts(), "q1", "must be a list of texts"),
        (Texts(), ["q1", 2], "must be a list of texts"),
        (MeasureName(), "nDGC", "is 'nDGC': No measure is called 'nDGC'. Did you mean 'nDCG'"),
        (MeasureName(), 10, "must be the name of a measure"),
        (MeasureName(), "P", "must be one measure; 'P' names 9"),
        (Bands(), [0.3], "must be a table of labels and values"),
        (Bands(), {"good": "x"}, "must give each label a value, which must be a number"),
    ],
)
def test_what_cannot_be_held_is_refused_in_words(kind: Kind, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        kind.read(value)


def test_what_is_not_said_is_none() -> None:
    kinds: tuple[Kind, ...] = (SHARE, Whole(1), Choice(("a",)), Texts())
    assert {kind.show(None) for kind in kinds} == {"none"}
    assert Text().show("") == Bands().show({}) == "none"
