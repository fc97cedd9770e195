"""The queries of an HTML report in a real browser: opened side by side, searched, filtered, sorted, saved as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.reports.comparisons import HOSTILE, comparison_of
from tests.reports.ranked import ranked_comparison
from tests.web.test_html_report import Window, all_pages, column

from rankproof.proving.records import Comparison
from rankproof.reports.forms.html import comparison

pytestmark = pytest.mark.slow
THREE = ("before", "after", "last")


def written(record: Comparison, path: Path) -> Path:
    path.write_text(comparison(record, per_query=False, observed={}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def record() -> Comparison:
    return ranked_comparison(30, THREE)


@pytest.fixture(scope="module")
def path(record: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(record, tmp_path_factory.mktemp("queries") / "page.html")


@pytest.fixture
def page(browser: Any, path: Path) -> Iterator[Any]:
    window = Window(browser, path)
    window.page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    yield window.page
    assert window.wrong == []
    assert window.asked == [window.own]
    window.page.close()


def opened(page: Any, query: str) -> Any:
    """The detail below a query's row, after a click on its id."""
    page.locator("#search").fill(query)
    page.locator("#query-table .opener", has_text=re.compile(f"^{query}$")).click()
    return page.locator("tr.detail")


def listed(detail: Any, side: int) -> list[tuple[str, str]]:
    """Documents of one side with what is said beside them."""
    items = detail.locator(".side").nth(side).locator("li")
    return [
        (items.nth(i).locator(".id").inner_text(), items.nth(i).locator(".grade").inner_text())
        for i in range(items.count())
    ]


def test_a_query_opens_to_both_rankings_with_titles_and_grades(page: Any, record: Comparison) -> None:
    rankings = record.rankings()
    assert rankings is not None
    detail = opened(page, "q7")
    for side, system in enumerate(("before", "after")):
        docs = list(rankings.by_system[system]["q7"])
        grades = rankings.grades["q7"]
        assert len(docs) == 10
        expected = [(doc, f"grade {grades[doc]}" if doc in grades else "unjudged") for doc in docs]
        assert listed(detail, side) == expected
        assert detail.locator(".side").nth(side).locator(".title").first.inner_text() == f"Title of {docs[0]}"
    assert any(grade == "unjudged" for _, grade in listed(detail, 0))


