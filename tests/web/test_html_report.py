"""The HTML report in a real browser: nothing is asked of the network, and what can be touched works."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.reports.benchmarks import benchmark_of
from tests.reports.comparisons import HOSTILE, comparison_of, verdict_of

from rankproof.reports.forms.html import benchmark, comparison, render, verdict

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report of each kind, written as a user would write it."""
    folder = tmp_path_factory.mktemp("reports")
    two, three = comparison_of(), comparison_of(("bm25", "dense", "a_candidate_with_quite_a_long_name"), segments=True)
    hostile = comparison_of((HOSTILE, HOSTILE + "2"), topic=HOSTILE)
    texts = {
        "three": comparison(three, per_query=False, observed={}),
        "hostile": comparison(hostile, per_query=False, observed={}),
        "gate": verdict(verdict_of(two), observed={}),
        "evaluation": render(two.evaluations, per_query=True, observed={}),
        "benchmark": benchmark(benchmark_of(note=HOSTILE), per_query=False, observed={}),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


class Window:
    """A page with a record of what it asked for, said and broke."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, scheme: str = "light", **more: Any) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, **more)
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.wrong.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        self.own = path.as_uri()


KINDS = ["three", "hostile", "gate", "evaluation", "benchmark"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1280, 375])
def test_nothing_is_loaded_nothing_breaks_and_nothing_overflows(
    browser: Any, pages: dict[str, Path], kind: str, width: int
) -> None:
    window = Window(browser, pages[kind], width)
    window.page.mouse.wheel(0, 4000)
    window.page.wait_for_timeout(50)
    assert window.wrong == []
    assert window.asked == [window.own]
    sizes = window.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert sizes[0] <= sizes[1]
    window.page.close()


def test_the_pages_own_policy_stops_what_would_be_loaded(browser: Any, pages: dict[str, Path]) -> None:
    """The test above could not fail if nothing tried: this page tries."""
    window = Window(browser, pages["three"])
    window.page.evaluate(
        "() => { const i = new Image(); i.src = 'https://example.org/x.png'; document.body.append(i); }"
    )
    window.page.wait_for_timeout(100)
    assert any("Content Security Policy" in text for text in window.wrong)
    window.page.close()


@pytest.fixture
def three(browser: Any, pages: dict[str, Path]) -> Iterator[Any]:
    window = Window(browser, pages["three"])
    yield window.page
    assert window.wrong == []
    window.page.close()


def column(page: Any, number: int) -> list[str]:
    """The texts of a column of the table of queries, in the order shown."""
    cells: list[str] = page.locator(f"#query-table tbody tr:visible > :nth-child({number})").all_inner_texts()
    return cells


def all_pages(page: Any, number: int) -> list[str]:
    """The texts of a column on all pages of the table of queries."""
    after = page.locator("#queries .pages button", has_text="Next")
    cells = column(page, number)
    while after.is_visible() and after.is_enabled():
        after.click()
        cells += column(page, number)
    return cells


def test_a_header_sorts_by_its_column_also_from_the_keyboard(three: Any) -> None:
    header = three.locator("#query-table thead th").nth(3)
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    values = [float(text) for text in all_pages(three, 4)]
    assert len(values) == 40
    assert values == sorted(values, reverse=True)
    header.locator("button").press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    assert [float(text) for text in all_pages(three, 4)] == sorted(values)
    first = three.locator("#query-table thead th").nth(0)
    first.locator("button").click()
    assert all_pages(three, 1) == [f"q{i:02}" for i in range(1, 41)]
    assert header.get_attribute("aria-sort") == "none"


def test_searching_keeps_the_queries_that_have_every_word(three: Any) -> None:
    assert len(all_pages(three, 1)) == 40
    three.locator("#search").fill("QUERY 39")
    assert sorted(column(three, 1)) == ["q39", "q40"]  # an id with 39, and a text with it
    assert three.locator("#queries output").inner_text() == "2 of 40 queries"
    three.locator("#search").fill("nothing has this")
    assert column(three, 1) == []
    three.locator("#search").fill("")
    assert len(all_pages(three, 1)) == 40


def test_another_contrast_changes_the_chart_and_the_table(three: Any) -> None:
    assert three.locator("figure.choice:visible").count() == 1
    before = dict(zip(column(three, 1), column(three, 4), strict=True))
    assert len(before) == 20
    chosen = three.locator("#pick option", has_text="AP: a_candidate_with_quite_a_long_name minus bm25")
    three.locator("#pick").select_option(chosen.get_attribute("value"))
    assert three.locator("figure.choice:visible").count() == 1
    assert "minus bm25 in AP" in three.locator("figure.choice:visible figcaption").inner_text()
    assert three.locator("#query-table caption").inner_text().startswith("AP by query")
    after = dict(zip(column(three, 1), column(three, 4), strict=True))
    assert after != before
    for base, candidate, gap in zip(column(three, 3), column(three, 4), column(three, 5), strict=True):
        assert float(candidate) - float(base) == pytest.approx(float(gap.replace("−", "-")), abs=1.5e-4)
    gaps = [float(text.replace("−", "-")) for text in column(three, 5)]
    assert gaps == sorted(gaps)


def test_charts_are_drawn(three: Any) -> None:
    bars = three.locator("figure.choice:visible .wide svg [data-row]")
    assert bars.count() == 40
    tall = [bars.nth(i).bounding_box()["height"] for i in (0, 39)]
    assert min(tall) > 10
    marks = three.locator("figure.lead .wide svg").locator("[data-row]")
    assert marks.count() == 6  # two rows, each with two intervals and a dot


def test_the_query_is_told_at_the_pointer(three: Any) -> None:
    bar = three.locator("figure.choice:visible .wide svg [data-row]").first
    bar.scroll_into_view_if_needed()
    bar.hover()
    tip = three.locator("#tip")
    assert tip.is_visible()
    lines = tip.inner_text().splitlines()
    best, gap = all_pages(three, 1)[-1], column(three, 5)[-1]  # the table has the worst first, the chart the best
    three.mouse.move(5, 5)
    bar.hover()
    assert lines[0] == best
    assert lines[1].startswith("made-up query")
    assert lines[2].startswith("bm25 ")
    assert lines[3].startswith("dense ")
    assert lines[4] == f"difference {gap}"
    three.mouse.move(5, 5)
    assert not tip.is_visible()


def test_a_bar_of_several_queries_says_how_many_more_it_stands_for(browser: Any, tmp_path: Path) -> None:
    """1,500 queries in about 400 bars: every one is counted."""
    path = tmp_path / "many.html"
    path.write_text(comparison(comparison_of(queries=1_500), per_query=False, observed={}), encoding="utf-8")
    page = Window(browser, path).page
    bars = page.locator("figure.choice:visible .wide svg [data-row]")
    counts = bars.evaluate_all("bars => bars.map((bar) => 1 + Number(bar.dataset.more || 0))")
    assert sum(counts) == 1_500
    assert len(counts) < 500
    bars.first.scroll_into_view_if_needed()
    bars.first.hover()
    assert page.locator("#tip").inner_text().splitlines()[-1] == f"and {counts[0] - 1} more in this bar"
    page.close()


def test_an_interval_at_the_pointer_stays_visible(three: Any) -> None:
    line = three.locator(".lead .wide line[data-row]").first
    style = "line => [getComputedStyle(line).stroke, getComputedStyle(line).strokeWidth]"
    before = line.evaluate(style)
    line.scroll_into_view_if_needed()
    line.hover(force=True)
    assert line.get_attribute("class") == "on"
    assert line.evaluate(style) == before


def test_arrow_keys_go_from_bar_to_bar_and_a_click_finds_the_row(three: Any) -> None:
    drawing = three.locator("figure.choice:visible .wide svg")
    drawing.focus()
    drawing.press("ArrowRight")
    first = three.locator("#tip").inner_text().splitlines()[0]
    drawing.press("ArrowRight")
    assert three.locator("#tip").inner_text().splitlines()[0] != first
    drawing.press("Escape")
    assert not three.locator("#tip").is_visible()
    three.locator("#search").fill("nothing has this")
    drawing.locator("[data-row]").first.click()
    assert three.locator("tr.found th").inner_text() == first
    assert three.locator("tr.found").is_visible()


def background(page: Any) -> str:
    color: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return color


def test_dark_follows_the_system_and_the_button_turns_it(browser: Any, pages: dict[str, Path]) -> None:
    light = Window(browser, pages["three"]).page
    dark = Window(browser, pages["three"], scheme="dark").page
    bright, deep = background(light), background(dark)
    assert bright == "rgb(255, 255, 255)"
    assert deep != bright

    def paint(page: Any) -> Any:
        return page.evaluate("getComputedStyle(document.querySelector('.choice .wide path[data-row]')).fill")

    assert paint(light) != paint(dark)  # the same drawing takes the colors of its page
    dark.locator("#theme").click()
    assert background(dark) == bright
    assert paint(dark) == paint(light)
    light.locator("#theme").click()
    assert background(light) == deep
    light.emulate_media(media="print")
    assert background(light) == bright  # paper is white
    light.close()
    dark.close()


def test_without_scripts_everything_can_be_read(browser: Any, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["three"].as_uri())
    assert page.locator("figure.choice:visible").count() == 6
    assert page.locator("#query-table tbody tr:visible").count() == 40
    assert not page.locator("#search").is_visible()
    context.close()


def test_phones_get_the_narrow_drawings(browser: Any, pages: dict[str, Path]) -> None:
    page = Window(browser, pages["three"], width=375).page
    assert page.locator(".lead .phone svg").is_visible()
    assert not page.locator(".lead .wide svg").is_visible()
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_benchmark_shows_its_charts_and_folds_further_measures(
    browser: Any, pages: dict[str, Path], scheme: str
) -> None:
    window = Window(browser, pages["benchmark"], scheme=scheme)
    page = window.page
    assert page.locator("h1").inner_text() == (
        "Ship turned. It is significantly better than plain. No mode is significantly better than it."
    )
    assert page.locator("#worth figure").count() == 2  # against time and against cost
    assert page.locator("#worth .chart.wide svg").first.is_visible()
    folded = page.locator("#stages details")
    assert not folded.locator("table").is_visible()
    folded.locator("summary").click()
    assert folded.locator("table").is_visible()
    assert page.locator("#stages td.better").first.inner_text() == "▲ better"
    assert page.locator("#grades figure").count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    assert window.wrong == []
    page.close()
