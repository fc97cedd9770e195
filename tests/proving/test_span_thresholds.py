"""A comparison of chunkers at several overlap thresholds: what is shown at each, and whether the verdict holds."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof import spans
from rankproof.errors import UsageError
from rankproof.kernel.sections import part

# Gold is 10 characters. One system always finds 6 of them; the other all 10, in 7 of 10 queries.
GOLD = {f"q{i}": [("d", 0, 10)] for i in range(60)}
PARTS = {f"q{i}": [("d", 0, 6)] for i in range(60)}
WHOLES = {f"q{i}": [("d", 0, 10) if i % 10 < 7 else ("d", 90, 99)] for i in range(60)}


def test_a_verdict_that_turns_with_the_threshold_is_told() -> None:
    told = spans.threshold_sensitivity(GOLD, {"parts": PARTS, "wholes": WHOLES}, "SpanFound@10", thresholds=(0.5, 0.75))
    assert told.directions("wholes") == {0.5: "worse", 0.75: "better"}
    assert told.stable == {"wholes": False}
    text = part(told.section())
    assert "depends on the threshold: worse at 0.5, better at 0.75" in text
    assert told.contrast(0.5, "wholes").candidate_mean == pytest.approx(0.7)


def test_a_verdict_that_holds_is_told() -> None:
    told = spans.threshold_sensitivity(
        GOLD, {"parts": PARTS, "wholes": WHOLES}, "SpanFound@10", thresholds=(0.7, 0.9, 1)
    )
    assert told.stable == {"wholes": True}
    assert "better at every threshold tried" in part(told.section())


def test_a_threshold_that_shows_nothing_holds_back_no_other() -> None:
    mostly = {f"q{i}": [("d", 0, 10 if i % 10 < 7 else 6)] for i in range(60)}
    told = spans.threshold_sensitivity(GOLD, {"parts": PARTS, "mostly": mostly}, "SpanFound@10", thresholds=(0.5, 0.75))
    assert told.directions("mostly") == {0.5: "not shown", 0.75: "better"}


def test_all_thresholds_are_one_family() -> None:
    told = spans.threshold_sensitivity(GOLD, {"parts": PARTS, "wholes": WHOLES}, "SpanFound@10")
    assert told.comparison.family.tests == 5
    assert len(told.section().table) == 6


def test_one_query_gives_no_interval_and_says_so() -> None:
    told = spans.threshold_sensitivity(
        {"q1": [("d", 0, 10)]}, {"a": PARTS, "b": WHOLES}, "SpanFound@10", thresholds=(0.9,)
    )
    assert told.directions("b") == {0.9: "not shown"}
    assert told.section().table[1][5:7] == ("none", "none")


@pytest.mark.parametrize(
    ("measure", "systems", "thresholds", "values"),
    [
        ("SpanRecall@10", {"a": PARTS, "b": WHOLES}, (0.5,), ("SpanRecall@10", "SpanFound@4000chars")),
        ("SpanFound@10 SpanFound@5", {"a": PARTS, "b": WHOLES}, (0.5,), ("SpanFound@10 SpanFound@5",)),
        ("SpanFound@10", {"a": PARTS}, (0.5,), ()),
        ("SpanFound@10", {"a": PARTS, "b": WHOLES}, (0.0,), ("0.0",)),
        ("SpanFound@10", {"a": PARTS, "b": WHOLES}, (float("nan"),), ("nan",)),
        ("SpanFound@10", {"a": PARTS, "b": WHOLES}, (), ("0.25",)),
    ],
)
def test_what_cannot_be_compared_is_refused(measure, systems, thresholds, values) -> None:
    with raises(UsageError, *values):
        spans.threshold_sensitivity(GOLD, systems, measure, thresholds=thresholds)
