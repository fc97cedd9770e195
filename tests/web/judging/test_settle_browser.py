"""In a real browser: a disagreement is settled by keyboard, qrels are exported, and they evaluate to known numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.disputed import QRELS, VALUES, dispute
from tests.web.judging.looks import every_look, faults, opened, overflow
from tests.web.judging.test_explore import comparison
from tests.web.judging.workbench import serving, session_cookie

from rankproof.judging.store.store import Store

pytestmark = pytest.mark.slow
PAGES = {
    "explore": "/p/shop/explore",
    "queries": "/p/shop/explore/queries?measure=nDCG@10&run=dense&against=bm25",
    "query": "/p/shop/explore/query?query=q1&run=dense&against=bm25",
    "settle": "/p/shop/settle?show=all",
    "transfer": "/p/shop/transfer",
}
# Where pictures of the pages go; nowhere unless somebody wants them.
PICTURES = os.environ.get("RANKPROOF_PICTURES", "")


@pytest.fixture
def served(shop: Store) -> Iterator[tuple[Starlette, str]]:
    dispute(shop)
    with serving(shop) as found:
        yield found


def press(page: Any, label: str) -> None:
    """Goes to a button by Tab and presses it."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText") == label:
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
    raise AssertionError(f"no {label!r} within reach of the keyboard")


def test_settle_export_evaluate(browser: Any, served: tuple[Starlette, str], shop: Store, tmp_path: Path) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "ada", "admin")) as page:
        page.goto(origin + "/p/shop/settle")
        first = page.locator(".dispute").first
        assert "red shoes" in first.inner_text()
        page.focus("#note-1")
        page.keyboard.type("Half of it is about shoes.")
        press(page, "2 Relevant")
        # The pair is gone from the list; q1 d5 and q2 d3 are left.
        assert page.locator(".dispute").count() == 2
        coat = page.locator(".dispute", has_text="rain coat")
        coat.get_by_role("button", name="1 Related").click()
        page.wait_for_load_state()
        assert page.locator(".dispute").count() == 1
        page.get_by_role("link", name="Export these qrels").click()
        page.wait_for_url(origin + "/p/shop/transfer")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export qrels").click()
        target = tmp_path / download.value.suggested_filename
        download.value.save_as(target)
    assert target.read_text() == QRELS
    held = shop.judgments.current("shop", judge="ada")
    assert [(act.doc_id, act.grade, act.note) for act in held] == [
        ("d3", 2, "Half of it is about shoes."),
        ("d3", 1, ""),
    ]
    for run, values in VALUES.items():
        (tmp_path / f"{run}.json").write_text(json.dumps(shop.runs.whole("shop", run)))
        command = [sys.executable, "-m", "rankproof", "evaluate", str(target), str(tmp_path / f"{run}.json")]
        told = subprocess.run(
            [*command, "-m", " ".join(values), "--json"], capture_output=True, text=True, timeout=120, check=True
        )
        measured = json.loads(told.stdout)["evaluations"][0]["measures"]
        assert {name: found["value"] for name, found in measured.items()} == pytest.approx(values, abs=1e-7)


@every_look
def test_pages_are_accessible_and_fit(browser: Any, served: tuple[Starlette, str], width: int, scheme: str) -> None:
    app, origin = served
    store = app.state.context.store
    kept = store.experiments.add("shop", "comparison", "b against a", json.loads(comparison()), "ada")
    report = f"/p/shop/explore/report?id={kept}"
    pages = PAGES | {"report": report, "report-queries": f"{report}&measure=nDCG@10"}
    with opened(browser, session_cookie(app, origin, "ada", "admin"), width, scheme) as page:
        for name, path in pages.items():
            page.goto(origin + path)
            for details in page.locator("details.result").all()[:2]:
                details.locator("summary").click()
            assert faults(page) == [], path
            assert overflow(page) <= 0, path
            background = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(18, 22, 27)")
            if PICTURES:
                page.screenshot(path=Path(PICTURES) / f"{name}-{width}-{scheme}.png", full_page=True)


def test_two_clicks_from_a_number_to_a_document(browser: Any, served: tuple[Starlette, str]) -> None:
    app, origin = served
    with opened(browser, session_cookie(app, origin, "rita", "reviewer")) as page:
        page.goto(origin + "/p/shop/explore")
        row = page.get_by_role("row", name="bm25").first
        row.get_by_role("link").first.click()
        page.get_by_role("link", name="rain coat").click()
        assert page.get_by_role("heading", name="rain coat").is_visible()
        result = page.get_by_role("region", name="bm25").locator("details").first
        assert "Thing 1" in result.inner_text()
        result.locator("summary").click()
        assert result.get_by_text("Grade 0 (3 of 3): ann 0, bob 0, cyd 0").is_visible()
