"""Charts: well-formed SVG with every name and every mark, the same bytes each time, small, and nothing that can run.

How texts lie in a real browser is in tests/web/test_chart_drawings.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.reports.chart_cases import LONG, big_evaluation, cases, contrasts, unusual_panel
from tests.reports.comparisons import HOSTILE, comparison_of, contrast_of

from rankproof.kernel.estimate import NotEstimable
from rankproof.reports.charts import charts, evaluation_charts
from rankproof.reports.charts.drawing import to_inline, to_svg
from rankproof.reports.charts.frame import (
    DARK,
    LIGHT,
    NOTEBOOK,
    PAGE,
    ChartStyle,
    Palette,
    declarations,
    labels,
)
from rankproof.reports.charts.intervals import forest, panels
from rankproof.reports.charts.plot import BarsMark, DotMark, RuleMark
from rankproof.reports.charts.stack import Point, pareto_chart
from rankproof.reports.charts.values import query_chart, value_chart

ROOT = Path(__file__).resolve().parents[2]
THREE = comparison_of(("bm25", "dense", HOSTILE), segments=True)
EVERY = charts(THREE)
CASES = cases()
WIDE, PHONE = ChartStyle(PAGE, 940, titled=False), ChartStyle(PAGE, 344, titled=False)
# What a drawing may be made of. No id, no reference, nothing that is loaded or run.
ELEMENTS = {"svg", "title", "desc", "g", "rect", "line", "path", "circle", "text", "tspan"}
ATTRIBUTES = {
    "viewBox", "width", "height", "role", "direction", "font-family", "font-size", "font-weight", "aria-label",
    "aria-hidden", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "d", "fill", "stroke", "stroke-width",
    "stroke-dasharray", "stroke-linejoin", "paint-order", "opacity", "text-anchor", "data-row", "data-more",
    "data-along", "shape-rendering",
}  # fmt: skip


def local(element: xml.Element) -> str:
    return element.tag.rpartition("}")[2]


def seen(text: xml.Element) -> str:
    """What a reader sees of a text element, without its spaces."""
    return "".join((text.text or "").split()) + "".join(
        "".join((part.text or "").split()) for part in text if local(part) == "tspan"
    )


def written(drawing: xml.Element) -> Iterator[str]:
    """What is seen of each text element, and the whole names of those that were shortened, without spaces."""
    for text in drawing.iter():
        if local(text) == "text":
            yield seen(text)
            yield from ("".join((part.text or "").split()) for part in text if local(part) == "title")


def test_every_promised_chart_is_there() -> None:
    kinds = {name.split("-")[0] for name in EVERY}
    assert kinds == {"forest", "segments", "queries", "grades", "bounds"}
    assert len([name for name in EVERY if name.startswith("queries")]) == 6  # 2 candidates x 3 measures
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in EVERY)
    assert len(evaluation_charts(THREE.evaluations)) == 3


@pytest.mark.parametrize("name", CASES)
def test_a_drawing_is_well_formed_and_holds_numbers_and_plain_elements_only(name: str) -> None:
    for look in (WIDE, PHONE, ChartStyle(LIGHT), ChartStyle(NOTEBOOK, 720)):
        plot = CASES[name](look)
        for text in (to_svg(plot), to_inline(plot, HOSTILE)):
            assert len(text.encode()) < 100_000
            for element in xml.fromstring(text).iter():
                assert local(element) in ELEMENTS
                assert set(element.attrib) <= ATTRIBUTES
                numbers = [
                    v for k, v in element.attrib.items() if k not in ("aria-label", "font-family", "fill", "stroke")
                ]
                assert not any(re.search(r"nan|inf|e[+-]?\d", value) for value in numbers), element.attrib
                assert float(element.get("width", "1")) >= 0
                assert float(element.get("height", "1")) >= 0
        assert to_svg(plot) == to_svg(CASES[name](look))


@pytest.mark.parametrize("name", CASES)
def test_every_name_can_be_read_in_the_drawing(name: str) -> None:
    """In one line, in several, or shortened with the whole one at the pointer; modes also in the list below."""
    for look in (WIDE, PHONE):
        plot = CASES[name](look)
        names = [*plot.across.names, *(m.name for m in plot.marks if isinstance(m, DotMark) and m.name)]
        texts = list(written(xml.fromstring(to_inline(plot, "x"))))
        for each in names:
            plain = "".join(each.split())
            assert any(text == plain or text.endswith(f"){plain}") for text in texts), each


@pytest.mark.parametrize("name", [name for name in CASES if "fifty" in name])
def test_fifty_long_names_that_differ_in_the_middle_are_told_apart(name: str) -> None:
    for look in (WIDE, PHONE, ChartStyle(LIGHT, 300)):
        drawing = xml.fromstring(to_inline(CASES[name](look)))
        shown = [seen(text) for text in drawing.iter() if local(text) == "text"]
        named = [text for text in shown if re.search("experiment|seed|…", text)]
        assert len(named) >= 49
        assert len(set(named)) == len(named)


def test_a_file_says_its_title_and_a_page_says_its_own() -> None:
    plot = EVERY["forest-ndcg-10"]
    file = xml.fromstring(to_svg(plot))
    assert file.get("role") == "img"
    assert [local(part) for part in file][:3] == ["title", "desc", "rect"]
    assert file[0].text == plot.title
    assert xml.fromstring(to_inline(plot, "what it shows")).get("aria-label") == "what it shows"
    assert xml.fromstring(to_inline(plot)).get("aria-hidden") == "true"


def test_names_from_files_stay_text() -> None:
    drawn = to_inline(forest(panels(THREE)[0], ChartStyle(PAGE, 940)), HOSTILE)
    assert "<script" not in drawn
    assert "<img" not in drawn
    assert "&lt;/script&gt;" in drawn


def test_bytes_that_no_xml_may_hold_are_written_out() -> None:
    odd = "a\x00b\x1b[31m\udc80\ufffe"
    named = comparison_of((odd, f"{odd}2", "b"))
    for plot in charts(named).values():
        for text in (to_svg(plot), to_inline(plot, odd)):
            xml.fromstring(text.encode("utf-8"))


def test_a_number_in_a_name_is_no_coordinate_to_round() -> None:
    named = comparison_of(("base", "v1.23456"))
    assert "v1.23456" in to_inline(forest(panels(named)[0], ChartStyle(PAGE, 940)))


def test_a_mark_says_its_row_and_a_name_is_none() -> None:
    """Two intervals and a dot for each of two rows; texts beside them carry nothing."""
    named = comparison_of(("base", "row-7", "row-8"))
    drawn = to_inline(forest(panels(named)[0], ChartStyle(PAGE, 940)))
    assert re.findall(r'data-row="([^"]*)"', drawn) == ["0", "1"] * 3


def test_a_row_keeps_its_number_and_its_place_where_some_rows_have_no_interval() -> None:
    found = panels(THREE)[0]
    reason = NotEstimable("no query differs", "t", 40, 0.0)
    first = replace(found.contrasts[0], difference=reason, adjusted=None)
    plot = forest(replace(found, contrasts=(first, *found.contrasts[1:])), ChartStyle())
    assert plot.across.names == tuple(labels(found.rows))
    assert [(mark.at, mark.row) for mark in plot.marks if isinstance(mark, DotMark)] == [(0, 0), (1, 1)]
    assert {mark.row for mark in plot.marks if isinstance(mark, RuleMark)} == {None, 1}
    assert plot.beside[0] == (0, ("0.0000  no interval", "0.0000"))


def test_an_interval_without_an_end_reaches_the_edge_and_what_is_no_number_is_not_drawn() -> None:
    """Rows: nothing at all, a value alone, an endless interval, an ordinary one."""
    drawn = xml.fromstring(to_inline(forest(unusual_panel(), WIDE)))
    marks = [element for element in drawn.iter() if "data-row" in element.attrib]
    assert [mark.get("data-row") for mark in marks if local(mark) == "circle"] == ["1", "2", "3"]
    endless = next(mark for mark in marks if local(mark) == "line" and mark.get("data-row") == "2")
    grid = next(element for element in drawn.iter() if local(element) == "line")
    assert (endless.get("x1"), endless.get("x2")) == (grid.get("x1"), grid.get("x2"))


def bars_of(text: str) -> list[xml.Element]:
    return [element for element in xml.fromstring(text).iter() if "data-row" in element.attrib]


@pytest.mark.parametrize("look", [WIDE, PHONE], ids=["wide", "phone"])
def test_ten_thousand_queries_are_all_in_the_bars_best_first(look: ChartStyle) -> None:
    """Differences 1, 2, ..., 10,000: a bar has the greatest of its queries, and says how many more it stands for."""
    n = 10_000
    contrast = contrast_of("nDCG@10", ("a", "b"), [f"q{i}" for i in range(n)], np.zeros(n), np.arange(n) + 1.0)
    text = to_inline(query_chart(contrast, look))
    bars = bars_of(text)
    assert len(bars) <= look.width / 2
    assert sum(1 + int(bar.get("data-more", "0")) for bar in bars) == n
    places = [int(bar.get("data-row", "")) for bar in bars]
    assert places[0] == n - 1
    assert places == sorted(places, reverse=True)
    assert len(text) < 40_000


def test_a_bar_is_as_tall_as_its_difference_and_colored_by_its_side() -> None:
    """+0.25 and -0.5 on an axis where a tick is 0.2: the second bar is twice as tall, below the line at zero."""
    plot = query_chart(contrasts()["two"], WIDE)
    bars = [re.fullmatch(r"M[\d.]+ ([\d.]+)h[\d.]+v(-?[\d.]+)h-[\d.]+z", bar.get("d", "")) for bar in
            bars_of(to_inline(plot))]  # fmt: skip
    (zero, up), (same, down) = (tuple(map(float, bar.groups())) for bar in bars if bar is not None)
    assert zero == same
    assert (up < 0, down) == (True, pytest.approx(-2 * up, abs=0.05))
    assert [bar for mark in plot.marks if isinstance(mark, BarsMark) for bar in mark.colors] == [
        PAGE.better, PAGE.worse,
    ]  # fmt: skip


def test_a_difference_that_is_no_number_has_no_bar() -> None:
    contrast = replace(contrasts()["two"], by_query=np.array([np.nan, -0.5]))
    assert [bar.get("data-row") for bar in bars_of(to_inline(query_chart(contrast, WIDE)))] == ["1"]


def test_where_lower_is_better_the_lowest_comes_first() -> None:
    contrast = contrast_of("AvgPos", ("a", "b"), ["q1", "q2"], np.zeros(2), np.array([3.0, -2.0]))
    plot = query_chart(replace(contrast, better="lower"), ChartStyle())
    bars = next(mark for mark in plot.marks if isinstance(mark, BarsMark))
    assert (bars.values, bars.colors) == ([-2.0, 3.0], [LIGHT.better, LIGHT.worse])


def test_values_of_many_queries_stay_small_and_lose_none_where_they_are_few() -> None:
    few, many = value_chart(comparison_of().evaluations, "AP", WIDE), [big_evaluation(name) for name in LONG]
    # Values are drawn at a tenth of a pixel: those that agree there share a tick.
    ticks = [path.get("d", "").count("M") for path in xml.fromstring(to_inline(few)).iter() if local(path) == "path"]
    assert 76 <= sum(ticks) <= 80
    for look in (WIDE, PHONE):
        drawn = to_inline(value_chart(many, "AP", look))
        assert drawn.count("M") > 2_000
        assert len(drawn) < 300_000


def test_a_mode_without_a_value_is_named_and_not_drawn() -> None:
    points = [Point("a", 1.0, 0.5, True), Point("b", 2.0, float("nan"), True), Point("c", 3.0, 0.6, True)]
    drawn = to_inline(pareto_chart(points, "AP", "cost", WIDE))
    assert "NaN" not in drawn
    assert "nan" not in drawn
    assert "(no value) b" in drawn
    assert drawn.count("<circle") == 2


def test_intervals_are_written_out_where_they_leave_the_plot_enough_room() -> None:
    """A phone has the differences alone: with their intervals the plot would be as wide as a thumb."""
    panel = panels(comparison_of())[0]
    full, short = zip(*(texts for _, texts in forest(panel, WIDE).beside), strict=True)
    for look, expected in ((WIDE, full), (PHONE, short)):
        texts = set(written(xml.fromstring(to_inline(forest(panel, look)))))
        assert {"".join(text.split()) for text in expected} <= texts


def test_modes_without_room_for_their_names_are_listed_by_number() -> None:
    """Eight modes at one place: four names fit around it, the others are told with both of their values."""
    plot = pareto_chart([Point(f"a mode with a name {i}", 3.0, 0.5, i == 0) for i in range(20)], "AP", "cost", PHONE)
    texts = list(written(xml.fromstring(to_inline(plot))))
    listed = [text for text in texts if "(0.5000at3)" in text]
    named = [text for text in texts if text.startswith("amodewithaname")]
    assert len(listed) + len(named) == 20
    assert named[0] == "amodewithaname0"  # the one that nothing beats comes first
    assert len(named) >= 2


ONLY_BASE = """
import re, sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
def needs(name):
    try:
        return {re.match(r"[\\w.-]+", line)[0].lower() for line in requires(name) or () if "extra ==" not in line}
    except PackageNotFoundError:
        return set()
