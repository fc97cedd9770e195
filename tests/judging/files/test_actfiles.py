"""Act files: what was written reads back whole; no cell is a formula; files of others are read or refused by line."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.judging.files import ACTS_SCHEMA, judgments_of, read_acts, to_body, to_csv
from rankproof.judging.records import Judgment, JudgmentSource, Mark, Preference
from rankproof.kernel.jsontext import to_json
from rankproof.reading.collect import read_qrels

TIME = "2031-05-04T03:02:01.000000Z"
MODEL = JudgmentSource("model", "small-3", "a" * 64, "b" * 64)
JUDGMENTS = [
    Judgment("k1", "ann", "q1", "d1", 3, note='=HYPERLINK("x")', time=TIME),
    Judgment("k2", "@bob", "-q", "+d", -2, note='two\nlines, and "quotes"', time=TIME, source=MODEL),
    Judgment("k3", "ann", "q1", "d2", None, "cannot_tell", "'quoted", TIME),
    Judgment("k4", "ann", "q1", "d1", None, "withdrawn", "", TIME, withdraws="k1"),
]
MARKS = [Mark("m1", "flag", "ann", "q1", "d1", "wrong size", "", "a", TIME)]
PICKS = [Mark("m2", "pick", "ann", "q1", "d1", "", "-", "b", TIME)]
PREFERENCES = [
    Preference("p1", "ann", "q1", ("a", "b, c"), "b, c", True, "@", TIME),
    Preference("p2", "ann", "q1", ("b", "a"), None, False, "", TIME, "p1"),
]


def as_json(kind, acts) -> bytes:
    return to_json({"rankproof": "0", "schema": ACTS_SCHEMA, **to_body(kind, acts, "shop")}, indent=2).encode()


@pytest.mark.parametrize(
    ("kind", "acts"),
    [("judgments", JUDGMENTS), ("flags", MARKS), ("picks", PICKS), ("preferences", PREFERENCES), ("judgments", [])],
)
def test_json_reads_back_whole(kind, acts) -> None:
    read = read_acts(as_json(kind, acts))
    assert read is not None
    assert (read.kind, list(read.acts)) == (kind, acts)


def test_a_table_of_judgments_reads_back_whole() -> None:
    read = read_acts(to_csv("judgments", JUDGMENTS).encode())
    assert read is not None
    assert list(read.acts) == JUDGMENTS


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12))
@settings(max_examples=examples(200), deadline=None)
def test_any_note_reads_back_and_none_is_a_formula(text: str) -> None:
    act = Judgment("k", "j", "q", "d", 1, note=text, time=TIME)
    table = to_csv("judgments", [act])
    cell = next(csv.DictReader(io.StringIO(table, newline="")))["note"]
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    read = read_acts(table.encode())
    assert read is not None
    assert list(read.acts) == [act]


def test_cells_that_a_spreadsheet_would_run_are_marked() -> None:
    lines = to_csv("judgments", JUDGMENTS[:1]).splitlines()
    assert lines[1] == f'k1,ann,q1,d1,3,,"\'=HYPERLINK(""x"")",{TIME},person,,,,'
    flags = list(csv.reader(io.StringIO(to_csv("picks", PICKS))))
    assert flags[1] == ["m2", "ann", "q1", "d1", "b", "", "'-", TIME, ""]
    rows = list(csv.DictReader(io.StringIO(to_csv("judgments", JUDGMENTS[1:2]))))
    assert (rows[0]["judge"], rows[0]["doc_id"], rows[0]["grade"]) == ("'@bob", "'+d", "-2")  # a number stays one
    (prefers, _) = csv.DictReader(io.StringIO(to_csv("preferences", PREFERENCES)))
    assert (prefers["variants"], prefers["preferred"], prefers["blind"]) == ('["a", "b, c"]', "b, c", "true")


@pytest.mark.parametrize(
    "text",
    [
        "judge,query_id,doc_id,grade\nann,q1,d1,2\nbob,q1,d1,0\n",
        "grade\tjudge\tdoc_id\tquery_id\n2\tann\td1\tq1\n0\tbob\td1\tq1\n",
        "judge;query_id;doc_id;grade\r\nann;q1;d1;2.0\r\nbob;q1;d1;0\r\n",
        '{"judge": "ann", "query_id": "q1", "doc_id": "d1", "grade": 2}\n'
        '{"judge": "bob", "query_id": "q1", "doc_id": "d1", "grade": 0}\n',
    ],
)
def test_judgments_of_others(text: str) -> None:
    read = read_acts(text.encode())
    assert read is not None
    assert [(act.judge, act.query_id, act.doc_id, act.grade) for act in read.acts] == [
        ("ann", "q1", "d1", 2),
        ("bob", "q1", "d1", 0),
    ]
    again = read_acts(text.encode())
    assert again == read  # the same keys
    assert len({act.key for act in read.acts}) == 2


@pytest.mark.parametrize("text", ["q1 0 d1 1\n", "query_id,doc_id,grade\nq1,d1,1\n", '{"q1": {"d1": 1}}', "", "[]"])
def test_what_is_something_else(text: str) -> None:
    assert read_acts(text.encode()) is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("judge,query_id,doc_id,grade\nann,q1,d1\n", ["line 2", "cells", "header"]),
        ("judge,query_id,doc_id,grade\nann,q1,d1,1,2\n", ["line 2", "cells", "header"]),
        ("judge,query_id,doc_id,grade\nann,q1,d1,good\n", ["line 2", "judgments", "'good'"]),
        ("judge,query_id,doc_id,grade\nann,q1,d1,1.5\n", ["line 2", "grade", "'1.5'"]),
        ("judge,query_id,doc_id,grade\nann,q1,d1,\n", ["line 2", "'d1'", "'q1'", "grade None", "cannot_tell"]),
        ("judge,query_id,doc_id,grade\n,q1,d1,1\n", ["line 2", "judgments", "empty"]),
        ("judge,query_id,doc_id,grade,source\nann,q1,d1,1,robot\n", ["line 2", "'robot'", "person", "model", "clicks"]),
        ('judge,query_id,doc_id,grade\nann,"q1,d1,1\n', ["line 1", "table"]),
        ('{"judge": "ann"}\n{"judge"\n', ["line 2", "JSON"]),
        ('{"judge": ["ann"], "query_id": "q", "doc_id": "d", "grade": 1}\n', ["line 1", "judge", "text"]),
        ('{"schema": "acts/1", "kind": "judgments", "acts": [1]}', ["act 1", "object"]),
        ('{"schema": "acts/1", "kind": "songs", "acts": []}', ["acts", "rankproof judgments export"]),
        ('{"schema": "acts/1", "kind": "judgments", "acts": [', ["line 1", "JSON"]),
    ],
)
def test_faults_are_refused_by_place(text: str, values: list[str]) -> None:
    with raises(InputError, *values):
        read_acts(text.encode())


@pytest.mark.parametrize("value", [0, 5, False, True, 1.5, ["5"], {"5": 1}])
def test_a_preferred_variant_is_named_by_text(value: object) -> None:
    act = Preference("p1", "ann", "q1", ("5", "True"), "5", time=TIME)
    document = {"schema": ACTS_SCHEMA, **to_body("preferences", [act], "shop")}
    document["acts"][0]["preferred"] = value
    with raises(InputError, "act 1", "preferred"):
        read_acts(to_json(document).encode())


@pytest.mark.parametrize("value", [None, ""])
def test_no_preferred_variant_is_a_tie(value: str | None) -> None:
    document = {"schema": ACTS_SCHEMA, **to_body("preferences", PREFERENCES[:1], "shop")}
    document["acts"][0]["preferred"] = value
    read = read_acts(to_json(document).encode())
    assert read is not None
    assert [act.preferred for act in read.acts] == [None]


def test_qrels_become_judgments_with_keys_of_their_own() -> None:
    qrels = read_qrels({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}})
    acts = judgments_of(qrels, "ann")
    assert [(a.judge, a.query_id, a.doc_id, a.grade) for a in acts] == [
        ("ann", "q1", "d1", 2),
        ("ann", "q1", "d2", 0),
        ("ann", "q2", "d1", 1),
    ]
    assert judgments_of(qrels, "ann") == acts
    keys = {a.key for judge in ("ann", "bob") for a in judgments_of(qrels, judge)}
    keys |= {a.key for a in judgments_of(qrels, "ann", MODEL)}
    keys |= {a.key for a in judgments_of(read_qrels({"q1": {"d1": 1}}), "ann")}
    assert len(keys) == 10
    assert replace(acts[0], grade=1).key == acts[0].key  # the key is of the file, the judge and the pair


def test_subtopics_are_refused() -> None:
    with raises(InputError, "<bytes>", "subtopics"):
        judgments_of(read_qrels(b"q1 1 d1 1\nq1 2 d1 0\n"), "ann")
