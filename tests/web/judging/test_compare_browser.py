"""Comparing in a real browser: three variants blind by keyboard alone, what the store then holds, and how it looks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.at_the_page import until
from tests.web.judging.looks import every_look, faults, opened, overflow
from tests.web.judging.workbench import serving, session_cookie

from rankproof.judging.preferences import shuffled
from rankproof.judging.records import Judgment, Mark, Preference, Project
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query
from rankproof.web.pages._compare_setup import ComparedVariant

pytestmark = pytest.mark.slow
NAMES = ("bm25", "dense", "hybrid")
HOSTILE = "<img src=x onerror=alert(1)>"
# Where to leave pictures of the pages; nowhere unless said.
PICTURES = os.environ.get("RANKPROOF_PICTURES")


@pytest.fixture
def served(store: Store) -> Iterator[tuple[Starlette, str]]:
    """A project with three runs of eight results, one text of which is full of markup."""
    store.projects.add(Project("shop", "Outdoor shop"), "setup")
    store.items.add_queries("shop", [
        Query("q1", "waterproof hiking boots", {"kind": "product"}),
        Query("q2", "light tent for two", {"kind": "product"}),
        Query("q3", "return policy", {"kind": "help"}),
    ])  # fmt: skip
    goods = (
        "Trail boots",
        "Leather boots",
        "Rain jacket",
        "Two-person tent",
        "Wool socks",
        "Gaiters",
        "Boot wax",
        "Poles",
    )
    story = "Made for long hiking days in the rain: waterproof, light, and easy to repair on the way."
    store.items.add_documents("shop", [
        (f"d{i}", {"title": name, "text": HOSTILE if i == 7 else f"{name}. {story}"}) for i, name in enumerate(goods, 1)
    ])  # fmt: skip
    docs = [f"d{i}" for i in range(1, 9)]
    turned = {"bm25": docs, "dense": docs[::-1], "hybrid": docs[3:] + docs[:3]}
    for name in NAMES:
        store.runs.add("shop", name, dict.fromkeys(("q1", "q2", "q3"), turned[name]), name)
    with serving(store) as found:
        yield found


def at(names: str, query: str = "q1", path: str = "") -> str:
    handles = ".".join(ComparedVariant(name).handle for name in NAMES)
    return f"/p/shop/compare{path}?v={handles}&names={names}&k=5&q={query}"


def picture(page: Any, name: str) -> None:
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{PICTURES}/{name}.png")


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.id"))


def press(page: Any, key: str, *, then: str) -> None:
    """Presses a key and waits for what it does; a new query has its moment in which no act is taken."""
    until(page, "document.getElementById('main').dataset.ready === 'true'")
    page.keyboard.press(key)
    page.wait_for_selector(then)


def test_three_variants_blind_by_keyboard(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "judy", "judge")) as page:
        page.goto(origin + at("hidden"))
        assert not any(name in page.content() for name in NAMES)
        # To the second result of the second side, which is picked; the first of the third is flagged.
        for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
            page.keyboard.press(key)
        assert focused(page) == "r2-2"
        press(page, "p", then="#r2-2.picked")
        assert focused(page) == "r2-2"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowUp")
        assert focused(page) == "r3-1"
        page.keyboard.press("f")
        page.keyboard.type("dup")  # chooses "duplicate"
        page.keyboard.press("Tab")
        page.keyboard.type("seen before")
        press(page, "Enter", then="#r3-1.flagged")
        assert focused(page) == "r3-1"
        press(page, "2", then="[data-query=q2]")
        press(page, "0", then="[data-query=q3]")
        press(page, "[", then="[data-query=q2]")
        press(page, "u", then=".verdict:not(:has([data-key=u]))")
        press(page, "3", then="[data-query=q3]")
        press(page, "1", then="[data-query=q3] .side.preferred")
        assert not any(name in page.content() for name in NAMES)
    order = {query: shuffled(NAMES, "judy", query) for query in ("q1", "q2", "q3")}
    ranked = {name: store.runs.whole("shop", name)["q1"] for name in NAMES}
    second, third = order["q1"][1], order["q1"][2]
    assert [(m.kind, m.doc_id, m.reason, m.note, m.variant) for m in store.marks.current("shop")] == [
        ("pick", ranked[second][1], "", "", second),
        ("flag", ranked[third][0], "duplicate", "seen before", third),
    ]
    assert [(p.query_id, p.preferred, p.variants, p.blind) for p in store.preferences.current("shop")] == [
        ("q1", order["q1"][1], order["q1"], True),
        ("q2", order["q2"][2], order["q2"], True),
        ("q3", order["q3"][0], order["q3"], True),
    ]
    assert len(store.preferences.history("shop")) == 5  # one was taken back, and said again
    assert len(store.marks.history("shop")) == 2


def test_names_come_once_the_preference_is_given(browser: Any, served: tuple[Starlette, str]) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "judy", "judge")) as page:
        page.goto(origin + at("after"))
        press(page, "1", then=".side.preferred")
        headings = page.locator(".side h2").all_inner_texts()
        assert [text.split()[-1] for text in headings] == list(shuffled(NAMES, "judy", "q1"))


def test_the_same_without_scripts(browser: Any, served: tuple[Starlette, str], store: Store) -> None:
    app, origin = served
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([session_cookie(app, origin, "judy", "judge")])
    page = context.new_page()
    page.goto(origin + "/p/shop/compare")
    page.get_by_label("hybrid").check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("button", name="Pick result 1 of side A").click()
    page.locator("#r2-1 summary").click()
    page.locator("#r2-1 select").select_option("off topic")
    page.locator("#r2-1").get_by_role("button", name="Flag it").click()
    page.locator(".verdict [value='0']").click()
    assert [(mark.kind, mark.reason) for mark in store.marks.current("shop")] == [("pick", ""), ("flag", "off topic")]
    assert [said.preferred for said in store.preferences.current("shop")] == [None]
    context.close()


@every_look
def test_it_is_accessible_and_fits(
    browser: Any, served: tuple[Starlette, str], store: Store, width: int, scheme: str
) -> None:
    app, origin = served
    said = [("q1", "bm25"), ("q2", "hybrid"), ("q3", "bm25")]
    store.preferences.add_many(
        "shop", [Preference(f"said-{n:05}", "judy", query, NAMES, best, True) for n, (query, best) in enumerate(said)]
    )
    store.marks.add("shop", Mark("mark-0001", "pick", "judy", "q1", "d1", variant="bm25"))
    store.marks.add("shop", Mark("mark-0002", "flag", "judy", "q1", "d8", "off topic", "poles", "dense"))
    store.judgments.add_many("shop", [Judgment(f"grade-{i:04}", "ann", "q1", f"d{i}", i % 4) for i in range(1, 6)])
    pages = {
        "setup": "/p/shop/compare",
        "blind": at("hidden"),
        "names": at("after"),
        "summary": at("after", path="/summary"),
    }
    with opened(browser, session_cookie(app, origin, "judy", "reviewer"), width, scheme) as page:
        for name, path in pages.items():
            page.goto(origin + path)
            if name == "blind":
                page.locator("#r1-2 summary").click()
            assert faults(page) == [], path
            assert overflow(page) <= 0, path
            picture(page, f"{name}-{width}-{scheme}")
    with opened(browser, session_cookie(app, origin, "vic", "viewer"), width, scheme) as page:
        page.goto(origin + pages["names"])
        assert faults(page) == []
        assert overflow(page) <= 0
