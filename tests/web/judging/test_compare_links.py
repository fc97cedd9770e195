"""Comparing, measured in a real browser: lines between sides, the bar over nothing, the width of a phone, touch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.four_scripts import SLUG, four_scripts
from tests.web.judging.looks import faults, opened, overflow
from tests.web.judging.workbench import serving, session_cookie

from rankproof.judging.records import Judgment
from rankproof.judging.store.store import Store
from rankproof.web.pages._compare_setup import ComparedVariant

pytestmark = pytest.mark.slow
# For each thing that can have the focus: how much of it lies under the bar of votes once it has it.
UNDER = """() => {
  const bar = document.querySelector(".verdict");
  const under = [];
  const nodes = ".sides a, .sides button, .sides summary, .result, .diagnosis summary";
  for (const node of document.querySelectorAll(nodes)) {
    if (!node.checkVisibility()) continue;
    node.focus();
    node.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = node.getBoundingClientRect();
    const tall = box.height > innerHeight - bar.getBoundingClientRect().height;
    if (!tall && box.bottom > bar.getBoundingClientRect().top + 1) under.push(node.outerHTML.slice(0, 80));
  }
  return under;
}"""


def at(names: str, query: str = "la") -> str:
    handles = ".".join(ComparedVariant(name).handle for name in ("bm25", "dense", "hybrid"))
    return f"/p/{SLUG}/compare?v={handles}&names={names}&k=5&q={query}"


@pytest.fixture
def served(store: Store) -> Iterator[tuple[Starlette, str]]:
    four_scripts(store)
    acts = [Judgment(f"grade-{n:011}", "ann", "la", f"la-{n}", 3 if n < 3 else 0) for n in range(1, 5)]
    store.judgments.add_many(SLUG, acts)
    with serving(store) as found:
        yield found


@pytest.mark.parametrize("width", [1280, 375])
def test_nothing_lies_under_the_bar_and_nothing_is_wider_than_the_page(
    browser: Any, served: tuple[Starlette, str], width: int
) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "judy", "judge"), width) as page:
        for query in ("la", "ar"):
            page.goto(origin + at("shown", query))
            page.wait_for_timeout(100)
            assert overflow(page) <= 0
            assert page.evaluate(UNDER) == []
            page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            bottoms = "nodes => Math.max(...nodes.map((node) => node.getBoundingClientRect().bottom))"
            bar = page.locator(".verdict").bounding_box()
            assert page.eval_on_selector_all(".sides, .hint-keys", bottoms) <= bar["y"] + 1
            page.keyboard.press("d")
            assert page.locator("#diagnosis[open] table").is_visible()
            assert overflow(page) <= 0
            assert faults(page) == []


def test_lines_go_from_a_document_to_itself(browser: Any, served: tuple[Starlette, str]) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "judy", "judge")) as page:
        page.goto(origin + at("shown"))
        page.wait_for_selector(".lines path")
        drawn = page.eval_on_selector_all(".lines path", "paths => paths.map((path) => path.dataset.doc).sort()")
        assert drawn == ["la-1", "la-1", "la-2", "la-2", "la-3", "la-3", "la-4"]  # la-4 is not on the third side
        ends = page.evaluate("""() => {
          const from = document.querySelector(".sides").getBoundingClientRect();
          return [...document.querySelectorAll(".lines path")].map((path) => {
            const end = path.getPointAtLength(path.getTotalLength());
            const boxes = [...document.querySelectorAll(".result")]
              .filter((one) => one.dataset.doc === path.dataset.doc).map((one) => one.getBoundingClientRect());
            return boxes.some((box) => Math.abs(box.left - from.left - end.x) < 16
              && end.y >= box.top - from.top && end.y <= box.bottom - from.top);
          });
        }""")
        assert all(ends)
        assert "B at 2, 1 lower" in page.inner_text("#r1-1 .moves")
        assert "C at 1, the same" in page.inner_text("#r1-1 .moves")
        page.keyboard.press("j")
        assert page.locator(".lines path.on").count() == 2
        assert page.locator(".result.linked").count() == 2
        page.click("#r1-1 .moves a:first-child")
        assert page.evaluate("document.activeElement.id") == "r2-2"
        page.emulate_media(media="print")
        assert page.locator(".lines").is_hidden()
        assert page.locator(".verdict").is_hidden()
        assert page.locator("#r1-1 .moves").is_visible()


def test_the_diagnosis_says_what_moved_and_nothing_that_is_hidden(browser: Any, served: tuple[Starlette, str]) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "rita", "reviewer")) as page:
        page.goto(origin + at("shown"))
        page.keyboard.press("d")
        rows = page.locator("#diagnosis tbody tr").all_inner_texts()
        assert len(rows) == 4
        assert "no" in rows[0].split("\t")  # what one side lacks comes first
        assert "3 Exact" in page.inner_text("#diagnosis table")
        page.goto(origin + at("hidden"))
        page.keyboard.press("d")
        assert "Exact" not in page.inner_text("#diagnosis")
        assert not any(name in page.content() for name in ("bm25", "dense", "hybrid"))


def test_a_vote_by_touch_and_the_swiped_sides(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    context = browser.new_context(viewport={"width": 375, "height": 812}, has_touch=True, is_mobile=True)
    context.add_cookies([session_cookie(app, origin, "judy", "judge")])
    page = context.new_page()
    page.goto(origin + at("shown"))
    page.tap("#r1-1 .moves a:first-child")
    page.wait_for_timeout(100)
    box = page.locator("#r2-2").bounding_box()
    assert 0 <= box["x"] < 375 / 2  # the other side was brought into sight
    sizes = page.eval_on_selector_all(".votes button", "nodes => nodes.map((n) => n.getBoundingClientRect().height)")
    assert all(high >= 40 for high in sizes)
    page.tap(".votes [value='2']")
    page.wait_for_selector("[data-query=ja]")
    assert [one.preferred for one in store.preferences.current(SLUG)] == ["dense"]
    context.close()
