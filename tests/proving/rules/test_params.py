"""What a policy's values may be: each kind reads what it should, refuses the rest in words, and shows itself."""

from __future__ import annotations

import datetime
import math
from typing import Any

import pytest
from tests.raising import raises

from rankproof.kernel.specs.kinds import Choice, Flag, Kind, Number, Path, Text, Texts, Whole
from rankproof.proving.rule_params import Bands, MeasureName

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
    ("kind", "value", "values"),
    [
        (SHARE, 1, ("number", 0, 1)),
        (SHARE, True, ("number", 0, 1, True)),
        (SHARE, "0.5", ("number", 0, 1, "'0.5'")),
        (SHARE, math.nan, ("number", 0, 1, "nan")),
        (Number(), math.inf, ("number", "inf")),
        (Number(), 10**400, ("number",)),
        (Number(0, open_low=True), 0, ("number", 0)),
        (Whole(1), 0, ("whole", 1, 0)),
        (Whole(1), 2.0, ("whole", 1, 2.0)),
        (Whole(0), False, ("whole", 0, False)),
        (Choice(("a", "b")), "c", ("'a'", "'b'", "'c'")),
        (Choice(("a", "b")), ["a"], ("'b'", ["a"])),
        (Flag(), 1, ("true", "false", 1)),
        (Text(), "  ", ("text", "'  '")),
        (Text(), datetime.date(2024, 1, 1), ("text", 2024)),
        (Texts(), "q1", ("list", "'q1'")),
        (Texts(), ["q1", 2], ("list", ["q1", 2])),
        (MeasureName(), "nDGC", ("measure", "'nDGC'", "'nDCG'")),
        (MeasureName(), 10, ("measure", 10)),
        (MeasureName(), "P", ("measure", "'P'", 9)),
        (Bands(), [0.3], ("labels", [0.3])),
        (Bands(), {"good": "x"}, ("label", "number", "'x'")),
    ],
)
def test_what_cannot_be_held_is_refused_in_words(kind: Kind, value: Any, values: tuple[object, ...]) -> None:
    with raises(ValueError, *values):
        kind.read(value)


def test_what_is_not_said_is_none() -> None:
    kinds: tuple[Kind, ...] = (SHARE, Whole(1), Choice(("a",)), Texts())
    assert {kind.show(None) for kind in kinds} == {"none"}
    assert Text().show("") == Bands().show({}) == "none"
