"""What was looked up a moment ago: good for a short time, and forgotten at once when something changes."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from tests.web.judging.workbench import Client

from rankproof.web import context as caches
from rankproof.web.context import TTLCache


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_value_is_looked_up_again_after_its_time() -> None:
    clock, asked = Clock(), []
    kept: TTLCache[int] = TTLCache(2.0, clock)

    def look() -> int:
        asked.append(clock.now)
        return len(asked)

    seen = []
    for moment in (0.0, 0.9, 2.1, 3.0):  # good for 1 to 2 seconds
        clock.now = moment
        seen.append(kept.look_up("a", look))
    assert (seen, asked) == ([1, 1, 2, 2], [0.0, 2.1])
    kept.clear()
    assert kept.look_up("a", look) == 3


def test_what_was_asked_before_a_change_is_not_remembered_after_it() -> None:
    kept: TTLCache[str] = TTLCache(2.0, Clock())

    def slow() -> str:
        kept.clear()  # somebody changes it while it is looked up
        return "old"

    assert kept.look_up("a", slow) == "old"
    assert kept.look_up("a", lambda: "new") == "new"


def test_one_looks_and_the_others_get_what_was_good_until_now() -> None:
    clock = Clock()
    kept: TTLCache[str] = TTLCache(2.0, clock)
    kept.look_up("a", lambda: "old")
    clock.now = 3.0
    seen = []

    def slow() -> str:
        seen.append(kept.look_up("a", lambda: "looked too"))  # somebody else, in the meantime
        return "new"

    assert kept.look_up("a", slow) == "new"
    assert seen == ["old"]
    assert kept.get("a") == "new"


def test_what_came_together_does_not_go_together() -> None:
    clock = Clock()
    kept: TTLCache[int] = TTLCache(2.0, clock)
    for i in range(100):
        kept.look_up(f"key {i}", lambda: 1)
    clock.now = 1.5
    assert 20 < sum(kept.get(f"key {i}") is not None for i in range(100)) < 80


def test_an_error_is_not_remembered() -> None:
    kept: TTLCache[int] = TTLCache(2.0, Clock())
    with pytest.raises(ZeroDivisionError):
        kept.look_up("a", lambda: 1 // 0)
    assert kept.look_up("a", lambda: 1) == 1


def test_it_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MOST_ENTRIES", 10)
    kept: TTLCache[int] = TTLCache(2.0, Clock())
    for i in range(95):
        kept.look_up(str(i), lambda: 1)
    assert len(kept._entries) == 5


def test_settings_hold_from_the_next_request_on(app: Starlette, admin: Client, judge: Client) -> None:
    from rankproof.web.pages.settings import as_fields

    sent = {"key": "k" * 8, "query_id": "q1", "doc_id": "d1", "grade": 9}
    assert judge.act("/api/v1/projects/shop/judgments", sent).status_code == 422
    fields = as_fields(app.state.context.store.projects.get("shop"))
    admin.submit("/p/shop/settings", **fields | {"levels": "0 | No\n1 | Yes\n9 | Very"})
    assert judge.act("/api/v1/projects/shop/judgments", sent).status_code == 201
