"""User Behavior Insights: queries and events as OpenSearch keeps them, in two files or in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.online.clicks.logs.writing import csv, gone, jsonl, shown
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.online.clicks.logs.layout import Actions, LogDescription
from rankproof.online.clicks.read import read_log


def query(query_id: str, text: str | None, hits: list[str] | None = None, at: int = 0, **more: Any) -> dict[str, Any]:
    """A document of ubi_queries."""
    found = {"application": "shop", "query_id": query_id, "client_id": "c1", "user_query": text, "query_attributes": {}}
    return {**found, "query_response_hit_ids": hits, "timestamp": f"2026-05-04T10:00:{at:02}Z", **more}


def event(
    query_id: str | None, action: str, doc: str | None, ordinal: int | None = None, at: int = 1, **more: Any
) -> Any:
    """A document of ubi_events."""
    attributes: dict[str, Any] = {"object": {"object_id": doc, "object_id_field": "sku"}, **more}
    if ordinal is not None:
        attributes["position"] = {"ordinal": ordinal}
    about = {"application": "shop", "action_name": action, "query_id": query_id, "session_id": "s1", "client_id": "c1"}
    return {**about, "timestamp": f"2026-05-04T10:00:{at:02}Z", "message_type": "INFO", "event_attributes": attributes}


def test_what_the_engine_answered_and_what_was_clicked(tmp_path: Path) -> None:
    queries = jsonl(
        tmp_path / "ubi_queries.jsonl", query("1", " red  shoes ", ["a", "b", "c"]), query("2", "red shoes", ["c"])
    )
    events = jsonl(
        tmp_path / "ubi_events.jsonl",
        event("1", "click", "b", 2, dwell_time=40),
        event("1", "click", "b", 2),
        event("1", "add_to_cart", "b", 2),
        event("1", "click", "zz", 9),
        event("2", "on_search", None),
        event(None, "click", "a", 1),
        event("9", "click", "a", 1),
    )
    log = read_log([queries, events])
    assert shown(log) == ["0 red shoes: a b+cts$ c", "1 red shoes: c"]
    assert gone(log) == {"click_without_page": (0, 1), "click_not_shown": (0, 1), "click_repeated": (0, 1)}
    assert log.notes == (
        "passed over: 1 events of the action on_search",
        "passed over: 1 documents without a query_id",
    )
    assert log.pages.sessions is not None
    assert log.pages.sessions.tolist() == [0, 0]
    # The order of the files is the order of pages: with events first a click without a page comes before page 2.
    assert shown(read_log([events, queries])) == ["0 red shoes: a b+cts$ c", "2 red shoes: c"]


def test_impressions_go_before_what_the_engine_answered(tmp_path: Path) -> None:
    """The engine answered three; the page had two of them, the other way round. Its ordinals may begin at 0."""
    path = jsonl(
        tmp_path / "log.jsonl",
        {"index": {"_index": "ubi_queries", "_id": "x"}},
        query("1", "shoes", ["a", "b", "c"]),
        {"index": {"_index": "ubi_events", "_id": "y"}},
        event("1", "impression", "a", 2),
        event("1", "click_through", "b", at=3),
        event("1", "impression", "b", 1),
        query("2", "boots", None),
        event("2", "impression", "a", 0),
    )
    log = read_log([path])
    assert shown(log) == ["0 shoes: b+c a", "1 boots: a"]


def test_faults(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "log.jsonl",
        query("1", "shoes", ["a"], at=30),
        event("1", "click", "a", at=20),
        query("2", "shoes", []),
        query("3", None, ["a"]),
        query("4", "shoes", None),
        event("4", "impression", "a", 1),
        event("4", "impression", "b", 5),
    )
    log = read_log([path])
    assert shown(log) == ["0 shoes: a"]
    assert gone(log) == {"rank_gap": (1, 0), "no_documents": (1, 0), "no_query": (1, 0), "click_early": (0, 1)}
    assert shown(read_log([path], early=60)) == ["0 shoes: a+c"]


def test_exports_under_source_and_other_names_of_actions(tmp_path: Path) -> None:
    rows = [query("1", "shoes", ["a", "b"]), event("1", "open", "b"), event("1", "buy", "b")]
    path = jsonl(tmp_path / "log.jsonl", *({"_index": "ubi", "_id": i, "_source": row} for i, row in enumerate(rows)))
    said = LogDescription(actions=Actions(clicks=("open",), conversions=("buy",)))
    assert shown(read_log([path], said)) == ["0 shoes: a b+c$"]


def test_flat_tables(tmp_path: Path) -> None:
    """As data generators write them: ranks from 0, no nesting."""
    queries = csv(
        tmp_path / "q.csv",
        "application,query_id,client_id,user_query,timestamp",
        "x,1,c,red shoes,2026-05-04T10:00:00Z",
    )
    events = csv(
        tmp_path / "e.csv",
        "object_id,rank,action_name,query_id,session_id,client_id,timestamp",
        "a,0,impression,1,s,c,2026-05-04T10:00:00Z",
        "b,1,impression,1,s,c,2026-05-04T10:00:00Z",
        "b,1,click,1,s,c,2026-05-04T10:00:04Z",
    )
    assert shown(read_log([queries, events])) == ["0 red shoes: a b+c"]


def test_robots_are_known_by_their_agent(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "log.jsonl",
        query("1", "shoes", ["a"], query_attributes={"user_agent": "nightly-bot/1.0"}),
        query("2", "shoes", ["a"], query_attributes={"user_agent": "Mozilla/5.0"}),
    )
    log = read_log([path])
    assert log.robots is not None
    assert log.robots.tolist() == [True, False]


@pytest.mark.parametrize(
    ("row", "values"),
    [
        (
            event("1", "impression", "a"),
            ["position.ordinal", "impression", "nothing"],
        ),
        (event("1", "impression", "a", -1), ["position.ordinal", "impression", "-1"]),
        (event("1", "click", "a", dwell_time="long"), ["seconds", "'long'"]),
        ({**event("1", "click", "a"), "timestamp": "noon"}, ["timestamp", "'noon'"]),
        (query("1", "shoes", [["a"]]), ["query_response_hit_ids", "['a']"]),
    ],
)
def test_values_that_are_none(tmp_path: Path, row: Any, values: list[str]) -> None:
    with raises(InputError, "log.jsonl", "line 1", *values):
        read_log([jsonl(tmp_path / "log.jsonl", row)])


def test_events_without_their_queries(tmp_path: Path) -> None:
    with raises(InputError, "log.jsonl", "query"):
        read_log([jsonl(tmp_path / "log.jsonl", event("1", "impression", "a", 1))])
