"""Blind spots: what a value does not show. Small rankings whose changes can be counted by eye."""

from __future__ import annotations

import pytest

from rankproof.measuring.evaluate import measure_run, prepare
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import DEFAULT_SETTINGS, Settings
from rankproof.proving.movement import blind_spots
from rankproof.proving.movement_records import BlindSpot

JUDGED = {query: {"best": 3, "good": 2, "fair": 1, "bad": 0} for query in ("q1", "q2", "q3")}
NAMES = {3: "best", 2: "good", 1: "fair", 0: "bad"}


def ranked(*grades: int) -> dict[str, float]:
    return {NAMES[grade]: float(-rank) for rank, grade in enumerate(grades)}


def spots(
    runs: list[PreparedRun], measures: str, depth: int | None = None, settings: Settings = DEFAULT_SETTINGS
) -> dict[str, BlindSpot]:
    evaluations = [measure_run(run, parse(measures), settings) for run in runs]
    return {spot.measure: spot for spot in blind_spots(runs, evaluations, depth=depth)}


@pytest.fixture
def engines() -> list[PreparedRun]:
    """RR is 1 everywhere on both sides. nDCG@4 with gains 3, 2, 1 (ideal 3 + 2/1.585 + 1/2 = 4.762):
    q1 3 2 1 0 -> 2 3 1 0: 1.000 -> 0.922, the query that lost;
    q2 3 1 0 2 -> 3 2 1 0: 0.943 -> 1.000;
    q3 1 0 2 3 -> 3 2 1 0: 0.691 -> 1.000. Means 0.878 and 0.974: 0.096 apart.
    """
    judged = prepare(JUDGED)
    old = {"q1": ranked(3, 2, 1, 0), "q2": ranked(3, 1, 0, 2), "q3": ranked(1, 0, 2, 3)}
    new = {"q1": ranked(2, 3, 1, 0), "q2": ranked(3, 2, 1, 0), "q3": ranked(3, 2, 1, 0)}
    return [judged.prepare(old, name="old"), judged.prepare(new, name="new")]


def test_the_case_of_two_engines_with_the_same_rr(engines: list[PreparedRun]) -> None:
    old, new = (measure_run(run, parse("RR nDCG@4"), DEFAULT_SETTINGS) for run in engines)
    assert (f"{old['RR'].mean:.3f}", f"{new['RR'].mean:.3f}") == ("1.000", "1.000")
    assert f"{new['nDCG@4'].mean - old['nDCG@4'].mean:.3f}" == "0.096"
    lost = [q for q in JUDGED if new["nDCG@4"].by_query[q] < old["nDCG@4"].by_query[q]]
    assert lost == ["q1"]
    assert f"{new['nDCG@4'].by_query['q1']:.3f}" == "0.922"
    seen = spots(engines, "RR nDCG@4")
    assert seen["RR"].unseen == ("q1", "q2", "q3")
    assert (seen["RR"].changed, seen["RR"].queries, seen["RR"].share) == (3, 3, 1.0)
    assert seen["RR"].seen_by["nDCG@4"] == 3
    assert seen["nDCG@4"].unseen == ()
    assert seen["nDCG@4"].share == 0


def test_usual_measures_are_offered_to_who_asked_for_one(engines: list[PreparedRun]) -> None:
    """AP with every relevant document found: q1 swaps two relevant ones, which AP does not see."""
    (spot,) = spots(engines, "RR@4").values()
    assert spot.depth == 4
    assert spot.seen_by == {"nDCG@4": 3, "AP@4": 2}


def test_other_documents_of_the_same_grades_are_no_change_that_a_measure_could_see() -> None:
    judged = prepare({"q": {"a": 1, "b": 1, "c": 0}, "r": {"a": 1}})
    one = judged.prepare({"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "r": {"x": 2.0, "a": 1.0}})
    two = judged.prepare({"q": {"b": 3.0, "a": 2.0, "x": 1.0}, "r": {"y": 2.0, "a": 1.0}}, name="two")
    (spot,) = spots([one, two], "nDCG").values()
    assert (spot.changed, spot.alike, spot.unseen, spot.candidate) == (0, 2, (), "two")
    assert spot.share == 0


def test_how_deep_to_look() -> None:
    """The relevant document moves from rank 3 to rank 4: below both cutoffs, above the other, and with none."""
    judged = prepare({"q": {"a": 1}})
    one = judged.prepare({"q": {"w": 4.0, "x": 3.0, "a": 2.0, "y": 1.0}})
    two = judged.prepare({"q": {"w": 4.0, "x": 3.0, "y": 2.0, "a": 1.0}})
    changed = {
        text: found["P@2"].changed for text in ("P@2", "P@2 P@3", "P@2 RR") for found in [spots([one, two], text)]
    }
    assert changed == {"P@2": 0, "P@2 P@3": 1, "P@2 RR": 1}
    assert spots([one, two], "P@2", depth=4)["P@2"].changed == 1
    assert spots([one, two], "P@2 RR", settings=Settings(depth=2))["P@2"].changed == 0
    found = spots([one, two], "P@2 RR")
    assert found["P@2"].unseen == ("q",)
    assert found["P@2"].seen_by == {"RR": 1, "nDCG": 1, "AP": 1}
    assert found["P@2"].depth is None


def test_a_measure_without_a_value_shows_nothing_there() -> None:
    """MinPos is undefined where nothing relevant is found: in q2 on both sides, in q1 on one."""
    judged = prepare({"q1": {"a": 1}, "q2": {"a": 1, "b": 2}})
    one = judged.prepare({"q1": {"a": 1.0}, "q2": {"b": 1.0}})
    two = judged.prepare({"q1": {"x": 1.0}, "q2": {"a": 1.0}})
    found = spots([one, two], "MinPos")["MinPos"]
    assert (found.changed, found.unseen) == (2, ("q2",))


@pytest.mark.parametrize("dialect", ["trec_eval", "beir", "ranx"])
def test_dialects(dialect: str, engines: list[PreparedRun]) -> None:
    found = spots(engines, "nDCG@4", settings=Settings(dialect=dialect))
    assert found["nDCG@4"].changed == 3
