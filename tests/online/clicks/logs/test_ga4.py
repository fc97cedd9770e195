"""Events of Google Analytics 4, as BigQuery exports them, by the mapping that is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.online.clicks.logs.writing import gone, jsonl, shown
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.online.clicks.logs.layout import description_of
from rankproof.online.clicks.read import read_log


def event(name: str, items: list[Any] | None = None, at: int = 0, user: str = "u1", **params: str | int) -> Any:
    """An event as the export writes it: numbers are texts, and each value has a type."""
    typed = [
        {"key": key, "value": {"int_value": str(one)} if isinstance(one, int) else {"string_value": one}}
        for key, one in {"ga_session_id": 1767600000, **params}.items()
    ]
    return {
        "event_date": "20260105",
        "event_timestamp": str(1767603600000000 + at * 1_000_000),
        "event_name": name,
        "event_params": typed,
        "user_pseudo_id": user,
        "items": items or [],
        "device": {"category": "mobile", "web_info": {"browser": "Chrome"}},
    }


def listed(*docs: str, first: int = 0) -> list[dict[str, Any]]:
    return [{"item_id": doc, "item_name": doc.upper(), "index": str(at)} for at, doc in enumerate(docs, start=first)]


SHOES = {"search_term": "red  shoes"}


def test_a_search_with_its_list_clicks_and_conversions(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "ga4.jsonl",
        event("session_start"),
        event("view_search_results", **SHOES),
        event("view_item_list", listed("a", "b", "c"), 1, **SHOES),
        event("select_item", listed("b"), 5, **SHOES),
        event("add_to_cart", listed("b"), 9, **SHOES),
        event("purchase", listed("b"), 60),
        event("view_item_list", listed("c", "a", first=1), 1, user="u2", **SHOES),
        event("select_item", listed("c"), -60, user="u2", **SHOES),
    )
    log = read_log([path])
    assert shown(log) == ["0 red shoes: a b+c$ c", "1 red shoes: c a"]
    assert gone(log) == {"click_early": (0, 1)}
    assert log.times is not None
    assert log.times.tolist() == [1767603600.0, 1767603601.0]
    assert log.pages.sessions is not None
    assert log.pages.sessions.tolist() == [0, 1]
    assert log.notes == (
        "ga4: view_item_list show, select_item click, add_to_cart and purchase convert; the query is search_term, a "
        "page "
        "is user, session and search_term",
        "times: numbers of the epoch in microseconds, told by their size",
        "passed over: 1 events session_start",
        "passed over: 1 events purchase without a page and without a query",
    )


def test_a_stated_mapping(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "ga4.jsonl",
        event("search_shown", [{"sku": "a"}, {"sku": "b"}], search_id="s1", term="shoes"),
        event("open", [{"sku": "b"}], search_id="s1"),
        event("search_shown", [{"sku": "b"}, {"sku": "a"}], search_id="s2", term="shoes"),
        event("buy", [{"sku": "a", "search_id": "s2"}]),
    )
    mapping = {
        "page": "search_id", "query": "term", "item": "sku", "impressions": ["search_shown"], "clicks": ["open"],
        "conversions": ["buy"],
    }  # fmt: skip
    log = read_log([path], description_of({"layout": "ga4", "ga4": mapping}, "ga4.toml"))
    assert shown(log) == ["0 shoes: a b+c", "1 shoes: b a+$"]


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for change, words in (
        ({"items": "a"}, ["line 1", "items", "'a'"]),
        ({"event_params": "a"}, ["line 1", "event_params", "'a'"]),
        ({"items": [{"item_id": "a", "index": "first"}]}, ["line 1", "items.index", "'first'"]),
        ({"items": [{"item_name": "a"}]}, ["line 1", "items.item_id"]),
        ({"event_timestamp": "noon"}, ["line 1", "event_timestamp", "'noon'"]),
    ):
        row = {**event("view_item_list", listed("a"), **SHOES), **change}
        with raises(InputError, *words):
            read_log([jsonl(tmp_path / "bad.jsonl", row)])
    with raises(UnknownName, "click", "clicks"):
        description_of({"ga4": {"click": ["a"]}}, "ga4.toml")
    with raises(UsageError, "ga4.toml", "page"):
        description_of({"ga4": {"page": ["a"]}}, "ga4.toml")
    with raises(UsageError, "ga4.toml", "clicks", "events"):
        description_of({"ga4": {"clicks": "a"}}, "ga4.toml")
