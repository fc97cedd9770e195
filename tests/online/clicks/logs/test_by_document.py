"""Logs with one row for each document: pages put together, each fault counted once, and values that are none."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from tests.online.clicks.logs.writing import csv, gone, shown
from tests.raising import raises

from rankproof.errors import InputError, Unreadable
from rankproof.online.clicks.logs import by_document
from rankproof.online.clicks.logs.layout import LogDescription
from rankproof.online.clicks.read import read_log
from rankproof.reading.row_batches import stream

HEAD = "session,page_id,query,doc,rank,clicked"


def test_rows_of_a_page_are_put_together_wherever_they_stand(tmp_path: Path) -> None:
    path = csv(tmp_path / "log.csv", HEAD, "s,1,q,a,1,1", "s,2,q,b,1,0", "s,1,q,b,2,0", "t,1,q,b,1,0", "s,1,q,c,3,1")
    log = read_log([path])
    assert shown(log) == ["0 q: a+c b c+c", "1 q: b", "2 q: b"]
    assert log.pages.sessions is not None
    assert log.pages.sessions.tolist() == [0, 0, 1]


def test_each_fault_is_counted_once_and_its_page_left_out(tmp_path: Path) -> None:
    lines = [
        "s,1,q,a,1,1", "s,1,q,b,2,0",
        "s,2,q,a,1,1", "s,2,q,a,2,0",  # a document twice
        "s,3,q,a,1,1", "s,3,q,b,3,1",  # a gap
        "s,4,q,a,2,1",  # does not begin at 1
        "s,5,q,a,1,0", "s,5,q,b,1,1",  # two documents at a rank
        "s,6,q,a,0,1", "s,6,q,b,1,0",  # from 0: fine
        "s,7,q,a,999999999999,1",  # a gap like any other
        "s,8,q,a,1,1", "s,8,q,a,1,1",  # clicked twice
    ]  # fmt: skip
    log = read_log([csv(tmp_path / "log.csv", HEAD, *lines)])
    assert shown(log) == ["0 q: a+c b", "5 q: a+c b", "7 q: a+c"]
    assert gone(log) == {"document_twice": (1, 1), "rank_gap": (4, 5), "click_repeated": (0, 1)}


def test_without_page_ids_a_page_ends_where_something_changes_or_the_rank_does_not_rise(tmp_path: Path) -> None:
    lines = ["q,a,1,1", "q,b,2,0", "q,a,1,0", "r,b,2,0", "r,b,1,0", "r,c,2,1"]
    log = read_log([csv(tmp_path / "log.csv", "query,doc,rank,clicked", *lines)])
    # The lone b of r stands at rank 2: not a whole page.
    assert shown(log) == ["0 q: a+c b", "1 q: a", "3 r: b c+c"]
    assert log.pages.sessions is None


@pytest.mark.parametrize("head", [HEAD, "session,time,query,doc,rank,clicked"])
def test_a_page_may_go_on_in_the_next_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: str) -> None:
    """The same pages, however many rows are read at a time."""
    lines = [f"s{i // 6},{i // 3},q,d{i % 3},{i % 3 + 1},{i % 2}" for i in range(18)]
    path = csv(tmp_path / "log.csv", head, *lines)
    whole = shown(read_log([path]))
    assert len(whole) == 6
    for rows in (1, 2, 4, 7):
        monkeypatch.setattr(by_document, "stream", lambda *a, rows=rows: stream(*a, rows=rows))
        assert shown(read_log([path])) == whole


def test_what_else_is_known(tmp_path: Path) -> None:
    lines = [
        "s,1,q,a,1,yes,40,true,2026-05-04T10:00:00Z,2026-05-04T10:00:05Z,Firefox",
        "s,1,q,b,2,yes,,,2026-05-04T10:00:00Z,2026-05-04T09:00:00Z,Firefox",
        "s,1,q,c,3,,5,,2026-05-04T10:00:00Z,,Firefox",
        "s,2,q,a,1,1,30,0,1777888860,,Googlebot/2.1",
        "s,3,q,a,1,1,29.9,0,1777888920000,,Firefox",
    ]
    head = "session,page_id,query,doc,rank,clicked,dwell,converted,time,click_time,user_agent"
    log = read_log([csv(tmp_path / "log.csv", head, *lines)])
    # b was clicked an hour before the page was there; c has a time, but no click.
    assert shown(log) == ["0 q: a+cts$ b c", "1 q: a+cts", "2 q: a+ct"]
    assert gone(log) == {"click_early": (0, 1)}
    assert log.times is not None
    assert np.diff(log.times).tolist() == [60, 60]
    assert log.robots is not None
    assert log.robots.tolist() == [False, True, False]


def test_ranks_below_the_depth_are_cut_and_their_clicks_counted(tmp_path: Path) -> None:
    lines = [f"s,1,q,d{rank},{rank},1" for rank in range(1, 6)]
    log = read_log([csv(tmp_path / "log.csv", HEAD, *lines)], depth=3)
    assert shown(log) == ["0 q: d1+c d2+c d3+c"]
    assert gone(log) == {"click_below": (0, 2)}


@pytest.mark.parametrize(
    ("row", "values"),
    [
        ("s,1,q,a,-3,1", ["rank", "-3"]),
        ("s,1,q,a,1.5,1", ["rank", "1.5"]),
        ("s,1,q,a,,1", ["rank", "nothing"]),
        ("s,1,q,a,one,1", ["rank", "'one'"]),
        ("s,1,q,a,1,maybe", ["clicked", "'maybe'"]),
        ("s,1,,a,1,1", ["query", "missing"]),
        ("s,1,q,,1,1", ["doc", "missing"]),
        ("s,1,q,a,1", ["5", "6", "header"]),
    ],
)
def test_a_value_that_is_none_is_refused_with_its_place(tmp_path: Path, row: str, values: list[str]) -> None:
    with raises(InputError, "log.csv", "line 2", *values):
        read_log([csv(tmp_path / "log.csv", HEAD, row)])


def test_negative_seconds_and_times_that_are_none(tmp_path: Path) -> None:
    with raises(InputError, "a.csv", "line 2", "dwell", "-1"):
        read_log([csv(tmp_path / "a.csv", "query,doc,rank,clicked,dwell", "q,a,1,1,-1")])
    with raises(InputError, "b.csv", "line 2", "time", "'yesterday'"):
        read_log([csv(tmp_path / "b.csv", "query,doc,rank,clicked,time", "q,a,1,1,yesterday")])


def test_files_that_are_no_logs(tmp_path: Path) -> None:
    whole = gzip.compress(b"query,doc,rank,clicked\n" + b"q,a,1,1\n" * 1000)
    (tmp_path / "cut.csv.gz").write_bytes(whole[:-20])
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_bytes(b"")
    with raises(Unreadable, "cut.csv.gz", "gzip", "early"):
        read_log([str(tmp_path / "cut.csv.gz")])
    with raises(Unreadable, tmp_path / "binary", "CSV", "TSV", "Parquet"):
        read_log([str(tmp_path / "binary")])
    with raises(InputError, tmp_path / "empty", "header"):
        read_log([str(tmp_path / "empty")])
    with raises(InputError, "head.csv", "page"):
        read_log([csv(tmp_path / "head.csv", "query,doc,rank,clicked")])
    with raises(InputError, "few.csv", "page", "rank", "--schema"):
        read_log([csv(tmp_path / "few.csv", "query,doc,clicked", "q,a,1")])
    with raises(InputError, "gap.csv", "ranks", "gap"):
        read_log([csv(tmp_path / "gap.csv", "query,doc,rank,clicked", "q,a,7,1")])


def test_parquet_with_ids_that_are_numbers(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {
        "session_id": [5, 5, 6],
        "query_id": [1, 1, 1],
        "doc_id": [7, 8, 7],
        "rank": [1, 2, 1],
        "clicked": [True, None, True],
        "dwell": [31.0, None, None],
        "time": [datetime(2026, 5, 4, 10, tzinfo=UTC)] * 2 + [None],
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "log.parquet")
    log = read_log([str(tmp_path / "log.parquet")])
    assert shown(log) == ["0 1: 7+cts 8", "1 1: 7+c"]
    assert log.times is not None
    assert log.times[0] == 1_777_888_800
    assert np.isnan(log.times[1])


def test_columns_by_description(tmp_path: Path) -> None:
    path = csv(tmp_path / "log.csv", "term,sku,slot,hit,when", "q ä,日本,1,1,5", "q ä,b,2,0,5")
    said = LogDescription(
        "documents", {"query": "term", "doc": "sku", "rank": "slot", "clicked": "hit", "time": "when"}
    )
    assert shown(read_log([path], said)) == ["0 q ä: 日本+c b"]
    wrong = LogDescription("documents", {"query": "terms", "doc": "sku", "rank": "slot", "clicked": "hit"})
    with raises(InputError, "log.csv", "'terms'", "'term'"):
        read_log([path], wrong)