allowed, new = set(), {"numpy", "scipy", "click", "rich", "msgspec"}
while new:
    allowed |= new
    new = set().union(*map(needs, new)) - allowed
places = packages_distributions()
other = {module for module, names in places.items() if not {n.lower() for n in names} & allowed} - {"rankproof"}
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in other:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Refuse())
for heavy in ("vl_convert", "altair", "matplotlib", "pandas"):
    try:
        __import__(heavy)
    except ModuleNotFoundError:
        continue
    raise SystemExit(heavy + " was not refused")
from rankproof.cli import main
main(sys.argv[1:])
"""


def test_the_page_and_the_charts_need_the_base_dependencies_only(tmp_path: Path) -> None:
    here = tmp_path / "sample"
    shutil.copytree(ROOT / "src" / "rankproof" / "stack" / "samples" / "rankings", here)
    args = ("compare", "qrels.trec", "bm25.run", "hybrid.run", "-m", "nDCG@10", "--html", "r.html", "--charts", "out")
    told = subprocess.run(
        [sys.executable, "-c", ONLY_BASE, *args],
        cwd=here, capture_output=True, text=True, check=False, timeout=120, env={**os.environ},
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    page = (here / "r.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 10  # five charts, each for wide windows and for phones
    assert len(list((here / "out").glob("*.svg"))) == 5


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
