"""Logs: events become pages, in any order and form; what contradicts itself is refused with its place."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.online.interleaving.logs import InterleavingColumns, read_logs
from rankproof.online.interleaving.records import ClickedDocument, InterleavedList
from rankproof.online.interleaving.show import interleave

SHOWN = interleave({"old": ["a", "b"], "new": ["b", "c"]}, "k1")


def lines(path: Path, *rows: dict) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_pages_and_clicks_may_come_in_any_order_and_in_several_files(tmp_path: Path) -> None:
    clicks = tmp_path / "clicks.csv"
    clicks.write_text("key,doc_id,dwell,converted\nk1,b,31.5,yes\nk2,a,,\n")
    pages = lines(tmp_path / "pages.jsonl", {"key": "k1", "unit": 7, "query_id": "q", "shown": SHOWN.to_dict()})
    for paths in ([str(clicks), pages], [pages, str(clicks)]):
        found = read_logs(paths)
        assert (found.rows, found.clicks, found.units) == (3, 2, True)
        page = found.pages["k1"]
        assert (page.unit, page.query, page.shown) == ("7", "q", SHOWN)
        assert page.touches == [ClickedDocument("b", 31.5, True)]
        assert found.pages["k2"].shown is None
        assert found.pages["k2"].touches == [ClickedDocument("a", None, False)]


def test_one_row_may_be_a_page_and_its_click(tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", {"key": "k1", "shown": SHOWN.to_dict(), "doc_id": "a"})
    found = read_logs([path])
    assert (found.pages["k1"].shown, found.pages["k1"].touches) == (SHOWN, [ClickedDocument("a")])
    assert not found.units


def test_lists_in_csv_are_json_texts(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["key", "shown"], ["k1", json.dumps(SHOWN.to_dict())], ["k2", '["a", "b"]']])
    found = read_logs([str(path)])
    assert found.pages["k1"].shown == SHOWN
    assert found.pages["k2"].docs == ("a", "b")


def test_lists_in_parquet_are_nested(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"key": "k1", "unit": 7, "shown": SHOWN.to_dict(), "doc_id": None}, {"key": "k1", "doc_id": "a"}]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "log.parquet")
    page = read_logs([str(tmp_path / "log.parquet")]).pages["k1"]
    assert (page.shown, page.unit, page.touches) == (SHOWN, "7", [ClickedDocument("a")])


def test_other_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "log.tsv"
    path.write_text("page\tuser\tclicked\nk1\tu1\ta\n")
    found = read_logs([str(path)], InterleavingColumns(key="page", unit="user", doc="clicked"))
    assert found.pages["k1"].unit == "u1"
    assert found.pages["k1"].touches == [ClickedDocument("a")]


def test_a_page_that_is_loaded_again_is_one_page_and_another_list_is_noticed(tmp_path: Path) -> None:
    row = {"key": "k1", "shown": SHOWN.to_dict()}
    assert not read_logs([lines(tmp_path / "same.jsonl", row, row)]).pages["k1"].changed
    other = {"key": "k1", "shown": interleave({"old": ["x"], "new": ["y"]}, "k1").to_dict()}
    assert read_logs([lines(tmp_path / "other.jsonl", row, other)]).pages["k1"].changed


def test_a_list_reads_back(tmp_path: Path) -> None:
    for method in ("team_draft", "probabilistic", "optimized"):
        shown = interleave({"old": list("abc"), "new": list("cdae")}, "k", method)
        assert InterleavedList.from_dict(json.loads(json.dumps(shown.to_dict()))) == shown


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ({"docs": ["a", "a"]}, ["docs", "once"]),
        ({"systems": ["old", "new"]}, ["systems", "sorted", "['old', 'new']"]),
        ({"systems": ["new"]}, ["systems", "two", "['new']"]),
        ({"credits": [[1, 0]]}, ["3", "credits", "teams", "1, 3 and 2"]),
        ({"credits": [[1, -1], [0, 1], [0, 1]]}, ["credit", "[1, -1]"]),
        ({"teams": ["new", "third", None]}, ["team", "null"]),
        ({"credited": True}, ["credits", "credited", "InterleavedList.to_dict"]),
        ({"method": None}, ["method", "systems", "docs"]),
    ],
)
def test_a_list_that_is_none_is_refused_with_its_place(tmp_path: Path, change: dict, values: list[str]) -> None:
    path = lines(tmp_path / "log.jsonl", {"key": "k1"}, {"key": "k1", "shown": {**SHOWN.to_dict(), **change}})
    with raises(InputError, "log.jsonl", "line 2", *values):
        read_logs([path])


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ([{"unit": "u"}], ["'key'", "unit"]),
        ([{"key": "k", "unit": "u"}, {"key": "k", "unit": "v"}], ["line 2", "'k'", "unit", "'v'", "'u'"]),
        ([{"key": "k", "doc_id": "a", "dwell": -1}], ["line 1", "dwell", "-1"]),
        ([{"key": "k", "shown": "a b"}], ["line 1", "shown", "JSON", "'a b'"]),
        ([{"key": "k", "shown": [1]}], ["line 1", "shown", "InterleavedList.to_dict", "[1]"]),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path: Path, rows: list[dict], values: list[str]) -> None:
    with raises(InputError, "log.jsonl", *values):
        read_logs([lines(tmp_path / "log.jsonl", *rows)])


def test_a_log_without_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("key,doc_id\n")
    with raises(InputError, "log.csv", "rows"):
        read_logs([str(tmp_path / "log.csv")])
