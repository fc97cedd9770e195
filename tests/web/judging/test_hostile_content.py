"""Markup and scripts in every text that people or files give: shown as text, everywhere."""

from __future__ import annotations

from typing import Any

import pytest
from tests.web.judging.workbench import Client, serving, session_cookie, signed_in

from rankproof.judging.records import Level, Project, Scale
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query
from rankproof.web.app import make_app

EVIL = """'"><script>window.hit=1;alert(1)</script><img src=x onerror="hit=2"><svg onload=alert(3)>{{7*7}}</title>"""
PAGES = ["/", "/p/evil/settings", "/people", "/people/audit", "/api/docs"]


@pytest.fixture
def evil(store: Store) -> Store:
    """A project in which every text is hostile."""
    scale = Scale(EVIL, (Level(0, EVIL, EVIL), Level(1, EVIL, EVIL)))
    store.projects.add(Project("evil", EVIL, scale, guidelines=EVIL), EVIL)
    store.items.add_queries("evil", [Query(EVIL, EVIL, {EVIL: EVIL})])
    store.items.add_documents("evil", [(EVIL, {"title": EVIL, "text": EVIL})])
    store.audit.add(EVIL, EVIL[:80], {EVIL: EVIL})
    return store


def is_text(page: str) -> bool:
    return not any(live in page for live in ("<script>window", "<img src=x", "<svg onload", ">49<"))


@pytest.mark.parametrize("path", PAGES)
def test_it_is_escaped_on_every_page(evil: Store, path: str) -> None:
    admin = signed_in(make_app(evil), "ada", "admin")
    answer = admin.get(path)
    assert answer.status_code == 200
    assert is_text(answer.text)
    if path != "/api/docs":
        assert "&lt;script&gt;window.hit=1" in answer.text
        assert "{{7*7}}" in answer.text


def test_what_is_echoed_is_escaped(evil: Store) -> None:
    app = make_app(evil)
    admin = signed_in(app, "ada", "admin")
    answers = [
        admin.submit("/projects", slug=EVIL, name=EVIL, scale=EVIL),
        admin.submit("/people/role", name=EVIL, role=EVIL),
        admin.submit("/p/evil/settings", levels=EVIL, wanted=EVIL),
        admin.get("/p/<script>window.hit=1<script>"),
        admin.submit("/sign-in", name=EVIL, password=EVIL, next=EVIL),
        admin.get("/sign-in", params={"next": EVIL}),
    ]
    assert all(is_text(answer.text) for answer in answers)


def test_the_api_gives_it_back_as_json_that_no_browser_takes_for_a_page(evil: Store) -> None:
    judge: Client = signed_in(make_app(evil), "judy", "judge")
    answer = judge.get("/api/v1/projects/evil/queries")
    assert answer.json()["queries"] == [{"query_id": EVIL, "text": EVIL, "columns": {EVIL: EVIL}}]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    act = {"key": "k" * 32, "query_id": EVIL, "doc_id": EVIL, "grade": 1, "note": EVIL}
    assert judge.act("/api/v1/projects/evil/judgments", act).status_code == 201


@pytest.mark.slow
def test_nothing_runs_in_a_browser(evil: Store, browser: Any) -> None:
    with serving(evil) as (app, origin):
        context = browser.new_context()
        context.add_cookies([session_cookie(app, origin, "ada", "admin")])
        page = context.new_page()
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        for path in PAGES:
            page.goto(origin + path)
            assert page.evaluate("window.hit") is None
            assert page.locator("script:not([src])").count() == 0
        assert wrong == []
        context.close()
