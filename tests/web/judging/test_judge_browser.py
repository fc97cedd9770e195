"""Judging in a real browser: by keyboard alone, on a phone, without scripts; axe finds nothing serious."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.at_the_page import held, pair, press, ready, saved, until
from tests.web.judging.looks import every_look, faults, opened, overflow
from tests.web.judging.sample_shop import SLUG, sample_shop
from tests.web.judging.workbench import serving, session_cookie

from rankproof.judging.store.store import Store

pytestmark = pytest.mark.slow
GRADES = "231030123203213302101233021032"


@pytest.fixture
def served(store: Store, tmp_path: Path) -> Iterator[tuple[Starlette, str]]:
    sample_shop(store, tmp_path)
    with serving(store) as found:
        yield found


def test_thirty_pairs_by_keyboard_with_undo_flag_and_pick(
    browser: Any, served: tuple[Starlette, str], store: Store
) -> None:
    app, origin = served
    expected: dict[tuple[str, str], int | str | None] = {}
    with opened(browser, session_cookie(app, origin, "ann", "judge")) as page:
        page.goto(f"{origin}/p/{SLUG}/judge")
        for number, grade in enumerate(GRADES, 1):
            ready(page)
            if number == 7:
                flagged = pair(page)
                page.keyboard.press("f")
                page.keyboard.press("2")
                page.wait_for_selector("[value=flag][aria-pressed=true]")
            if number == 9:
                picked = pair(page)
                page.keyboard.press("p")
                page.wait_for_selector("[value=pick][aria-pressed=true]")
            if number == 12:  # a wrong key, taken back twice, said again
                wrong, more = press(page, "0"), press(page, "1")
                page.keyboard.press("u")
                assert pair(page) == more
                page.keyboard.press("u")
                assert pair(page) == wrong
            if number == 15:
                page.keyboard.press("n")
                page.keyboard.type("2 of 3 say so, undo? no")  # letters and digits of a note judge nothing
                page.keyboard.press("Escape")
                noted = pair(page)
            judged = press(page, grade)
            assert judged not in expected
            expected[judged] = int(grade)
        expected[press(page, "c")] = "cannot_tell"
        expected[press(page, "l")] = "later"
        saved(page)
        assert page.inner_text("[data-count=mine]") == "31"
    assert len(expected) == 32
    assert held(store) == expected
    assert [(m.kind, (m.query_id, m.doc_id), m.reason) for m in store.marks.current(SLUG)] == [
        ("flag", flagged, "wrong or outdated"), ("pick", picked, ""),
    ]  # fmt: skip
    assert {(j.query_id, j.doc_id): j.note for j in store.judgments.current(SLUG) if j.note} == {
        noted: "2 of 3 say so, undo? no"
    }


def test_a_page_that_is_loaded_again_keeps_its_place_and_can_undo(
    browser: Any, served: tuple[Starlette, str], store: Store
) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ann", "judge")) as page:
        page.goto(f"{origin}/p/{SLUG}/judge")
        done = [press(page, key) for key in "213"]
        here = pair(page)
        saved(page)
        page.reload()
        assert pair(page) == here
        assert "3 Exact" in page.inner_text("#last")
        page.keyboard.press("u")
        until(page, "d => document.querySelector('.pair').dataset.doc === d", done[-1][1])
        assert press(page, "0") == done[-1]
        assert pair(page) == here
        saved(page)
    assert list(held(store).values()) == [2, 1, 0]


def test_a_double_click_judges_once_and_a_held_key_too(
    browser: Any, served: tuple[Starlette, str], store: Store
) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ann", "judge")) as page:
        page.goto(f"{origin}/p/{SLUG}/judge")
        page.dblclick("button[value='2']")
        saved(page)
        ready(page)
        page.keyboard.down("1")
        page.keyboard.down("1")  # what a key that is held down sends
        page.keyboard.up("1")
        saved(page)
    assert list(held(store).values()) == [2, 1]


def test_keys_can_be_turned_off(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ann", "judge")) as page:
        page.goto(f"{origin}/p/{SLUG}/judge")
        page.keyboard.press("g")
        assert page.get_by_role("dialog").is_visible()
        assert "Think of somebody who typed" in page.get_by_role("dialog").inner_text()
        page.keyboard.press("2")  # judges nothing while the guidelines are open
        page.keyboard.press("?")  # opens nothing over them
        page.keyboard.press("g")
        page.keyboard.press("?")
        page.get_by_label("Judge by keys").uncheck()
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        page.reload()
        page.keyboard.press("2")
        assert held(store) == {}
        page.get_by_role("button", name="Exact").focus()
        page.keyboard.press("Enter")
        saved(page)
    assert list(held(store).values()) == [3]


def test_the_list_by_keyboard(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ann", "judge")) as page:
        page.goto(f"{origin}/p/{SLUG}/judge?view=list")
        rows = page.eval_on_selector_all(".row", "rows => rows.map(row => [row.dataset.query, row.dataset.doc])")
        for key in ("3", "0", "j", "2", "k", "k", "1"):  # the third is passed over at first
            ready(page)
            page.keyboard.press(key)
        page.keyboard.press("u")
        page.keyboard.press("p")
        saved(page)
        assert page.locator(".row.said").count() == 3
        page.reload()
        assert page.locator("[name=grade][aria-pressed=true]").count() == 3
    expected = {tuple(rows[0]): 3, tuple(rows[1]): 0, tuple(rows[3]): 2}
    assert held(store) == expected
    assert [(m.query_id, m.doc_id) for m in store.marks.current(SLUG, kind="pick")] == [tuple(rows[2])]


def test_without_scripts(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([session_cookie(app, origin, "ann", "judge")])
    page = context.new_page()
    page.goto(f"{origin}/p/{SLUG}/judge")
    for name in ("Exact", "Irrelevant", "Flag", "Later", "Undo"):
        page.get_by_role("button", name=name).click()
    page.get_by_role("link", name="Guidelines").click()
    assert page.get_by_text("Think of somebody who typed").is_visible()
    page.get_by_role("link", name="List").click()
    page.get_by_role("button", name="Substitute").first.click()
    assert sorted(map(str, held(store).values())) == ["0", "2", "3"]
    assert [mark.kind for mark in store.marks.current(SLUG)] == ["flag"]
    context.close()


@every_look
def test_it_is_accessible_and_fits(browser: Any, served: tuple[Starlette, str], width: int, scheme: str) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ann", "judge"), width, scheme) as page:
        page.goto(f"{origin}/p/{SLUG}/judge")
        for key in "21":
            press(page, key)
        saved(page)
        for step in ("", "n", "Escape", "p", "f", "Escape", "g"):
            if step:
                page.keyboard.press(step)
                page.wait_for_timeout(50)
            assert faults(page) == [], step
            assert overflow(page) <= 0, step
        page.goto(f"{origin}/p/{SLUG}/judge?view=list")
        page.keyboard.press("3")
        saved(page)
        assert faults(page) == []
        assert overflow(page) <= 0
        if width == 375:  # what a thumb has to hit
            page.goto(f"{origin}/p/{SLUG}/judge")
            sizes = page.eval_on_selector_all(
                "#act button, #act .button",
                "nodes => nodes.map(n => n.getBoundingClientRect()).map(box => [box.width, box.height])",
            )
            assert all(wide >= 44 and high >= 40 for wide, high in sizes)


def test_when_everything_is_judged_it_says_so(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    from dataclasses import replace

    app, origin = served
    app.state.context.change_project(
        replace(store.projects.get(SLUG), selection="depth_pool(depth=1, pairs=3)"), "setup"
    )
    with opened(browser, session_cookie(app, origin, "ann", "judge")) as page:
        page.goto(f"{origin}/p/{SLUG}/judge")
        first = press(page, "l")
        press(page, "2"), press(page, "2")
        assert pair(page) == first
        assert page.get_by_text("set aside before").is_visible()
        press(page, "3")
        page.wait_for_selector("#nothing:not([hidden])")
        assert "Nothing is left for you" in page.inner_text("#nothing")
        assert page.is_hidden(".grades")
        page.keyboard.press("u")
        assert pair(page) == first
        press(page, "1")
        saved(page)
    assert sorted(held(store).values()) == [1, 2, 2]
