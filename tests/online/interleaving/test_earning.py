"""Which clicks count, and for whom."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.online.interleaving.read import clicked, converted, credit_clicks, dwelt
from rankproof.online.interleaving.records import ClickedDocument, InterleavedList, Outcome

SHOWN = InterleavedList(
    method="team_draft",
    systems=("new", "old"),
    docs=("a", "b", "c", "d"),
    credits=((1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)),
    teams=("new", "old", "new", None),
    credited=3,
)


def test_a_document_counts_once_and_what_was_not_shown_is_dropped() -> None:
    found = credit_clicks(
        "u",
        SHOWN,
        [ClickedDocument("a"), ClickedDocument("a"), ClickedDocument("b"), ClickedDocument("x"), ClickedDocument("x")],
    )
    assert found == Outcome("u", {"new": 1.0, "old": 1.0}, counted=2, dropped=2)


def test_filling_counts_and_earns_nothing() -> None:
    assert credit_clicks("u", SHOWN, [ClickedDocument("d")]) == Outcome("u", {"new": 0.0, "old": 0.0}, counted=1)


def test_no_clicks_earn_nothing() -> None:
    assert credit_clicks("u", SHOWN, [], clicked()) == Outcome("u", {"new": 0.0, "old": 0.0}, counted=0)


def test_time_on_a_document_counts_from_the_threshold_on() -> None:
    touches = [ClickedDocument("a", dwell=29.9), ClickedDocument("b", dwell=30.0), ClickedDocument("c")]
    assert credit_clicks("u", SHOWN, touches, dwelt(30)) == Outcome("u", {"new": 0.0, "old": 1.0}, counted=1, unknown=1)


@pytest.mark.parametrize(
    ("times", "counted", "unknown"),
    [
        ((None, 40.0), 1, 0),
        ((40.0, None), 1, 0),
        ((None, 5.0), 0, 1),
        ((5.0, None), 0, 1),
        ((5.0, 40.0), 1, 0),
        ((40.0, 5.0), 1, 0),
        ((5.0, 5.0), 0, 0),
    ],
)
def test_of_two_clicks_the_one_that_counts_decides(times: tuple, counted: int, unknown: int) -> None:
    found = credit_clicks("u", SHOWN, [ClickedDocument("a", dwell=time) for time in times], dwelt(30))
    assert (found.counted, found.unknown) == (counted, unknown)


def test_conversions() -> None:
    found = credit_clicks("u", SHOWN, [ClickedDocument("a"), ClickedDocument("c", converted=True)], converted())
    assert found == Outcome("u", {"new": 1.0, "old": 0.0}, counted=1)


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with raises(UsageError, "dwell", seconds):
        dwelt(seconds)
