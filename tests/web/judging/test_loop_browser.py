"""In a real browser: the whole loop, from an empty project to measured runs, by keyboard and by touch; how it looks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.at_the_page import ready
from tests.web.judging.looks import every_look, faults, opened, overflow
from tests.web.judging.test_inbox import filled
from tests.web.judging.workbench import enlist, serving, session_cookie

from rankproof.judging.rounds.closed import is_closed
from rankproof.judging.store.store import Store
from rankproof.web.model_jobs import OfferedModel

pytestmark = pytest.mark.slow
PICTURES = os.environ.get("RANKPROOF_PICTURES", "")
HERE = "/p/shop/project"
PAGES = {
    "project": HERE,
    "files": f"{HERE}/files",
    "hand-out": f"{HERE}/hand-out",
    "models": f"{HERE}/models",
    "results": f"{HERE}/results",
    "inbox": "/p/shop/inbox",
}
FILES = {
    "queries": ("queries.tsv", "q1\tred shoes\nq2\train coat\n"),
    "documents": ("corpus.jsonl", "".join(f'{{"_id": "d{i}", "title": "Thing {i}"}}\n' for i in range(1, 5))),
    "run": ("old.run", "".join(f"{q} Q0 d{i} {i} {9 - i} old\n" for q in ("q1", "q2") for i in (1, 2))),
}
OTHER = ("new.run", "".join(f"{q} Q0 d{3 - i} {i} {9 - i} new\n" for q in ("q1", "q2") for i in (1, 2)))


@pytest.fixture
def served(store: Store) -> Iterator[tuple[Starlette, str]]:
    with serving(store) as found:
        yield found


class ByKeyboard:
    """Goes to what has a name by Tab, and presses a key there."""

    touch = False

    def __init__(self, page: Any) -> None:
        self.page = page

    def reach(self, selector: str) -> None:
        """Tabs until the focus is there."""
        self.page.evaluate("document.activeElement.blur()")
        for _ in range(120):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
                return
        raise AssertionError(f"no {selector} within reach of the keyboard")

    def press(self, selector: str) -> None:
        """Presses a button or follows a link, and waits for the page."""
        self.reach(selector)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def tick(self, selector: str) -> None:
        """Ticks a box."""
        self.reach(selector)
        self.page.keyboard.press("Space")

    def write(self, selector: str, text: str) -> None:
        """Writes into a field, in the place of what is there."""
        self.reach(selector)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)


class ByTouch(ByKeyboard):
    """The same with a finger."""

    touch = True

    def press(self, selector: str) -> None:
        """Taps, and waits for the page."""
        with self.page.expect_navigation():
            self.page.locator(selector).first.tap()

    def tick(self, selector: str) -> None:
        """Taps a box."""
        self.page.locator(selector).first.tap()

    def write(self, selector: str, text: str) -> None:
        """Taps a field and writes."""
        self.page.locator(selector).first.tap()
        self.page.locator(selector).first.fill(text)


@pytest.mark.full
@pytest.mark.parametrize(("hand", "width"), [(ByKeyboard, 1280), (ByTouch, 375)])
def test_the_whole_loop(
    browser: Any, served: tuple[Starlette, str], store: Store, tmp_path: Path, hand: type[ByKeyboard], width: int
) -> None:
    app, origin = served
    looks = {"viewport": {"width": width, "height": 800}, "has_touch": hand.touch}

    def signed(name: str, role: Any) -> Any:
        context = browser.new_context(**looks)
        context.add_cookies([session_cookie(app, origin, name, role)])
        return hand(context.new_page())

    judges = {name: signed(name, "judge") for name in ("ana", "bo")}
    ada = signed("ada", "admin")
    page = ada.page
    page.goto(origin)
    ada.write("#slug", "tour")
    ada.press("button.first")
    for name in judges:
        store.memberships.put(name, "tour", "judge", "setup")

    for what, (name, content) in [*FILES.items(), ("run", OTHER)]:
        page.goto(f"{origin}/p/tour/project/files")
        (tmp_path / name).write_text(content)
        page.set_input_files("#file", tmp_path / name)
        page.check(f"input[value={what}]")
        ada.press("form button.first")
        assert "added" in page.locator("[role=status]").first.inner_text()
        assert overflow(page) <= 0

    page.goto(f"{origin}/p/tour/project")
    ada.press(".step.next h2 a")
    for name in judges:
        ada.tick(f"input[value={name}]")
    ada.write("#pairs", "4")
    ada.write("#overlap", "4")
    ada.press("button[value=look]")
    assert "ana: 4 pairs" in page.locator("section.note").inner_text()
    ada.press("button[value=give]")
    assert len(store.assignments.all("tour")) == 8

    for name, judge in judges.items():
        judge.page.goto(f"{origin}/p/tour/judge")
        for n in range(4):
            judge.page.wait_for_selector(".pair")
            before = judge.page.eval_on_selector(".pair", "node => node.dataset.query + ' ' + node.dataset.doc")
            grade = "3" if name == "ana" and n == 0 else "1"
            ready(judge.page)
            if hand.touch:
                judge.page.wait_for_timeout(600)  # two taps within half a second are a double click, which judges once
                judge.page.locator(f"button[name=grade][value='{grade}']").tap()
            else:
                judge.page.keyboard.press(grade)
            for _ in range(500):
                judge.page.wait_for_timeout(20)
                now = judge.page.query_selector(".pair")
                if now is None or f"{now.get_attribute('data-query')} {now.get_attribute('data-doc')}" != before:
                    break
        for _ in range(500):
            if len(store.judgments.current("tour", judge=name)) == 4:
                break
            judge.page.wait_for_timeout(20)
    assert len(store.judgments.current("tour")) == 8

    page.goto(f"{origin}/p/tour/project")
    assert "ana: 4 of 4" in page.inner_text("main")
    ada.press("a[href$='/p/tour/inbox']")
    assert "Disagreement" in page.locator(".item").first.inner_text()
    ada.write(".item input[name=note]", "Half of it.")
    ada.press(".item button[value='grade:2']")
    assert "Nothing waits here" in page.inner_text("main")

    page.goto(f"{origin}/p/tour/project")
    ada.write("#note", "all four")
    ada.press("form[action$='/round'] button")
    assert is_closed(store, "tour")

    page.goto(f"{origin}/p/tour/project")
    ada.press("a[href$='/p/tour/transfer']")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export qrels").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert len(lines) == 4
    assert sum(line.endswith(" 2") for line in lines) == 1

    page.goto(f"{origin}/p/tour/project")
    ada.press("a[href$='/project/results']")
    table = page.get_by_role("region", name="Values").inner_text()
    assert "old" in table
    assert "new" in table
    assert page.get_by_role("region", name="Comparison").is_visible()
    assert overflow(page) <= 0


@every_look
def test_pages_are_accessible_and_fit(browser: Any, shop: Store, width: int, scheme: str) -> None:
    filled(shop)
    shop.assignments.add("shop", [])
    offer = {"small": OfferedModel(endpoint="http://127.0.0.1:9/v1", model="m")}
    with serving(shop, models=offer) as (app, origin):
        cookie = session_cookie(app, origin, "rita", "reviewer")
        enlist(shop, "ana", "judge")
        enlist(shop, "bo-with-a-rather-long-name", "judge")
        with opened(browser, cookie, width, scheme) as page:
            for name, path in PAGES.items():
                page.goto(origin + path)
                if name == "hand-out":
                    page.check("input[value=ana]")
                    page.fill("#pairs", "3")
                    page.click("button[value=look]")
                    page.wait_for_selector("section.note")
                assert faults(page) == [], path
                assert overflow(page) <= 0, path
                if PICTURES:
                    page.screenshot(path=Path(PICTURES) / f"{name}-{width}-{scheme}.png", full_page=True)
