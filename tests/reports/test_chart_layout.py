"""Scales, ticks and texts of charts: round steps, labels that do not touch, names that fit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.reports.chart_cases import FOREIGN, LONG

from rankproof.reports.charts.dot_names import Area, name_places
from rankproof.reports.charts.layout import (
    ELLIPSIS,
    PixelScale,
    domain,
    fitted,
    fitted_names,
    log_ticks,
    round_ends,
    text_width,
    ticks,
    wrapped,
)


@pytest.mark.parametrize(
    ("low", "high", "most", "form", "shown"),
    [
        (-0.07, 0.11, 6, "signed", ["−0.05", "0", "+0.05", "+0.10"]),
        (0.0, 1.0, 8, "percent", ["0%", "20%", "40%", "60%", "80%", "100%"]),
        (0.0, 1.0, 5, "plain", ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0.0, 0.002, 4, "percent", ["0%", "0.05%", "0.10%", "0.15%", "0.20%"]),
        (-1e7, 2.5e7, 4, "signed", ["−10,000,000", "0", "+10,000,000", "+20,000,000"]),
        (-3e-9, 3e-9, 4, "signed", ["−2e−09", "0", "+2e−09"]),
        (99.5, 100.5, 5, "plain", ["99.6", "99.8", "100.0", "100.2", "100.4"]),
        (0.0, 1e12, 2, "plain", ["0", "5e+11", "1e+12"]),
        (0.5, 0.5000004, 4, "plain", ["0.5", "0.5000001", "0.5000002", "0.5000003", "0.5000004"]),
    ],
)
def test_ticks_are_round_and_say_no_more_places_than_their_step(
    low: float, high: float, most: int, form: str, shown: list[str]
) -> None:
    assert [label for _, label in ticks(low, high, most, form)] == shown


@settings(max_examples=examples(300), deadline=None)
@given(
    st.floats(-1e12, 1e12), st.floats(1e-9, 1.0), st.integers(-12, 12), st.integers(1, 12),
    st.sampled_from(["plain", "signed", "percent"]),
)  # fmt: skip
def test_any_span_has_ticks_in_order_within_it_with_labels_that_differ(
    low: float, share: float, power: int, most: int, form: str
) -> None:
    """Spans down to a billionth of what they lie at: `domain` gives no narrower ones."""
    span = max(share * 10.0**power, 2e-9 * abs(low))
    found = ticks(low, low + span, most, form)
    values = [value for value, _ in found]
    assert values == sorted(set(values))
    assert len(found) <= most + 1
    assert all(low - 1e-6 * span <= value <= low + 1.000001 * span for value in values)
    assert len({label for _, label in found}) == len(found)


@pytest.mark.parametrize(
    ("low", "high", "most_labels", "shown"),
    [
        (0.8, 60, 9, ["1", "2", "5", "10", "20", "50"]),
        (0.8, 60, 4, ["1", "3", "10", "30"]),
        (0.8, 60, 2, ["1", "10"]),
        (0.001, 2e5, 4, ["0.01", "1", "100", "10,000"]),
        (2.7, 3.3, 9, ["2.7", "2.8", "2.9", "3.0", "3.1", "3.2", "3.3"]),
        (6.0, 9.4, 9, ["6", "7", "8", "9"]),
    ],
)
def test_a_logarithmic_axis_has_as_many_ticks_as_fit_and_never_fewer_than_two(
    low: float, high: float, most_labels: int, shown: list[str]
) -> None:
    assert [label for _, label in log_ticks(low, high, lambda found: len(found) <= most_labels)] == shown


def test_ends_are_widened_to_ticks() -> None:
    assert round_ends(-0.07, 0.11, 5) == pytest.approx((-0.1, 0.15))
    assert round_ends(0.0, 0.2, 5) == pytest.approx((0.0, 0.2))


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0.0, 1.0], (-0.06, 1.06)),
        ([0.0], (-0.1, 0.1)),
        ([], (-0.1, 0.1)),
        ([0.5, 0.5 + 1e-16], (0.45, 0.55)),
        ([1e9, 1e9], (9e8, 1.1e9)),
        ([math.nan, -math.inf, 2.0, 4.0, math.inf], (1.88, 4.12)),
    ],
)
def test_an_axis_is_never_a_single_point(values: list[float], ends: tuple[float, float]) -> None:
    assert domain(values) == pytest.approx(ends)


def test_a_scale_puts_what_lies_beyond_on_the_edge() -> None:
    scale = PixelScale(0.0, 2.0, 100.0, 300.0)
    assert [scale.at(v) for v in (0.5, -9.0, math.inf)] == [150.0, 100.0, 300.0]
    assert PixelScale(1.0, 100.0, 0.0, 200.0, log=True).at(10.0) == pytest.approx(100.0)


@pytest.mark.parametrize("name", [*FOREIGN, LONG[7], "a" * 10_000, "日本語" * 200])
@pytest.mark.parametrize("width", [30.0, 103.0, 282.0])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_name_fits_its_room_or_keeps_both_of_its_ends(name: str, width: float, most: int) -> None:
    lines = fitted(name, width, most)
    assert 1 <= len(lines) <= most
    assert all(text_width(line) <= width for line in lines)
    shown = "".join("".join(lines).split())
    if ELLIPSIS in shown:
        head, tail = shown.split(ELLIPSIS)
        plain = "".join(name.split())
        assert plain.startswith(head)
        assert plain.endswith(tail)
        assert text_width(name) > most * width * 0.5  # what would fit is not shortened
    else:
        assert shown == "".join(name.split())


def test_names_that_would_look_alike_show_where_they_differ() -> None:
    names = ["short", *(f"a_long_beginning_that_all_share_v{i}_and_a_long_end_that_all_share_too" for i in (1, 2, 31))]
    assert fitted_names(names, 90) == [["short"], ["…_v1…"], ["…_v2…"], ["…_v31…"]]
    # What differs at an end needs no such care.
    assert fitted_names(["x" * 40 + "1", "x" * 40 + "2"], 90) == [["xxxxx…xxxx1"], ["xxxxx…xxxx2"]]
    # In two steps: four names share their ends, two and two of them more than that.
    far = [f"{'p' * 30}{a}{'m' * 30}{b}{'q' * 30}" for a in "ab" for b in "cd"]
    assert len({lines[0] for lines in fitted_names(far, 90)}) == 4


def test_names_break_after_separators_and_marks_stay_with_their_letters() -> None:
    assert wrapped("dense_reranker/large-v2", 60) == ["dense_", "reranker/", "large-v2"]
    assert wrapped("nDCG@10 in version 2.5", 90) == ["nDCG@10 in", "version 2.5"]
    assert all(line.startswith("e") for line in wrapped("e\u0301" * 20, 40))


def test_names_of_dots_keep_off_dots_lines_and_one_another() -> None:
    """A line runs through three dots from the lower left to the upper right; a fourth dot is right beside the first."""
    spots = [(50.0, 150.0), (100.0, 100.0), (150.0, 50.0), (64.0, 150.0)]
    plot = Area(0.0, 0.0, 200.0, 200.0)
    places = name_places(spots, ["one", "two", "three", "four"], plot, [spots[:3]], 6.0)
    areas = []
    for place, name in zip(places, ("one", "two", "three", "four"), strict=True):
        assert (place.text, place.listed) == (name, False)
        left = place.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[place.anchor] * text_width(name)
        areas.append(Area(left, place.y - 8, left + text_width(name), place.y + 8))
    assert all(plot.holds(area) for area in areas)
    assert not any(area.meets(other) for area in areas for other in areas if area is not other)
    assert not any(area.crossed(a, b) for area in areas for a, b in (spots[:2], spots[1:3]))
    assert not any(area.meets(Area(x - 6, y - 6, x + 6, y + 6)) for area in areas for x, y in spots)


def test_a_name_is_not_put_on_a_line_that_leaves_its_dot() -> None:
    """The line goes to the right, where a name stands otherwise: it goes to the left."""
    plot, spots = Area(0.0, 0.0, 400.0, 200.0), [(100.0, 100.0), (390.0, 100.0)]
    free, crossed = (name_places(spots, ["one", "two"], plot, paths, 6.0)[0] for paths in ([], [spots]))
    assert (free.anchor, free.y) == ("start", 100.0)
    assert (crossed.anchor, crossed.y) == ("end", 100.0)


def test_a_name_that_has_no_room_gets_a_number_and_then_nothing() -> None:
    names = ["a long name for so small a plot", "b"]
    small, none = Area(0.0, 0.0, 60.0, 60.0), Area(0.0, 0.0, 14.0, 14.0)
    assert [(p.text, p.listed) for p in name_places([(30.0, 20.0), (30.0, 40.0)], names, small, [], 6.0)] == [
        ("1", True), ("b", False),
    ]  # fmt: skip
    assert [(p.text, p.listed) for p in name_places([(7.0, 7.0)], names[:1], none, [], 6.0)] == [("", True)]
