"""Judging in a real browser while network, session or server fail: nothing is lost, nothing counts twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.at_the_page import held, pair, press, saved, until
from tests.web.judging.sample_shop import SLUG, sample_shop
from tests.web.judging.workbench import serving, session_cookie

from rankproof.judging.store.store import Store

pytestmark = pytest.mark.slow


@pytest.fixture
def served(store: Store, tmp_path: Path) -> Iterator[tuple[Starlette, str]]:
    sample_shop(store, tmp_path)
    with serving(store) as found:
        yield found


def test_nothing_is_lost_while_the_network_is_gone(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    context = browser.new_context()
    context.add_cookies([session_cookie(app, origin, "ann", "judge")])
    page = context.new_page()
    page.goto(f"{origin}/p/{SLUG}/judge")
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    judged = [press(page, key) for key in "1230"]
    page.wait_for_selector("#trouble:not([hidden])")
    assert "What you judge is kept on this device" in page.inner_text("#trouble")
    assert "4 not saved yet" in page.inner_text("#saving")
    assert held(store) == {}
    # The network is back but the server takes nothing: what waits outlives the page.
    page.route("**/judgments", lambda route: route.abort())
    context.set_offline(False)
    page.reload()
    until(page, "document.getElementById('saving').textContent.includes('4 not saved yet')")
    page.unroute("**/judgments")
    # A server that breaks after it has kept the act: the act is sent again, and is one act.
    answers = iter([False])

    def answer(route: Any) -> None:
        if next(answers, True):
            route.continue_()
        else:
            route.fetch()
            route.abort()

    page.route("**/judgments", answer)
    saved(page)
    page.wait_for_selector("#trouble", state="hidden")
    assert held(store) == dict(zip(judged, (1, 2, 3, 0), strict=True))
    assert len(store.judgments.history(SLUG)) == 4
    page.wait_for_selector(".pair")
    assert pair(page) not in judged
    assert page.evaluate("Object.keys(localStorage).filter(name => name.includes('.act.')).length") == 0
    context.close()


def test_who_was_signed_out_goes_on_where_they_were(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    context = browser.new_context()
    context.add_cookies([session_cookie(app, origin, "ann", "judge")])
    page = context.new_page()
    page.goto(f"{origin}/p/{SLUG}/judge")
    page.wait_for_load_state("networkidle")
    context.clear_cookies()
    judged = [press(page, "2"), press(page, "3")]
    page.get_by_role("button", name="Sign in again").click()
    page.wait_for_url("**/sign-in?next=*")
    assert held(store) == {}
    context.add_cookies([session_cookie(app, origin, "ann", "judge")])
    page.goto(f"{origin}/p/{SLUG}/judge")
    saved(page)
    assert held(store) == dict(zip(judged, (2, 3), strict=True))
    context.close()


def test_what_the_server_refuses_is_said_and_comes_back(
    browser: Any, served: tuple[Starlette, str], store: Store
) -> None:
    app, origin = served
    context = browser.new_context()
    context.add_cookies([session_cookie(app, origin, "ann", "judge")])
    page = context.new_page()
    page.goto(f"{origin}/p/{SLUG}/judge")
    page.wait_for_load_state("networkidle")
    body = '{"error": {"type": "invalid", "message": "The scale has no grade 3.", "remedy": "It has: 0, 1."}}'
    page.route("**/judgments", lambda route: route.fulfill(status=422, body=body, content_type="application/json"))
    refused = press(page, "3")
    page.wait_for_selector("#trouble:not([hidden])")
    assert "The scale has no grade 3. It has: 0, 1." in page.inner_text("#trouble")
    page.unroute("**/judgments")
    seen = [press(page, "1") for _ in range(3)]
    saved(page)
    assert refused in seen
    assert held(store) == dict.fromkeys(seen, 1)
    context.close()