def test_lines_join_the_places_of_the_same_document(page: Any, record: Comparison) -> None:
    rankings = record.rankings()
    assert rankings is not None
    before, after = (list(rankings.by_system[s]["q7"]) for s in ("before", "after"))
    detail = opened(page, "q7")
    joined = [(i, after.index(doc)) for i, doc in enumerate(before) if doc in after]
    paths = detail.locator(".joins path")
    drawn = [paths.nth(i).get_attribute("d") for i in range(paths.count())]
    ends = [re.fullmatch(r"M0 ([\d.]+)C.* ([\d.]+)", d or "") for d in drawn]
    assert [(float(e[1]) // 44, float(e[2]) // 44) for e in ends if e] == joined
    # A line begins where the row of its document is, on both sides.
    box, row = (detail.locator(what).first.bounding_box() for what in (".joins", ".side li"))
    assert abs(box["y"] - row["y"]) < 2
    moved = detail.locator(".side").nth(1).locator("li .moved").all_inner_texts()
    words = [
        "new" if doc not in before
        else "same place" if before.index(doc) == i
        else f"{'↑' if before.index(doc) > i else '↓'} from {before.index(doc) + 1}"
        for i, doc in enumerate(after)
    ]  # fmt: skip
    assert moved == words


def test_each_measure_says_by_how_much_it_moved(page: Any, record: Comparison) -> None:
    detail = opened(page, "q7")
    rows = detail.locator("table.measures tbody tr")
    for i, measure in enumerate(record.measures):
        before, after = (e[measure].by_query["q7"] for e in record.evaluations[:2])
        cells = rows.nth(i).locator("th, td").all_inner_texts()
        assert cells[:3] == [measure, f"{before:.4f}", f"{after:.4f}"]
        assert float(cells[3].replace("−", "-")) == pytest.approx(after - before, abs=1.1e-4)


def test_an_opened_query_has_the_same_differences_as_the_table_to_the_last_digit(page: Any) -> None:
    """Rounded once: differences of rounded values differ from them in one query of four."""
    for query, gap in zip(column(page, 1), column(page, 5), strict=True):
        page.locator("#query-table .opener", has_text=re.compile(f"^{query}$")).click()
        assert page.locator("tr.detail table.measures tbody tr td.num").nth(2).inner_text() == gap, query
        page.locator("#query-table .opener", has_text=re.compile(f"^{query}$")).click()


def test_any_two_of_several_systems_can_be_put_side_by_side(page: Any, record: Comparison) -> None:
    rankings = record.rankings()
    assert rankings is not None
    detail = opened(page, "q7")
    detail.locator("label", has_text="Left").locator("select").select_option(label="last")
    assert [doc for doc, _ in listed(detail, 0)] == list(rankings.by_system["last"]["q7"])
    assert [doc for doc, _ in listed(detail, 1)] == list(rankings.by_system["after"]["q7"])
    assert detail.locator("table.measures thead th").all_inner_texts()[1:3] == ["last", "after"]


def test_a_row_opens_and_closes_from_the_keyboard(page: Any) -> None:
    button = page.locator("#query-table .opener").first
    button.focus()
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    assert page.locator("tr.detail").count() == 1
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "false"
    assert page.locator("tr.detail").count() == 0


def test_filters_keep_queries_by_outcome_and_segment(page: Any, record: Comparison) -> None:
    contrast = record.contrast("nDCG@10", "after")
    by_query = dict(zip(contrast.query_ids, contrast.by_query.tolist(), strict=True))
    for outcome, keeps in (("better", lambda d: d > 0), ("worse", lambda d: d < 0), ("same", lambda d: d == 0)):
        page.locator("#outcome").select_option(outcome)
        assert sorted(all_pages(page, 1)) == sorted(q for q, d in by_query.items() if keeps(d)), outcome
    assert column(page, 1) == ["q1"]
    page.locator("#outcome").select_option("")
    page.locator("#segment").select_option("kind=long")
    assert sorted(all_pages(page, 1)) == sorted(record.segments["kind=long"])
    assert page.locator("#queries output").inner_text() == "15 of 30 queries"


def test_searching_finds_queries_by_documents_and_titles(page: Any) -> None:
    page.locator("#search").fill("d9_3")
    assert column(page, 1) == ["q9"]
    page.locator("#search").fill("title of D12_5")
    assert column(page, 1) == ["q12"]


def test_a_bar_jumps_to_its_query_also_on_another_page_and_through_filters(page: Any) -> None:
    drawing = page.locator("figure.choice:visible .wide svg")
    bar = drawing.locator("[data-row]").first  # the best, which is on the last page: the worst come first
    bar.hover()
    query = page.locator("#tip").inner_text().splitlines()[0]
    assert query not in column(page, 1)
    page.locator("#outcome").select_option("worse")
    bar.click()
    assert page.locator("tr.found .opener").inner_text() == query
    assert page.locator("#outcome").input_value() == ""
    assert page.locator("tr.detail .side").count() == 2
    box = page.locator("tr.found").bounding_box()
    assert 0 <= box["y"] < 900


def test_enter_on_a_bar_opens_its_query(page: Any) -> None:
    drawing = page.locator("figure.choice:visible .wide svg")
    drawing.focus()
    drawing.press("ArrowRight")
    query = page.locator("#tip").inner_text().splitlines()[0]
    drawing.press("Enter")
    assert page.locator("tr.found .opener").inner_text() == query


def saved(page: Any, button: Any) -> list[list[str]]:
    """The rows of the CSV file that a click on the button gives."""
    with page.expect_download() as waiting:
        button.click()
    content = Path(waiting.value.path()).read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_csv_has_every_query_that_is_selected_and_in_their_order(page: Any) -> None:
    page.locator("#segment").select_option("kind=short")
    rows = saved(page, page.locator("#queries .csv"))
    assert rows[0] == ["Query", "Text", "before", "after", "Difference"]
    assert [row[0] for row in rows[1:]] == all_pages(page, 1)
    gaps = [float(row[4]) for row in rows[1:]]
    assert gaps == sorted(gaps)


def test_every_table_can_be_saved_as_csv(page: Any) -> None:
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    tables = page.locator("main table").count()
    assert page.locator("main .csv").count() == tables >= 3
    rows = saved(page, page.locator("#differences .csv"))
    assert rows[0][0] == "Measure"
    assert {row[0] for row in rows[1:]} == {"nDCG@10", "RR@10", "R@20"}
    assert all(len(row) == len(rows[0]) for row in rows)


def test_csv_of_names_that_look_like_formulas_and_quotes_is_safe(browser: Any, tmp_path: Path) -> None:
    names = ("=cmd|' /C calc'!A0", '+a "quoted", name')
    window = Window(browser, written(ranked_comparison(5, names, query_prefix="@q"), tmp_path / "page.html"))
    rows = saved(window.page, window.page.locator("#queries .csv"))
    assert rows[0][2:4] == ["'=cmd|' /C calc'!A0", '\'+a "quoted", name']
    assert {row[0] for row in rows[1:]} == {f"'@q{i}" for i in range(1, 6)}
    assert {row[4][0] for row in rows[1:]} <= set("-+0123456789")  # numbers stay numbers
    window.page.close()


NASTY = {
    "markup": HOSTILE,
    "long": "x" * 2_000,
    "right to left": "‮gnp.exe‬ עברית",
    "line separator": "a\u2028b\u2029c",
}


@pytest.mark.parametrize("kind", NASTY)
def test_ids_and_titles_from_files_are_text_whatever_they_contain(browser: Any, tmp_path: Path, kind: str) -> None:
    found = ranked_comparison(4, (NASTY[kind], "after"), prefix=NASTY[kind], query_prefix=NASTY[kind])
    window = Window(browser, written(found, tmp_path / "page.html"))
    page = window.page
    page.locator("#query-table .opener").first.click()
    assert page.locator("tr.detail li").count() == 20
    assert page.locator("main img").count() == 0
    assert (
        page.evaluate("document.scripts.length")
        == page.evaluate("document.querySelectorAll('script[type=\"application/json\"]').length") + 1
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    text = page.locator("main").inner_text()
    assert not set(text) & set("‮‬\u2028\u2029")
    assert window.wrong == []
    page.close()


def test_an_empty_document_id_has_a_name(browser: Any, tmp_path: Path) -> None:
    found = ranked_comparison(4, titles=False)
    rankings = found.rankings()
    assert rankings is not None
    from dataclasses import replace

    from rankproof.kernel.later import Later

    lists = {s: {q: ["", *docs[1:]] for q, docs in of.items()} for s, of in rankings.by_system.items()}
    changed = replace(found, rankings=Later(lambda: replace(rankings, by_system=lists)))
    page = Window(browser, written(changed, tmp_path / "page.html")).page
    page.locator("#query-table .opener").first.click()
    assert page.locator("tr.detail li .id").first.inner_text() == "(empty id)"
    page.close()


def test_without_rankings_values_are_there_and_the_page_says_so(browser: Any, tmp_path: Path) -> None:
    window = Window(browser, written(comparison_of(), tmp_path / "page.html"))
    page = window.page
    assert "rankings are not part of this comparison" in page.locator("#queries .note").inner_text()
    page.locator("#query-table .opener").first.click()
    assert page.locator("tr.detail table.measures tbody tr").count() == 3
    assert "d4 (rank 8 → 2, grade 1)" in page.locator("tr.detail").inner_text()
    page.close()


def test_without_scripts_the_values_of_every_query_can_be_read(browser: Any, path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("#query-table tbody tr:visible").count() == 30
    assert not page.locator(".csv").count()
    assert not page.locator("#outcome").is_visible()
    context.close()
