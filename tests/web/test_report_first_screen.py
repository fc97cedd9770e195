"""HTML reports in a real browser: the first screen, what is folded, phones, paper, axe, ten thousand queries."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.reports.benchmarks import benchmark_of
from tests.reports.comparisons import comparison_of, verdict_of
from tests.reports.ranked import ranked_comparison
from tests.web.test_html_report import Window

from rankproof.reports.forms.html import benchmark, comparison, render, verdict

pytestmark = pytest.mark.slow
SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"
KINDS = ("benchmark", "compare", "gate", "evaluate", "letters", "ranked")
MEASURES = ("-m", "nDCG@10 RR@10 R@20")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports that commands write on the sample, and two of made-up records with more in them."""
    folder = tmp_path_factory.mktemp("first-screens")

    def rankproof(*arguments: str, within: Path = SAMPLE) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "rankproof", *arguments], cwd=within, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1, 3), done.stderr  # a gate that fails says so by its status
        assert "Traceback" not in done.stderr

    shutil.copytree(SAMPLE, folder / "sample")
    runs = ("qrels.trec", "bm25.run", "dense.run", "hybrid.run")
    segments = ("--topics", "topics.tsv", "--queries", "queries.csv", "--by", "traffic")
    paths = {kind: folder / f"{kind}.html" for kind in KINDS}
    rankproof("demo", "-o", str(folder / "demo"), within=folder)
    paths["benchmark"] = folder / "demo" / "BenchmarkReport.html"
    rankproof("compare", *runs, *MEASURES, *segments, "--html", str(paths["compare"]))
    rankproof("gate", "policy.toml", "--candidate", "dense.run", "--html", str(paths["gate"]))
    rankproof("evaluate", *runs[:3], *MEASURES, "-q", "--format", "html", "-o", str(paths["evaluate"]))
    letters = benchmark(benchmark_of(), per_query=False, observed={})
    paths["letters"].write_text(letters, encoding="utf-8")
    ranked = comparison(ranked_comparison(60, ("a", "b", "c"), beyond=True), per_query=False, observed={})
    paths["ranked"].write_text(ranked, encoding="utf-8")
    return paths


@pytest.mark.parametrize("kind", ["benchmark", "compare", "gate"])
def test_the_first_screen_has_verdict_numbers_warning_chart_and_links(
    browser: Any, pages: dict[str, Path], kind: str
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(pages[kind].as_uri())
    for what in ("h1.claim", "header .caveats", "header .lead .wide svg", "header .facts", "body > nav a >> nth=0"):
        box = page.locator(what).first.bounding_box()
        assert box["y"] >= 0, what
        assert box["y"] + box["height"] <= 800, what
    numbers = "header .also" if kind == "gate" else "header .numbers"
    assert page.locator(numbers).first.bounding_box()["y"] < 400
    assert page.locator("header svg:visible").count() == 1
    page.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_at_most_6000_pixels_before_anything_is_opened(
    browser: Any, pages: dict[str, Path], kind: str
) -> None:
    page = Window(browser, pages[kind]).page
    assert page.evaluate("document.documentElement.scrollHeight") <= 6_000
    page.close()


def test_what_is_looked_up_is_folded_and_links_open_it(browser: Any, pages: dict[str, Path]) -> None:
    page = Window(browser, pages["ranked"]).page
    for key in ("segments", "unjudged", "fine-print", "manifest"):
        assert not page.locator(f"#{key} details.part").evaluate("part => part.open"), key
    assert page.locator("#differences table").first.is_visible()
    assert not page.locator("#segments table").is_visible()
    page.locator("body > nav a", has_text="Segments").click()
    assert page.locator("#segments table").is_visible()
    page.goto(pages["ranked"].as_uri() + "#manifest")
    assert page.locator("#manifest details.part").evaluate("part => part.open")
    page.close()


# What is wider inside than outside, and so cut off or scrolled; a document's name is cut on purpose, with its title.
CUT = """() => [...document.querySelectorAll('body *')].filter((e) => {
  if (e.closest('svg, .document, select') || getComputedStyle(e).display === 'inline') return false;
  return e.clientWidth && e.scrollWidth > e.clientWidth + 1;
}).map((e) => `${e.tagName}.${e.className}#${e.id} ${e.scrollWidth} > ${e.clientWidth}`)"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1280, 375])
def test_nothing_is_cut_off_or_scrolls_sideways_with_everything_open(
    browser: Any, pages: dict[str, Path], kind: str, width: int
) -> None:
    page = Window(browser, pages[kind], width).page
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    if page.locator(".opener").count():
        page.locator(".opener").first.click()
    assert page.evaluate(CUT) == []
    page.close()


def test_the_check_of_cut_elements_finds_one(browser: Any) -> None:
    page = browser.new_page()
    page.set_content("<div style='width:50px;overflow:hidden'><div style='width:90px'>wide</div></div>")
    assert len(page.evaluate(CUT)) == 1
    page.close()


def test_on_a_phone_rows_are_cards_whose_lines_are_named(browser: Any, pages: dict[str, Path]) -> None:
    page = Window(browser, pages["gate"], 375).page
    row = page.locator("#rules tbody tr").first
    assert not page.locator("#rules thead").first.is_visible()
    cells = row.locator("td")
    tops = [cells.nth(i).bounding_box()["y"] for i in range(cells.count()) if cells.nth(i).is_visible()]
    assert tops == sorted(tops)
    assert len(set(tops)) == len(tops) >= 4
    named = cells.first.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert named == '"Verdict"'
    card = page.locator("#query-table tbody tr").first
    assert card.bounding_box()["width"] <= 375
    page.locator("#order").select_option("0 descending")
    ids = page.locator("#query-table .opener").all_inner_texts()
    assert ids == sorted(ids, reverse=True)
    page.close()


def test_texts_of_charts_are_at_least_10_pixels_on_a_phone(browser: Any, pages: dict[str, Path]) -> None:
    page = Window(browser, pages["compare"], 375).page
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('.phone svg')].filter((svg) => svg.getBoundingClientRect().width)
        .map((svg) => 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"""
    )
    assert len(sizes) >= 2
    assert min(sizes) >= 10
    page.close()


