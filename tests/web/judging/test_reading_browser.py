"""The surface for reading in a real browser: how much of the screen the document has, matches, slips, edits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.at_the_page import pair, press, ready, saved, until
from tests.web.judging.four_scripts import SLUG, four_scripts
from tests.web.judging.looks import faults, opened, overflow
from tests.web.judging.workbench import serving, session_cookie

from rankproof.judging.store.store import Store

pytestmark = pytest.mark.slow
PAGE = f"/p/{SLUG}/judge"
SHARE = """() => {
  const box = document.querySelector(".document").getBoundingClientRect();
  const wide = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
  const high = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  const covered = [0.02, 0.5, 0.98].every((x) => [0.02, 0.5, 0.98].every((y) =>
    document.elementFromPoint(box.left + x * wide, box.top + y * high)?.closest(".document")));
  return covered ? wide * high / (innerWidth * innerHeight) : 0;
}"""


@pytest.fixture
def served(store: Store) -> Iterator[tuple[Starlette, str]]:
    four_scripts(store)
    with serving(store) as found:
        yield found


@pytest.mark.parametrize(("width", "height", "least"), [(1280, 800, 0.65), (375, 812, 0.55)])
def test_the_document_has_most_of_the_screen(
    browser: Any, served: tuple[Starlette, str], width: int, height: int, least: float
) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ann", "judge"), width) as page:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(origin + PAGE)
        assert page.locator(".meaning").first.is_visible()  # at first the grades say what they mean
        for key in "21032":
            press(page, key)
        assert page.locator(".meaning:visible").count() == 0
        assert page.evaluate(SHARE) >= least
        assert overflow(page) <= 0
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        saved(page)
        page.goto(origin + PAGE)  # folded from the first moment, also where this browser remembers nothing
        assert page.locator(".meaning:visible").count() == 0
        assert page.evaluate(SHARE) >= least
        if width == 1280:
            page.keyboard.press("h")  # with the last ten beside it
            page.wait_for_selector("#recent[open] li")
            assert page.evaluate(SHARE) >= 0.65
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        assert page.get_by_role("dialog", name="Keys").is_visible()
        assert "everything that was asked for" in page.get_by_role("dialog", name="Keys").inner_text()
        page.keyboard.press("?")
        page.keyboard.press("i")
        assert page.locator(".meaning").first.is_visible()
        page.reload()
        assert page.locator(".meaning").first.is_visible()


def test_a_key_in_the_first_moments_of_a_document_is_not_taken(
    browser: Any, served: tuple[Starlette, str], store: Store
) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ann", "judge")) as page:
        with page.expect_response(lambda answer: "/judge/items" in answer.url):  # the next documents are at hand
            page.goto(origin + PAGE)
        page.wait_for_timeout(200)
        page.evaluate("""() => {
          const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          press("2"); press("3"); press("c"); press("f");
        }""")  # all at once: only the first is meant for the document that is there
        assert "only just appeared" in page.inner_text("#status")
        assert page.locator("#flagging[open]").count() == 0
        ready(page)
        press(page, "1")
        page.keyboard.press("u")  # taking back is never a slip
        saved(page)
    assert [act.grade for act in store.judgments.current(SLUG)] == [2]


def test_matches_are_gone_through_and_open_what_is_clamped(browser: Any, served: tuple[Starlette, str]) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ann", "judge")) as page:
        page.goto(f"{origin}{PAGE}")
        for _ in range(20):
            if pair(page)[1] == "la-1":
                break
            press(page, "l")
        assert page.get_by_role("button", name="Show all").get_attribute("aria-expanded") == "false"
        matches = page.locator(".document mark").count()
        assert page.inner_text("#match-count") == str(matches)
        for n in range(1, matches + 1):
            page.keyboard.press("m")
            assert page.inner_text("#match-count") == f"{n}/{matches}"
        assert page.inner_text("mark.now") == "shoes"  # the last of the long text, which is open now
        inside = """() => {
          const box = document.querySelector(".document").getBoundingClientRect();
          const mark = document.querySelector("mark.now").getBoundingClientRect();
          return mark.top >= box.top && mark.bottom <= box.bottom;
        }"""
        assert page.evaluate(inside)
        page.keyboard.press("Shift+M")
        assert page.inner_text("#match-count") == f"{matches - 1}/{matches}"
        page.keyboard.press("e")
        assert page.get_by_role("button", name="Show all").is_visible()


def test_one_of_the_last_ten_is_changed_by_touch(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    context = browser.new_context(viewport={"width": 375, "height": 812}, has_touch=True, is_mobile=True)
    context.add_cookies([session_cookie(app, origin, "ann", "judge")])
    page = context.new_page()
    page.goto(origin + PAGE)
    done = []
    for grade in "12":
        ready(page)
        done.append(pair(page))
        page.tap(f"[name=grade][value='{grade}']")
        until(page, "one => document.querySelector('.pair').dataset.doc !== one", done[-1][1])
    saved(page)
    here = pair(page)
    page.tap("#recent-link")
    page.wait_for_selector("#recent:modal li")
    assert faults(page) == []
    page.tap(f'#recent a[data-doc="{done[0][1]}"]')
    until(page, "doc => document.querySelector('.pair').dataset.doc === doc", done[0][1])
    assert page.locator("[name=grade][value='1'][aria-pressed=true]").count() == 1
    ready(page)
    page.tap("[name=grade][value='3']")
    until(page, "doc => document.querySelector('.pair').dataset.doc === doc", here[1])
    saved(page)
    assert page.inner_text("[data-count=mine]") == "2"
    assert {(act.query_id, act.doc_id): act.grade for act in store.judgments.current(SLUG)} == {done[0]: 3, done[1]: 2}
    context.close()


def test_pictures_directions_and_languages(browser: Any, served: tuple[Starlette, str]) -> None:
    app, origin = served
    asked: list[str] = []
    with opened(browser, session_cookie(app, origin, "ann", "judge"), 375, "dark") as page:
        page.on("request", lambda request: asked.append(request.url))
        answer = page.goto(f"{origin}{PAGE}?view=list&query=ar")
        policy = answer.headers["content-security-policy"]
        assert "img-src 'self' data: https://images.example.org;" in policy
        assert "unsafe-inline" not in policy
        assert page.locator("img.picture").count() == 3
        assert page.get_by_text("other.example.com").count() == 1
        assert faults(page) == []
        assert overflow(page) <= 0
        row = page.locator(".row[lang=ar]").first
        assert row.locator(".doc-title").evaluate("node => getComputedStyle(node).direction") == "rtl"
        assert page.locator("h1").evaluate("node => getComputedStyle(node).direction") == "rtl"
    assert all(url.startswith((origin, "data:")) for url in asked)
