"""What a judge does at the page, for tests in a browser: look, press a key, wait until it is saved."""

from __future__ import annotations

from typing import Any

from tests.web.judging.sample_shop import SLUG

from rankproof.judging.store.store import Store


def pair(page: Any) -> tuple[str, str]:
    """What the page shows."""
    return tuple(page.eval_on_selector(".pair", "node => [node.dataset.query, node.dataset.doc]"))


def until(page: Any, expression: str, arg: Any = None) -> None:
    """Waits until something holds on the page; Playwright's own way is refused by the page's policy."""
    for _ in range(1000):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(10)
    raise AssertionError(f"never: {expression}")


def ready(page: Any) -> None:
    """Waits until a key is meant for the document that is there: the first moments after it appeared are for slips."""
    until(page, "document.getElementById('judge').dataset.ready === 'true'")


def press(page: Any, key: str) -> tuple[str, str]:
    """Judges by a key and waits for the next; the pair that was judged."""
    before = pair(page)
    ready(page)
    page.keyboard.press(key)
    page.wait_for_selector(".pair, #nothing:not([hidden])")
    assert not page.query_selector(".pair") or pair(page) != before
    return before


def saved(page: Any) -> None:
    until(page, "document.getElementById('saving').textContent === 'Saved'")


def held(store: Store) -> dict[tuple[str, str], int | str | None]:
    return {(j.query_id, j.doc_id): j.reason or j.grade for j in store.judgments.current(SLUG)}
