"""Charts: valid specifications of the library's own schema, the same bytes each time, nothing beyond the plot."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.reports.comparisons import HOSTILE, comparison_of, contrast_of

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.reports.charts import charts, evaluation_charts
from rankproof.reports.charts.frame import (
    DARK,
    LIGHT,
    PAGE,
    ChartStyle,
    Palette,
    declarations,
    labels,
    to_inline,
    to_png,
    to_svg,
)
from rankproof.reports.charts.intervals import forest, panels
from rankproof.reports.charts.values import MOST_BARS, left_out, query_chart

THREE = comparison_of(("bm25", "dense", HOSTILE), segments=True)
EVERY = charts(THREE)


def test_every_promised_chart_is_there() -> None:
    kinds = {name.split("-")[0] for name in EVERY}
    assert kinds == {"forest", "segments", "queries", "grades", "bounds"}
    assert len([name for name in EVERY if name.startswith("queries")]) == 6  # 2 candidates x 3 measures
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in EVERY)
    assert len(evaluation_charts(THREE.evaluations)) == 3


@pytest.mark.parametrize("name", [name for name in EVERY if "dense" in name or "bounds" in name or name == "grades"])
def test_a_chart_is_valid_by_the_schema_of_the_library(name: str) -> None:
    altair = pytest.importorskip("altair")
    altair.LayerChart.from_dict(EVERY[name])


def test_a_chart_is_data_alone_and_the_same_each_time() -> None:
    assert json.dumps(charts(comparison_of())) == json.dumps(charts(comparison_of()))


def test_png_and_svg_are_made_without_a_network_and_are_the_same_each_time() -> None:
    spec = charts(comparison_of())["forest-ndcg-10"]
    png, svg = to_png(spec), to_svg(spec)
    assert png.startswith(b"\x89PNG")
    assert svg.startswith("<svg")
    assert (png, svg) == (to_png(spec), to_svg(spec))


def test_names_from_files_stay_text() -> None:
    drawn = to_inline(forest(panels(THREE)[0], ChartStyle(PAGE, 940)), HOSTILE)
    assert "<script" not in drawn
    assert "<img" not in drawn
    assert "&lt;/script&gt;" in drawn


def test_a_number_in_a_name_is_no_coordinate_to_round() -> None:
    named = comparison_of(("base", "v1.23456"))
    drawn = to_inline(forest(panels(named)[0], ChartStyle(PAGE, 940)))
    assert "v1.23456" in drawn


def test_a_mark_says_its_row_and_a_name_is_none() -> None:
    """Two intervals and a dot for each of two rows; texts beside them carry nothing."""
    named = comparison_of(("base", "row-7", "row-8"))
    drawn = to_inline(forest(panels(named)[0], ChartStyle(PAGE, 940)))
    assert re.findall(r'data-row="([^"]*)"', drawn) == ["0", "1"] * 3


def test_a_row_keeps_its_number_and_its_place_where_some_rows_have_no_interval() -> None:
    """The first row has no test: the layers that show intervals must not put it last."""
    found = panels(THREE)[0]
    reason = NotEstimable("no query differs", "t", 40, 0.0)
    first = replace(found.contrasts[0], difference=reason, adjusted=None)
    spec = forest(replace(found, contrasts=(first, *found.contrasts[1:])), ChartStyle())
    orders = [layer["encoding"]["y"]["sort"] for layer in spec["layer"] if "y" in layer["encoding"]]
    assert all(order == labels(found.rows) for order in orders)
    texts = [row["text"] for row in spec["layer"][-1]["data"]["values"]]
    assert texts[0] == "0.0000  no interval"


def test_an_interval_without_an_end_stays_in_the_plot() -> None:
    found = panels(comparison_of())[0]
    answer = found.contrasts[0].difference
    assert isinstance(answer, Estimate)
    endless = replace(found.contrasts[0], difference=replace(answer, high=float("inf")), adjusted=None)
    spec = forest(replace(found, contrasts=(endless, *found.contrasts[1:])), ChartStyle())
    json.dumps(spec, allow_nan=False)  # no infinity is left in it


def test_bars_of_many_queries_leave_out_the_middle() -> None:
    """Differences 0, 1, ..., n - 1: the bars are the greatest and the least, best first."""
    n = MOST_BARS + 50
    ids = [f"q{i}" for i in range(n)]
    contrast = contrast_of("nDCG@10", ("a", "b"), ids, np.zeros(n), np.arange(n) / n)
    bars = query_chart(contrast, ChartStyle())["layer"][0]["data"]["values"]
    assert left_out(contrast) == 50
    assert len(bars) == MOST_BARS
    assert (bars[0]["key"], bars[-1]["key"]) == (f"row-{n - 1}", "row-0")


def test_where_lower_is_better_the_lowest_comes_first() -> None:
    contrast = contrast_of("AvgPos", ("a", "b"), ["q1", "q2"], np.zeros(2), np.array([3.0, -2.0]))
    bars = query_chart(replace(contrast, better="lower"), ChartStyle())["layer"][0]["data"]["values"]
    assert [(bar["difference"], bar["tone"]) for bar in bars] == [(-2.0, "better"), (3.0, "worse")]


def test_rows_of_one_name_are_told_apart() -> None:
    assert labels(["a", "a", "a\n", ""]) == ["a", "a (2)", "a\\n", "(no name)"]


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast_ratio(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_is_readable_on_its_ground(palette: Palette) -> None:
    """WCAG 2, AA: 4.5 for text, 3 for marks."""
    for ground in (palette.page, palette.raised):
        for text in (palette.ink, palette.muted, palette.better, palette.worse, palette.link):
            assert contrast_ratio(text, ground) >= 4.5, (text, ground)
    assert contrast_ratio(palette.neutral, palette.page) >= 3
    for ground, text in zip(palette.ramp, palette.on_ramp, strict=True):
        assert contrast_ratio(text, ground) >= 4.5, (text, ground)
    assert contrast_ratio(palette.on_nothing, palette.nothing) >= 4.5
    assert contrast_ratio(palette.on_unjudged, palette.unjudged) >= 4.5
    assert f"--ink:{palette.ink};" in declarations(palette)