def test_rules_that_failed_come_first_then_undecided_and_passed_ones_are_folded(
    browser: Any, pages: dict[str, Path]
) -> None:
    page = Window(browser, pages["gate"]).page
    shown = page.locator("#rules tbody tr:visible td:nth-child(2)").all_inner_texts()
    words = [text.split()[1] for text in shown]
    assert words == ["FAIL", *["UNDECIDED"] * 4]
    passed = page.locator("#rules details", has_text="5 rules passed")
    assert not passed.evaluate("part => part.open")
    assert passed.locator("tbody tr").count() == 5
    page.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_paper_shows_what_is_folded(browser: Any, pages: dict[str, Path], scripts: bool) -> None:
    context = browser.new_context(java_script_enabled=scripts, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(pages["ranked"].as_uri())
    folded = page.locator("#segments table")
    assert not folded.is_visible()
    page.emulate_media(media="print")
    if scripts:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("#query-table tbody tr").count() == 60
        # Browsers that know no style for the inside of folded parts need them open.
        assert page.locator("details:not([open])").count() == 0
    assert folded.bounding_box()["height"] > 50
    assert not page.locator(".tools:visible, .csv:visible").count()
    if scripts:
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert not page.locator("#segments details.part").evaluate("part => part.open")
        assert page.locator("#query-table tbody tr").count() == 20
    context.close()


# One page of each kind is enough for every day; axe takes up to 18 seconds for the longest.
DAILY = {("compare", 1280, "light"), ("gate", 375, "dark"), ("evaluate", 1280, "dark")}
LOOKED_AT = [
    pytest.param(kind, width, scheme, marks=[] if (kind, width, scheme) in DAILY else [pytest.mark.full])
    for scheme in ("light", "dark")
    for width in (1280, 375)
    for kind in ("benchmark", "compare", "gate", "evaluate")
]


@pytest.mark.parametrize(("kind", "width", "scheme"), LOOKED_AT)
def test_axe_finds_nothing_serious(browser: Any, pages: dict[str, Path], kind: str, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    page = Window(browser, pages[kind], width, scheme).page
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    if page.locator(".opener").count():
        page.locator(".opener").first.click()
    found = axe.Axe().run(page).response
    assert len(found["passes"]) > 20  # it looked
    assert [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found["violations"] if v["impact"] != "minor"] == []
    page.close()


def test_ten_thousand_queries_open_in_two_seconds_in_less_than_15_megabytes(browser: Any, tmp_path: Path) -> None:
    """With everything in the page: two rankings of ten documents for every query, with titles."""
    path = tmp_path / "many.html"
    record = ranked_comparison(10_000, prefix="clueweb09-en0000-")
    text = comparison(record, per_query=False, observed={})
    path.write_text(text, encoding="utf-8")
    assert "queries that changed most are here" not in text  # every ranking is
    assert path.stat().st_size < 15_000_000
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(path.as_uri())
    paint, ready = page.evaluate(
        """() => [performance.getEntriesByName('first-contentful-paint')[0].startTime,
        performance.getEntriesByType('navigation')[0].loadEventEnd]"""
    )
    assert paint < 2_000
    assert ready < 6_000  # 0.8 s on an idle machine; others may work on this one
    assert page.locator("#query-table tbody tr").count() == 20
    began = time.perf_counter()
    page.locator("#search").fill("en0000-9999_3")
    assert page.locator("#query-table .opener").all_inner_texts() == ["q9999"]
    assert time.perf_counter() - began < 2
    page.locator("#query-table .opener").click()
    assert page.locator("tr.detail li").count() == 20
    page.close()


def test_a_benchmark_shows_the_titles_of_its_corpus_and_a_comparison_of_runs_the_ids(
    browser: Any, pages: dict[str, Path]
) -> None:
    for kind, titled in (("benchmark", True), ("compare", False)):
        page = Window(browser, pages[kind]).page
        page.locator(".opener").first.click()
        documents = page.locator("tr.detail li")
        assert documents.count() >= 10
        assert documents.locator(".title").count() == (documents.count() if titled else 0)
        assert all(documents.locator(".id").all_inner_texts())
        page.close()


def test_pages_of_records_without_queries_files_or_baselines_still_open(browser: Any, tmp_path: Path) -> None:
    record = comparison_of()
    texts = [
        render(record.evaluations[:1], per_query=False, observed={}),
        verdict(verdict_of(record, "PASS"), observed={}),
    ]
    for i, text in enumerate(texts):
        path = tmp_path / f"{i}.html"
        path.write_text(text, encoding="utf-8")
        window = Window(browser, path)
        assert window.wrong == []
        window.page.close()
