"""The batch, by hand: two variants, three queries, a few picks and flags."""

from __future__ import annotations

import csv
import io
import json

import pytest

import rankproof
from rankproof.judging.preference_batch import batch_csv, summarize
from rankproof.judging.preferences import PreferenceBatch, settled_grades, standing
from rankproof.judging.records import SCALES, Judgment, Mark, Preference

RUNS = {
    "a": {"q1": ["d1", "d2", "d3"], "q2": ["d1", "d2", "d3"], "q3": ["d9"]},
    "b": {"q1": ["d3", "d4", "d1"], "q2": ["d4", "d5"]},
}
MARKS = [
    Mark("m1", "pick", "ann", "q1", "d1", variant="a"),
    Mark("m2", "pick", "ann", "q1", "d1", variant="b"),  # the same again, seen on the other side
    Mark("m3", "pick", "bob", "q1", "d1", variant="a"),
    Mark("m4", "flag", "ann", "q1", "d4", reason="off topic", variant="b"),
    Mark("m5", "flag", "ann", "q2", "d4", reason="duplicate", variant="b"),
    Mark("m6", "flag", "bob", "q2", "d4", variant="b"),
    Mark("m7", "flag", "ann", "q1", "d77", reason="off topic"),  # nobody shows it
]
SAID = [
    Preference("p1", "ann", "q1", ("a", "b"), "a", blind=True),
    Preference("p2", "ann", "q2", ("b", "a"), None),
    Preference("p3", "ann", "q2", ("a", "x"), "x"),  # of another round
]
GRADES = {"q1": {"d1": 2, "d2": 0, "d3": 1}}


def made(k: int = 2) -> PreferenceBatch:
    return summarize(RUNS, SAID, MARKS, GRADES, relevant=1, k=k)


def test_the_counts() -> None:
    batch = made()
    assert (batch.queries, batch.judges, batch.preferences, batch.blind) == (2, ("ann", "bob"), 2, 1)
    assert (batch.picks, batch.flags) == (2, 3)
    (duel,) = batch.duels
    assert (duel.first, duel.second, duel.wins, duel.ties, duel.losses) == ("a", "b", 1, 1, 0)


def test_each_variant() -> None:
    a, b = made().variants
    # q1: d1 is relevant, d2 not: 1 of 2. Nothing of q2 has a grade. Both picks are of d1, at rank 1 of a.
    assert (a.precision, a.precision_queries, a.judged) == (0.5, 1, 1.0)
    assert (a.ranked, a.picks, a.picks_by_rank, a.flags) == (2, 2, (2, 0), 0)
    # b's first two of q1: d3 is relevant, d4 has no grade: 1 of 2, half of them judged. It shows d1 below the first 2.
    assert (b.precision, b.judged, b.picks, b.picks_by_rank) == (0.5, 0.5, 0, (0, 0))
    assert (b.flags, dict(b.flags_by_reason)) == (3, {"duplicate": 1, "no reason": 1, "off topic": 1})


def test_a_pick_counts_for_every_variant_that_shows_the_document() -> None:
    a, b = made(k=3).variants
    assert (a.picks_by_rank, b.picks_by_rank) == ((2, 0, 0), (0, 0, 2))


def test_precision_is_that_of_the_measure() -> None:
    for k in (1, 2, 3, 5):
        for name, run in RUNS.items():
            scores = {"q1": {doc: float(-rank) for rank, doc in enumerate(run["q1"])}}
            measured = rankproof.evaluate(GRADES, scores, f"P@{k}")[f"P@{k}"].mean
            assert standing(run["q1"], GRADES["q1"], 1, (), k).precision == pytest.approx(measured), (k, name)


def test_nothing_judged_is_undefined_and_no_zero() -> None:
    found = standing(["d1", "d2"], {}, 1, (), 2)
    assert (found.precision, found.judged) == (None, 0)


def test_grades_are_settled_by_most_people_and_a_split_is_none() -> None:
    grades = [("ann", "d1", 2), ("bob", "d1", 2), ("cy", "d1", 0), ("ann", "d2", 1), ("bob", "d2", 3)]
    acts = [Judgment(f"{judge}{doc}", judge, "q1", doc, grade) for judge, doc, grade in grades]
    assert settled_grades(acts, SCALES["graded"]) == {"q1": {"d1": 2}}


def test_it_is_written_as_json_and_as_a_table_without_formulas() -> None:
    batch = summarize({"=a()": RUNS["a"], "b": RUNS["b"]}, [], MARKS, GRADES, 1, 2)
    assert json.loads(json.dumps(batch.to_dict(), allow_nan=False))["variants"][0]["name"] == "=a()"
    rows = list(csv.DictReader(io.StringIO(batch_csv(batch))))
    assert {row["variant"] for row in rows} == {"", "'=a()", "b"}
    assert {"what": "picks", "variant": "'=a()", "against": "", "detail": "rank 1", "value": "2"} in rows
    assert {"what": "precision", "variant": "b", "against": "", "detail": "first 2", "value": "0.5"} in rows


def test_nothing_said_is_a_batch_too() -> None:
    batch = summarize({"a": {}}, [], [], {}, 1, 10)
    assert (batch.queries, batch.judges, batch.duels) == (0, (), ())
    assert batch.variants[0].precision is None
    assert "precision,a,,first 10,undefined" in batch_csv(batch)
