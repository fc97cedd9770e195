"""Holm and Benjamini-Hochberg: adjusted by hand, and what their intervals promise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.kernel import shelf
from rankproof.proving.corrections._family import percent
from rankproof.testing.statistics import adjusted, family

p_values = st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=12)


def test_holm_by_hand() -> None:
    """Sorted: 0.004 x 4 = 0.016, 0.01 x 3 = 0.03, 0.03 x 2 = 0.06, 0.5 x 1."""
    assert adjusted("holm", family([0.5, 0.01, 0.03, 0.004])) == [0.5, 0.03, 0.06, 0.016]
    # 0.02 x 3 = 0.06 and 0.025 x 2 = 0.05, which may not be less; one was not made.
    assert adjusted("holm", family([0.02, None, 0.025, 0.9])) == [0.06, None, 0.06, 0.9]


def test_benjamini_hochberg_by_hand() -> None:
    """From the largest: 0.5 x 4/4, 0.03 x 4/3 = 0.04, 0.01 x 4/2 = 0.02, 0.004 x 4/1 = 0.016."""
    assert adjusted("bh", family([0.5, 0.01, 0.03, 0.004])) == [0.5, 0.02, 0.04, 0.016]


@given(p=p_values)
@settings(max_examples=examples(100), deadline=None)
def test_holm_is_between_none_and_bonferroni_and_above_benjamini_hochberg(p: list[float]) -> None:
    holm = [one.p_value for one in shelf.find("corrections", "holm").adjust(family(p), None)]
    bh = [one.p_value for one in shelf.find("corrections", "bh").adjust(family(p), None)]
    for plain, strict, mild in zip(p, holm, bh, strict=True):
        assert plain <= mild + 1e-12
        assert mild <= strict + 1e-12
        assert strict <= min(1.0, len(p) * plain) + 1e-12


@given(p=p_values)
@settings(max_examples=examples(100), deadline=None)
def test_an_interval_of_benjamini_hochberg_leaves_zero_out_when_the_test_is_shown(p: list[float]) -> None:
    for one in shelf.find("corrections", "bh").adjust(family(p), None):
        shown = one.p_value <= 1 - 0.95
        if abs(one.p_value - 0.05) > 1e-9:
            assert (one.low > 0) == shown
        assert one.kind.startswith("false coverage 5% among the") == shown


@given(p=p_values)
@settings(max_examples=examples(100), deadline=None)
def test_an_interval_of_holm_that_leaves_zero_out_is_of_a_test_that_is_shown(p: list[float]) -> None:
    for one in shelf.find("corrections", "holm").adjust(family(p), None):
        if one.low > 1e-9:
            assert one.p_value <= 1 - 0.95


def test_kinds_say_what_intervals_promise() -> None:
    bh = shelf.find("corrections", "bh").adjust(family([0.001, 0.02, 0.9, 0.8]), None)
    # Two are shown: 1 - 2 x 0.05 / 4.
    assert [one.kind for one in bh] == [
        "false coverage 5% among the 2 shown (97.5% each)",
        "false coverage 5% among the 2 shown (97.5% each)",
        "97.5% by itself: not among the 2 shown",
        "97.5% by itself: not among the 2 shown",
    ]
    (none, _) = shelf.find("corrections", "bh").adjust(family([0.6, 0.7]), None)
    assert none.kind == "97.5% by itself: none is shown"
    (plain,) = shelf.find("corrections", "none").adjust(family([0.6], level=0.9), None)
    assert plain.kind == "90% each, by itself"


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (0.95, "95%"),
        (0.9, "90%"),
        (1 - 0.05 / 3, "98.33%"),
        (1 - 0.05 / 1900, "99.99737%"),
        (0.999, "99.9%"),
        (0.05, "5%"),
    ],
)
def test_a_level_never_looks_like_certainty(level: float, text: str) -> None:
    assert percent(level) == text
