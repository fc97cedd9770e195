"""User Behavior Insights as it comes: lost impressions, places in pixels, times in several units, exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.online.clicks.logs.test_ubi import event, query
from tests.online.clicks.logs.writing import csv, gone, jsonl, shown
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.online.clicks.read import read_log
from rankproof.reading import json_documents


@pytest.mark.parametrize("first", [0, 1])
def test_lost_impressions_are_mended_from_what_the_engine_answered(tmp_path: Path, first: int) -> None:
    """Of five answers the screen reported the first and the fourth; the fifth was never on the screen."""
    path = jsonl(
        tmp_path / "log.jsonl",
        query("1", "shoes", ["a", "b", "c", "d", "e"]),
        event("1", "impression", "a", first),
        event("1", "impression", "d", first + 3),
        event("1", "click", "b", at=3),
    )
    log = read_log([path])
    assert shown(log) == ["0 shoes: a b+c c d"]
    assert gone(log) == {}
    assert log.notes == (
        "mended: 2 impressions of 1 page had been lost and are there by what the engine answered",
    )  # fmt: skip


def test_a_click_below_the_last_impression_shows_that_the_screen_went_on(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "log.jsonl",
        query("1", "shoes", ["a", "b", "c", "d", "e"]),
        event("1", "impression", "a", 1),
        event("1", "click", "d", at=3),
    )
    assert shown(read_log([path])) == ["0 shoes: a b c d+c"]


@pytest.mark.parametrize(
    ("hits", "reported", "expected"),
    [
        (["a", "b", "c"], [("a", 1), ("c", 2)], ["0 q: a c"]),  # the screen left one out
        (["a", "b", "c"], [("b", 1), ("a", 2)], ["0 q: b a"]),  # it showed another order
        (["a", "b", "c"], [("a", 1), ("x", 2)], ["0 q: a x"]),  # it had an advertisement
        (["a", "b", "a", "c"], [("a", 1), ("b", 2)], ["0 q: a b"]),  # the answer is not to be relied on
        (["a", "b", "c"], [("a", 1), ("b", 2), ("c", 3)], ["0 q: a b c"]),  # nothing was lost
        ([], [("a", 1), ("b", 2)], ["0 q: a b"]),
    ],
)
def test_where_reports_and_answer_disagree_only_reports_count(
    tmp_path: Path, hits: list[str], reported: list[tuple[str, int]], expected: list[str]
) -> None:
    events = [event("1", "impression", doc, rank) for doc, rank in reported]
    log = read_log([jsonl(tmp_path / "log.jsonl", query("1", "q", hits), *events)])
    assert shown(log) == expected
    assert not any(note.startswith("mended") for note in log.notes)


def test_mending_holds_against_brute_force(tmp_path: Path) -> None:
    """300 pages of which any impressions were lost but the last: each comes back as it was."""
    rng = np.random.default_rng(0)
    rows: list[Any] = []
    expected = []
    for number in range(300):
        hits = [f"d{number}-{i}" for i in rng.permutation(8)[: rng.integers(1, 8)].tolist()]
        last, first = int(rng.integers(len(hits))), int(rng.integers(2))
        rows.append(query(str(number), f"q{number}", hits))
        kept = [i for i in range(last + 1) if i in (0, last) or rng.random() < 0.5]
        rows += [event(str(number), "impression", hits[i], first + i) for i in kept]
        expected.append(f"{number} q{number}: {' '.join(hits[: last + 1])}")
    queries, events = rows, []
    order = rng.permutation(len(rows))
    events = [rows[i] for i in order if "action_name" in rows[i]]
    queries = [row for row in rows if "action_name" not in row]
    assert shown(read_log([jsonl(tmp_path / "log.jsonl", *queries, *events)])) == expected


def xy(query_id: str, doc: str, x: float, y: float) -> Any:
    return event(query_id, "impression", doc, position={"xy": {"x": x, "y": y}})


def test_documents_with_a_place_are_ranked_down_the_screen(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "log.jsonl",
        query("1", "shoes", None),
        xy("1", "c", 10, 400.4),
        xy("1", "b", 500, 100),
        xy("1", "a", 10, 100),
        xy("1", "a", 10, 900),  # seen again after scrolling
        query("2", "boots", ["p", "q", "r"]),
        xy("2", "p", 0, 0),
        xy("2", "r", 0, 300),
        query("3", "hats", ["p", "q", "r"]),
        xy("3", "r", 0, 0),
        xy("3", "p", 0, 300),
    )
    log = read_log([path])
    assert shown(log) == ["0 shoes: a b c", "1 boots: p q r", "2 hats: r p"]
    for wrong in ({"x": 1, "y": -5}, {"x": 1, "y": "low"}, {"x": "1e999", "y": 1}):
        with raises(InputError, "line 2", "position.xy"):
            bad = event("1", "impression", "a", position={"xy": wrong})
            read_log([jsonl(tmp_path / "bad.jsonl", query("1", "q"), bad)])


@pytest.mark.parametrize(
    ("scale", "unit"), [(1, "seconds"), (1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")]
)
def test_units_of_times_are_told_apart_by_size_and_said(tmp_path: Path, scale: float, unit: str) -> None:
    rows = [{"time": int(1767603600 * scale), "query": "q", "docs": ["a"], "clicks": []}]
    log = read_log([jsonl(tmp_path / "log.jsonl", *rows)])
    assert log.times is not None
    assert log.times.tolist() == [1767603600.0]
    told = (f"times: numbers of the epoch in {unit}, told by their size",)
    assert log.notes == (() if unit == "seconds" else told)


def test_several_units_in_one_log_are_told(tmp_path: Path) -> None:
    rows = [{"time": time, "query": "q", "docs": ["a"], "clicks": []} for time in (1767603600, 1767603600000)]
    (note,) = read_log([jsonl(tmp_path / "log.jsonl", *rows)]).notes
    assert "milliseconds and seconds" in note
    assert "check its times" in note


ROWS = [query("1", "shoes", ["a", "b"]), query("2", "boots", ["c"]), event("1", "click", "b", at=3)]
EXPECTED = ["0 shoes: a b+c", "1 boots: c"]


def answer(rows: list[Any], **more: Any) -> dict[str, Any]:
    hits = [{"_index": "ubi", "_id": str(i), "_score": None, "_source": row} for i, row in enumerate(rows)]
    return {
        "took": 3,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1},
        "hits": {"total": {"value": len(rows), "relation": "eq"}, "max_score": None, "hits": hits},
        **more,
    }


@pytest.mark.parametrize("indent", [None, 2])
def test_arrays_and_answers_of_search_are_read(
    tmp_path: Path, indent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        "array": json.dumps(ROWS, indent=indent),
        "answer": json.dumps(answer(ROWS), indent=indent),
        "filtered": json.dumps({"hits": answer(ROWS)["hits"]}, indent=indent),
        "scrolled": "\n".join(
            json.dumps({"_scroll_id": "x", **answer(part)}, indent=indent) for part in (ROWS[:2], ROWS[2:], [])
        ),
    }
    for piece in (1 << 20, 7):  # whole, and in pieces that end anywhere
        monkeypatch.setattr(json_documents, "_PIECE", piece)
        for name, text in texts.items():
            assert shown(read_log([csv(tmp_path / name, text)])) == EXPECTED, (name, piece)


def test_a_log_with_a_field_called_took_is_lines(tmp_path: Path) -> None:
    rows = [{"took": 3, "query": "q", "docs": ["a"], "clicks": ["a"]}, {"took": 4, "query": "q", "docs": ["b"]}]
    assert shown(read_log([jsonl(tmp_path / "log.jsonl", *rows)])) == ["0 q: a+c", "1 q: b"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('[{"query": "q"}', ["ends within its array"]),
        ('[{"query": "q"', ["object 1", "not JSON"]),
        ('[{"query": "q"}, 3]', ["item 2", "no JSON object"]),
        ('[{"query": "q", "docs": ["a"], "clicks": []}] x', ["follows the end"]),
        ('[{"query": "q", "docs": ["a"], "clicks": 7}]', ["object 1", "clicks"]),
        ('{"took": 1, "timed_out": false, "hits": {"total": 3}}', ["no hits.hits"]),
        ("[]", ["no column"]),
        ("[" * 100_000, ["not JSON"]),
    ],
)
def test_broken_documents_are_refused_with_their_place(tmp_path: Path, text: str, values: list[str]) -> None:
    with raises(InputError, "log.json", *values):
        read_log([csv(tmp_path / "log.json", text)])
