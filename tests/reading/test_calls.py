"""Calls: the searches of each task, from files, lists of dicts, frames and mappings; what is odd is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError
from rankproof.reading.calls import TaskCalls, read_calls

LINES = [
    {"task_id": "t1", "call": 2, "docs": ["x", "b"], "tokens": 30},
    {"task_id": "t2", "call": 1, "docs": ["c"], "tokens": 5},
    {"task_id": "t1", "call": 1, "docs": ["a"], "tokens": 12},
    {"task_id": "t1", "call": 9, "docs": [], "tokens": 0},
]
# By hand: the calls of t1 in the order of their numbers, which may have gaps; the last one returned nothing.
EXPECTED = {"t1": (("a",), ("x", "b"), ()), "t2": (("c",),)}
TOKENS = {"t1": (12.0, 30.0, 0.0), "t2": (5.0,)}


def lines(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def same(calls: TaskCalls, tokens: bool = True) -> None:
    assert {task: tuple(map(tuple, searches)) for task, searches in calls.items()} == EXPECTED
    if tokens:
        assert dict(calls.tokens) == TOKENS


CSV = "task_id,call,docs,tokens\nt1,2,x b,30\nt2,1,c,5\nt1,1,a,12\nt1,9,,0\n"
FORMS: dict[str, object] = {
    "JSON lines": lines(LINES),
    "JSON lines of Windows with a mark": b"\xef\xbb\xbf" + lines(LINES).replace(b"\n", b"\r\n"),
    "blank lines between": lines(LINES).replace(b"\n", b"\n\n"),
    "a JSON list": json.dumps(LINES).encode(),
    "a list of dicts": LINES,
    "whole tasks": lines(
        [
            {"task_id": "t1", "calls": [["a"], ["x", "b"], []], "tokens": [12, 30, 0]},
            {"task_id": "t2", "calls": [{"docs": ["c"], "tokens": 5}]},
        ]
    ),
    "CSV": CSV.encode(),
    "TSV": CSV.replace(",", "\t").encode(),
    "CSV with semicolons": CSV.replace(",", ";").encode(),
    "JSON in the cells of CSV": b'task_id,call,docs,tokens\nt1,2,"[""x"", ""b""]",30\nt2,1,"[""c""]",5\n'
    b't1,1,"[""a""]",12\nt1,9,[],0\n',
    "lists as pandas writes them": b"task_id,call,docs,tokens\nt1,2,\"['x', 'b']\",30.0\nt2,1,['c'],5.0\n"
    b"t1,1,['a'],12.0\nt1,9,[],0.0\n",
    "objects with an id": lines([{**row, "docs": [{"id": d, "score": 1} for d in row["docs"]]} for row in LINES]),
    "a mapping of objects": {
        "t1": [{"docs": ["a"], "tokens": 12}, {"docs": ["x", "b"], "tokens": 30}, {"docs": [], "tokens": 0}],
        "t2": [{"doc_ids": ["c"], "tokens": 5}],
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_calls(form: str) -> None:
    same(read_calls(FORMS[form]))


def test_data_frames_are_read(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LINES)
    same(read_calls(frame))
    frame.to_csv(tmp_path / "frame.csv", index=False)
    same(read_calls(tmp_path / "frame.csv"))
    same(read_calls(pytest.importorskip("pyarrow").Table.from_pandas(frame)))


def test_a_plain_mapping_has_no_tokens_and_what_was_read_is_taken_as_it_is() -> None:
    calls = read_calls({task: [list(docs) for docs in searches] for task, searches in EXPECTED.items()})
    same(calls, tokens=False)
    assert not calls.tokens
    assert read_calls(calls) is calls
    assert repr(calls) == "<calls of tasks: 2 tasks, 4 calls>"


def test_without_numbers_the_lines_are_in_order() -> None:
    calls = read_calls(lines([{"task_id": t, "docs": [d]} for t, d in (("t1", "b"), ("t2", "c"), ("t1", "a"))]))
    assert {task: tuple(searches) for task, searches in calls.items()} == {"t1": (("b",), ("a",)), "t2": (("c",),)}


def test_other_usual_names_are_understood_and_told() -> None:
    row = {"conversation_id": 7, "turn": 0, "query_id": "s1", "retrieved_ids": [1, "b"], "total_tokens": 3, "when": 5}
    calls = read_calls(lines([row]), name="log")
    assert dict(calls.by_task) == {"7": (("1", "b"),)}
    assert dict(calls.tokens) == {"7": (3.0,)}
    told = " ".join(calls.notes)
    for name in ("conversation_id", "turn", "retrieved_ids", "total_tokens", "not read: 'query_id', 'when'"):
        assert name in told
    assert read_calls(lines([{"query_id": "q", "Doc-IDs": ["a"]}])).by_task == {"q": (("a",),)}


def test_tokens_that_are_not_known_are_not_zero() -> None:
    rows = [{"task_id": "t", "docs": ["a"], "tokens": cost} for cost in (None, float("nan"), 4, 0)]
    known = read_calls(lines([*rows, {"task_id": "t", "docs": []}])).tokens["t"]
    assert [math.isnan(cost) for cost in known] == [True, True, False, False, True]
    assert read_calls(b"task,docs,tokens\nt,a,\nt,b,NA\n").tokens == {}


BAD: dict[str, tuple[object, tuple[object, ...]]] = {
    "an empty file": (b"", ("<bytes>",)),
    "a header alone": (b"task_id,docs\n", ("<bytes>",)),
    "no JSON": (b'{"task_id": "t1", "docs": [}\n', ("line 1",)),
    "no object": (b'{"task_id": "t1", "docs": []}\n["a"]\n', ("line 2",)),
    "no object in a list": (b'[{"task_id": "t1", "docs": []}, 5]', ("entry 2", 5)),
    "no task": (lines([{"docs": ["a"]}]), ("line 1", "task_id", "docs")),
    "no documents": (lines([LINES[0], {"task_id": "t1", "call": 3}]), ("line 2", "docs", "call")),
    "null for documents": (lines([{"task_id": "t1", "docs": None}]), ("line 1", "None")),
    "a text for documents": (lines([{"task_id": "t1", "docs": "a b"}]), ("line 1", "a b")),
    "scores for documents": (lines([{"task_id": "t1", "docs": {"a": 1}}]), ("line 1",)),
    "pairs for documents": (lines([{"task_id": "t1", "docs": [["a", 1.0]]}]), ("line 1",)),
    "an object without an id": (lines([{"task_id": "t1", "docs": [{"text": "x"}]}]), ("line 1", "text", "doc_id")),
    "an empty id": (lines([{"task_id": "t1", "docs": ["a", ""]}]), ("line 1",)),
    "null for an id": (lines([{"task_id": "t1", "docs": ["a", None]}]), ("line 1", None)),
    "true for a task": (lines([{"task_id": True, "docs": []}]), ("line 1", True)),
    "an empty task": (lines([{"task_id": "", "docs": []}]), ("line 1",)),
    "half a character": (b'{"task_id": "t1", "docs": ["\\ud800"]}\n', ("line 1",)),
    "half a character in a task": (b'{"task_id": "\\udfff", "docs": []}\n', ("line 1",)),
    "the same call twice": (lines([*LINES, LINES[0]]), ("line 5", "line 1", "t1", 2)),
    "a call without its number": (lines([LINES[0], {"task_id": "t1", "docs": []}]), ("line 2", "call")),
    "half a call": (lines([{**LINES[0], "call": 1.5}]), ("line 1", 1.5)),
    "a word for a call": (lines([{**LINES[0], "call": "first"}]), ("line 1", "first")),
    "tokens below 0": (lines([{**LINES[0], "tokens": -1}]), ("line 1", "tokens", -1)),
    "endless tokens": (lines([{**LINES[0], "tokens": float("inf")}]), ("line 1", "tokens", "inf")),
    "too many tokens": (lines([{**LINES[0], "tokens": 10**400}]), ("line 1", "tokens")),
    "a word for tokens": (lines([{**LINES[0], "tokens": "many"}]), ("line 1", "tokens", "many")),
    "true for tokens": (lines([{**LINES[0], "tokens": True}]), ("line 1", "tokens", True)),
    "1_000 for tokens": (b"task_id,docs,tokens\nt1,a,1_000\n", ("line 2", "1_000")),
    "two columns of documents": (lines([{"task_id": "t", "docs": ["a"], "doc_ids": ["b"]}]), ("'docs'", "'doc_ids'")),
    "two conversations": (lines([{"session_id": "t", "thread_id": "u", "docs": []}]), ("'session_id'", "'thread_id'")),
    "one document a row": (b"task_id,call,doc_id\nt1,1,a\n", ("line 1", "'doc_id'", "docs")),
    "commas in a cell": (b'task_id,docs\nt1,"a, b"\n', ("line 2", "a, b")),
    "a list of NumPy in a cell": (b"task_id,docs\nt1,['a' 'b']\n", ("line 2",)),
    "a field too many": (b"task_id,docs\nt1,a,b\n", ("line 2", 3, 2)),
    "a column twice": (b"task_id,docs,docs\nt1,a,b\n", ("line 1", "'docs'")),
    "a TREC run": (b"t1 Q0 a 1 2.5 tag\n", ("<bytes>",)),
    "a task twice": (lines([{"task_id": "t1", "calls": [["a"]]}, LINES[0]]), ("line 2", "'t1'")),
    "a whole task after its call": (lines([LINES[0], {"task_id": "t1", "calls": [["a"]]}]), ("line 2", "'t1'")),
    "one price for two calls": (lines([{"task_id": "t", "calls": [["a"], ["b"]], "tokens": 9}]), ("line 1", 2, 9)),
    "a word for calls": (lines([{"task_id": "t", "calls": "ab"}]), ("line 1", "ab")),
    "calls within calls": (lines([{"task_id": "t", "calls": [{"calls": []}]}]), ("line 1", "call 1")),
    "a binary file": (b"PAR1\x00\x00\x15", ("<bytes>",)),
    "a number": (5, (5,)),
}


@pytest.mark.parametrize("fault", BAD)
def test_what_cannot_be_read_is_refused_with_its_place(fault: str) -> None:
    what, values = BAD[fault]
    kind = rankproof.errors.Unreadable if fault == "a binary file" else InputError
    with raises(kind, *values):
        read_calls(what)


def test_a_million_different_columns_are_not_all_told() -> None:
    rows = [{"task_id": f"t{i}", "docs": [], f"extra{i}": 1} for i in range(3000)]
    (note,) = read_calls(lines(rows)).notes
    assert len(note) < 200
