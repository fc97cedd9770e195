"""Logs with one row for each page: lists of documents and clicks in all the ways they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.online.clicks.logs.writing import csv, gone, jsonl, shown
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.online.clicks.logs.layout import LogDescription
from rankproof.online.clicks.read import read_log


def test_clicks_by_id_with_what_else_is_known(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "session": "s",
            "query": "q",
            "docs": ["a", "b", "c"],
            "clicks": ["b", "a", "b", "z"],
            "dwell": {"b": 31, "a": 2},
        },
        {"session": "s", "query": "q", "docs": ["b", "a"], "clicks": None, "conversions": ["a"]},
        {"session": "t", "query": "r", "docs": ["c", "a", "c"], "clicks": ["c"]},
        {"session": "t", "query": "r", "docs": [], "clicks": ["c"]},
        {"session": None, "query": "r", "docs": [7, "c"], "clicks": [7]},
    ]
    log = read_log([jsonl(tmp_path / "log.jsonl", *rows)])
    assert shown(log) == ["0 q: a+ct b+cts c", "1 q: b a+$", "4 r: 7+c c"]
    assert gone(log) == {
        "no_documents": (1, 1),
        "document_twice": (1, 1),
        "click_not_shown": (0, 1),
        "click_repeated": (0, 1),
    }
    assert log.pages.sessions is not None
    assert log.pages.sessions.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("clicks", "dwell", "said", "seen"),
    [
        ([True, False, True], [40, None, 3], None, "a+cts b c+ct"),
        ([1, 0, 1], None, "flags", "a+c b c+c"),
        ([3, 1], [3, 40], "ranks", "a+cts b c+ct"),
        (["c", "a"], [3, None], None, "a+c b c+ct"),
        ([], None, None, "a b c"),
        ("a c", None, None, "a+c b c+c"),
    ],
)
def test_clicks_as_flags_ranks_and_ids(tmp_path: Path, clicks: Any, dwell: Any, said: Any, seen: str) -> None:
    row = {"query": "q", "docs": ["a", "b", "c"], "clicks": clicks, "dwell": dwell}
    log = read_log([jsonl(tmp_path / "log.jsonl", row)], LogDescription(clicks_are=said))
    assert shown(log) == [f"0 q: {seen}"]


def test_a_rank_that_the_page_has_not_got_is_a_click_on_nothing_shown(tmp_path: Path) -> None:
    row = {"query": "q", "docs": ["a"], "clicks": [1, 5]}
    log = read_log([jsonl(tmp_path / "log.jsonl", row)], LogDescription(clicks_are="ranks"))
    assert gone(log) == {"click_not_shown": (0, 1)}


def test_a_table_with_ids_in_a_text(tmp_path: Path) -> None:
    log = read_log([csv(tmp_path / "log.csv", "query,results,clicks", "q,a b|c,b", "q,c a,")])
    assert shown(log) == ["0 q: a b+c c", "1 q: c a"]


def test_rows_with_one_page_id_are_one_page(tmp_path: Path) -> None:
    """What was shown, and each click as a row of its own."""
    rows = [
        {"page_id": 1, "query": "q", "docs": ["a", "b"], "clicks": []},
        {"page_id": 2, "query": "q", "docs": ["b", "a"], "clicks": []},
        {"page_id": 1, "query": "q", "docs": [], "clicks": ["b"]},
        {"page_id": 1, "query": "q", "docs": [], "clicks": ["b"]},
    ]
    log = read_log([jsonl(tmp_path / "log.jsonl", *rows)])
    assert shown(log) == ["0 q: a b+c", "1 q: b a"]
    assert gone(log) == {"click_repeated": (0, 1)}


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"query": "q", "docs": ["a", "b"], "clicks": ["b"]}, {"query": "q", "docs": ["b"], "clicks": []}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "log.parquet")
    assert shown(read_log([str(tmp_path / "log.parquet")])) == ["0 q: a b+c", "1 q: b"]


@pytest.mark.parametrize(
    ("row", "said", "values"),
    [
        ({"docs": [["a"]], "clicks": []}, None, ["docs", "['a']"]),
        ({"docs": 3, "clicks": []}, None, ["docs", "3"]),
        ({"docs": ["a"], "clicks": [True, False]}, None, ["clicks", "flags", "2"]),
        ({"docs": ["a"], "clicks": ["x"]}, "ranks", ["clicks", "ranks", "'x'"]),
        ({"docs": ["a"], "clicks": ["a"], "dwell": 4}, None, ["dwell", "object", "4"]),
        ({"docs": ["a"], "clicks": ["a"], "dwell": {"a": -4}}, None, ["dwell", "-4"]),
        ({"docs": ["a"], "clicks": ["a"], "dwell": [1, 2]}, None, ["dwell", "[1, 2]"]),
    ],
)
def test_a_page_that_is_none_is_refused_with_its_place(tmp_path: Path, row: Any, said: Any, values: list[str]) -> None:
    with raises(InputError, "log.jsonl", "line 1", *values):
        read_log([jsonl(tmp_path / "log.jsonl", {"query": "q", **row})], LogDescription(clicks_are=said))
