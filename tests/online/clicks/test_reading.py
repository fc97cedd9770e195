"""Several files, folders and patterns as one log, in the order given."""

from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path

from tests.online.clicks.logs.writing import csv, jsonl, shown
from tests.raising import raises

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.online.clicks.logs.layout import LogDescription
from rankproof.online.clicks.read import files_of, read_log

HEAD = "query,doc,rank,clicked"


def test_files_of_all_layouts_are_one_log_in_their_order(tmp_path: Path) -> None:
    text = csv(tmp_path / "a.txt", "q\ta,b : b; q\tb : ;")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(f"{HEAD}\nq,b,1,1\n".encode()))
    (tmp_path / "c.jsonl.bz2").write_bytes(bz2.compress(b'{"query": "r", "docs": ["a"], "clicks": []}\n'))
    packed = [str(tmp_path / "b.csv.gz"), str(tmp_path / "c.jsonl.bz2")]
    log = read_log([text, *packed])
    assert shown(log) == ["0 q: a b+c", "1 q: b", "2 q: b+c", "3 r: a"]
    assert len(log.pages.pairs) == 3
    assert shown(read_log([*packed, text])) == ["0 q: b+c", "1 r: a", "2 q: a b+c", "3 q: b"]


def test_folders_and_patterns_are_their_files_by_name(tmp_path: Path) -> None:
    for name in ("2.csv", "10.csv", "1.csv"):
        csv(tmp_path / name, HEAD, "q,a,1,0")
    (tmp_path / ".hidden").write_text("no log")
    found = [Path(path).name for path in files_of([str(tmp_path)])]
    assert found == ["1.csv", "10.csv", "2.csv"]
    assert [Path(path).name for path in files_of([str(tmp_path / "?.csv"), str(tmp_path / "10.csv")])] == [
        "1.csv", "2.csv", "10.csv",
    ]  # fmt: skip


def test_a_page_that_ends_one_file_does_not_go_on_in_the_next(tmp_path: Path) -> None:
    """Without page ids: ranks go on from 1 to 2, in another file."""
    one, two = csv(tmp_path / "1.csv", HEAD, "q,a,1,0"), csv(tmp_path / "2.csv", HEAD, "q,a,1,0", "q,b,2,1")
    assert shown(read_log([one, two])) == ["0 q: a", "1 q: a b+c"]


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with raises(InputError, tmp_path / "none", "folder"):
        read_log([str(tmp_path / "none")])
    with raises(InputError, tmp_path / "*.csv", "pattern"):
        read_log([str(tmp_path / "*.csv")])
    with raises(Unreadable, tmp_path / "no.csv"):
        read_log([str(tmp_path / "no.csv")])
    os.mkfifo(tmp_path / "pipe")
    for name in ("-", str(tmp_path / "pipe")):
        with raises(UsageError, "standard input", "pipe"):
            read_log([name])
    with raises(UsageError, "rankproof clicks fit"):
        read_log([])
    path = csv(tmp_path / "a.csv", HEAD, "q,a,1,1")
    with raises(UsageError, path, "twice"):
        read_log([path, path])
    with raises(UsageError, "seconds", "depth", "0, 50 and 5"):
        read_log([path], stay=0)


def test_a_text_is_known_by_how_it_begins_and_may_be_said(tmp_path: Path) -> None:
    path = csv(tmp_path / "a", "7_1\ta,b : b;")
    assert shown(read_log([path])) == ["0 7_1: a b+c"]
    with raises(InputError, tmp_path / "b", "line 1", "page 0", "'query,docs'"):
        read_log([csv(tmp_path / "b", "query,docs")], LogDescription("text"))
    (tmp_path / "c").write_bytes(b"7\ta : \xff;")
    with raises(Unreadable, tmp_path / "c", "UTF-8"):
        read_log([str(tmp_path / "c")])


def test_the_order_of_ids_is_that_of_the_file(tmp_path: Path) -> None:
    rows = [{"query": f"q{i}", "docs": [f"d{i}"], "clicks": []} for i in range(5)]
    pairs = read_log([jsonl(tmp_path / "a.jsonl", *rows)]).pages.pairs
    assert pairs.query_ids == ("q0", "q1", "q2", "q3", "q4")
