"""A log to grades and qrels: mappings, what is left out, and the file of grades."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.online.clicks.logs.writing import jsonl
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clicks.grades import COLUMNS, content
from rankproof.online.clicks.qrels import grade_log, limits_mapping, qrels_of, shares_mapping, steps_mapping
from rankproof.online.clicks.read import read_log
from rankproof.online.impressions import ClickLog

CTR = read_configured("clickmodels", "ctr")


@pytest.fixture
def log(tmp_path: Path) -> ClickLog:
    """Documents alone on 40 pages each: a clicked on 36, of which 30 satisfied; b on 8, none; c never. And x once."""
    rows = [{"query": "q 1", "docs": ["x"], "clicks": ["x"], "dwell": {"x": 50}}]
    for doc, clicks, stays in (("a", 36, 30), ("b", 8, 0), ("c", 0, 0)):
        for page in range(40):
            clicked = {doc: 60 if page < stays else 1} if page < clicks else {}
            rows.append({"query": "q 1", "docs": [doc], "clicks": list(clicked), "dwell": clicked})
    return read_log([jsonl(tmp_path / "log.jsonl", *rows)])


def test_limits(log: ClickLog) -> None:
    """Shares of clicks: a 36/40, b 8/40, c 0/40; the mean of what is known lies near."""
    found = grade_log(log, CTR, limits_mapping())
    assert [(row.doc_id, row.grade, row.showings, row.clicks) for row in found.rows] == [
        ("a", 3, 40, 36), ("b", 1, 40, 8), ("c", 0, 40, 0),
    ]  # fmt: skip
    values = {row.doc_id: row.value for row in found.rows}
    assert values["a"] == pytest.approx(0.9, abs=0.03)
    assert values["c"] == pytest.approx(0.0, abs=0.03)
    assert (found.few, found.model) == (1, "ctr")


def test_shares(log: ClickLog) -> None:
    """Of three values the median is b's: it reaches its own limit, and a the one above."""
    found = grade_log(log, CTR, shares_mapping([0.4, 0.9]), confidence=0)
    assert [(row.doc_id, row.grade) for row in found.rows] == [("a", 2), ("b", 1), ("c", 0)]
    assert (found.shares, [step.signal for step in found.steps]) == ((0.4, 0.9), ["click", "click"])
    with raises(InputError, "shares", "--least-showings"):
        grade_log(log, CTR, shares_mapping([0.5]), showings=99)


def test_steps_of_several_signals(log: ClickLog) -> None:
    found = grade_log(log, CTR, steps_mapping({"click": 0.08, "dwell": 0.4}))
    assert [(row.doc_id, row.grade) for row in found.rows] == [("a", 2), ("b", 1), ("c", 0)]
    assert all(row.confidence > 0.8 for row in found.rows)


def test_what_is_seldom_shown_or_unsure_is_left_out_and_counted(log: ClickLog) -> None:
    every = grade_log(log, CTR, limits_mapping(), showings=1, confidence=0)
    assert (len(every.rows), every.few, every.unsure) == (4, 0, 0)
    sure = sorted(row.confidence for row in every.rows)
    some = grade_log(log, CTR, limits_mapping(), showings=1, confidence=sure[2])
    assert (len(some.rows), some.few, some.unsure) == (2, 0, 2)
    assert [(grade, pairs) for grade, pairs, _ in grade_log(log, CTR, limits_mapping(), showings=99).by_grade()] == [
        (0, 0), (1, 0), (2, 0), (3, 0),
    ]  # fmt: skip


def test_qrels(log: ClickLog) -> None:
    rows = grade_log(log, CTR, steps_mapping({"click": 0.08, "dwell": 0.4})).rows
    assert dict(qrels_of(rows)) == {"q 1": {"a": 2, "b": 1, "c": 0}}
    with raises(InputError, "--least-showings", "--least-confidence"):
        qrels_of([])


def test_mappings_that_are_none(log: ClickLog) -> None:
    for shares in ([], [0.5, 0.4], [0.0], [1.0]):
        with raises(UsageError, "Shares", ", ".join(f"{share:g}" for share in shares)):
            shares_mapping(shares)
    with raises(UsageError, "click", "dwell", "conversion", "'look'"):
        steps_mapping({"look": 0.1})
    with raises(UsageError, "grades", "0.4, 0.2"):
        limits_mapping([0.4, 0.2])
    with raises(UsageError, "confidence", "2"):
        grade_log(log, CTR, limits_mapping(), confidence=2)
    with raises(InputError, "conversion", "click"):
        grade_log(log, CTR, steps_mapping({"conversion": 0.1}))


def test_the_file_of_grades(log: ClickLog) -> None:
    rows = grade_log(log, CTR, limits_mapping()).rows
    text = b"".join(content(rows, "grades.csv")).decode()
    table = list(csv.DictReader(text.splitlines()))
    assert tuple(table[0]) == COLUMNS
    assert [float(row["confidence"]) for row in table] == [row.confidence for row in rows]
    lines = b"".join(content(rows, "grades.jsonl")).decode().splitlines()
    assert json.loads(lines[0])["query_id"] == "q 1"
    assert b"".join(content(rows, "g.TSV")).startswith(b"query_id\tdoc_id\t")
    with raises(UsageError, "'grades.txt'", ".csv", ".tsv", ".jsonl"):
        list(content(rows, "grades.txt"))
