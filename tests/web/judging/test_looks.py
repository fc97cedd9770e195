"""The pages around judging in a real browser: axe, phone width, light and dark, by keyboard alone, without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.looks import every_look, faults, opened, overflow
from tests.web.judging.workbench import serving, session_cookie

from rankproof.judging.store.store import Store
from rankproof.web.security.accounts import invite

pytestmark = pytest.mark.slow
PAGES = ["/", "/p/shop/settings", "/people", "/people/audit", "/api/docs"]


@pytest.fixture
def served(shop: Store) -> Iterator[tuple[Starlette, str]]:
    with serving(shop) as found:
        yield found


@every_look
def test_pages_are_accessible_and_fit(browser: Any, served: tuple[Starlette, str], width: int, scheme: str) -> None:
    app, origin = served
    cookie = session_cookie(app, origin, "ada", "admin")
    with opened(browser, cookie, width, scheme) as page:
        for path in PAGES:
            page.goto(origin + path)
            assert faults(page) == [], path
            assert overflow(page) <= 0, path
            background = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(18, 22, 27)")
    with opened(browser, None, width, scheme) as page:
        for path in ("/sign-in", invite(app.state.context, "judge", "ada").removeprefix(origin)):
            page.goto(origin + path)
            assert faults(page) == [], path
            assert overflow(page) <= 0, path


def test_from_the_invitation_to_the_first_project_by_keyboard(browser: Any, served: tuple[Starlette, str]) -> None:
    app, origin = served
    with opened(browser, None) as page:
        page.goto(invite(app.state.context, "admin", ""))
        page.wait_for_selector("input:focus")  # the first field has the focus
        page.keyboard.type("grace")
        page.keyboard.press("Tab")
        page.keyboard.type("a sentence that is long")
        page.keyboard.press("Enter")
        page.wait_for_url(origin + "/")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "The shop"
        page.focus("#slug")
        page.keyboard.type("boots")
        page.keyboard.press("Enter")
        page.wait_for_url(origin + "/p/boots/settings")
        assert page.get_by_role("heading", name="Settings").is_visible()
        # The menu opens and closes by keyboard, and gives the focus back.
        page.focus(".menu summary")
        page.keyboard.press("Enter")
        assert page.get_by_role("button", name="Sign out").is_visible()
        page.keyboard.press("Escape")
        assert not page.get_by_role("button", name="Sign out").is_visible()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(origin + "/sign-in")


def test_forms_work_without_scripts(browser: Any, served: tuple[Starlette, str]) -> None:
    app, origin = served
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([session_cookie(app, origin, "ada", "admin")])
    page = context.new_page()
    page.goto(origin + "/people")
    page.fill("[name=person]", "zoe")
    page.get_by_role("button", name="Make a link", exact=True).click()
    assert page.locator("#link").input_value().startswith(f"{origin}/invitation/")
    context.close()


def test_closing_an_account_asks_first(browser: Any, served: tuple[Starlette, str], shop: Store) -> None:
    app, origin = served
    session_cookie(app, origin, "judy", "judge")
    with opened(browser, session_cookie(app, origin, "ada", "admin")) as page:
        page.goto(origin + "/people")
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.get_by_role("button", name="Close the account judy").click()
        assert shop.accounts.get("judy").active
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Close the account judy").click()
        page.wait_for_load_state()
        assert not shop.accounts.get("judy").active


def test_the_focus_can_be_seen(browser: Any, served: tuple[Starlette, str]) -> None:
    _, origin = served
    with opened(browser, None) as page:
        page.goto(origin + "/sign-in")
        page.wait_for_function("document.activeElement.autofocus")  # else the browser tells that it came too late
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
