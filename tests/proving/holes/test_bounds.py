"""Bounds over unjudged documents: small cases checked by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.core import Rows
from rankproof.errors import UsageError
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import prepare_qrels
from rankproof.measuring.records import Settings
from rankproof.proving.holes import summary as package
from rankproof.proving.holes.bounds import Bound, MeasureBounds
from rankproof.proving.holes.summary import holes
from rankproof.reading.records import Qrels

Rankings = dict[str, list[str]]


def bounds(qrels: dict[str, dict[str, int]], *runs: Rankings, measure: str, **choices: Any) -> MeasureBounds:
    judged = prepare_qrels(qrels)
    prepared = [judged.prepare(run, name=f"run{i}") for i, run in enumerate(runs)]
    (found,) = holes(prepared, parse(measure), **choices).bounds
    return found


def ends(bound: Bound) -> tuple[float, float]:
    return round(bound.least, 4), round(bound.greatest, 4)


# b is judged relevant (grade 2) at rank 2; a and c are not judged.
QRELS = {"q": {"b": 2, "n": 0}}
RUN = {"q": ["a", "b", "c"]}


@pytest.mark.parametrize(
    ("measure", "least", "greatest"),
    [
        ("P@3", 1 / 3, 1.0),
        ("RR", 0.5, 1.0),
        ("Success@1", 0.0, 1.0),
        ("R@1", 0.0, 0.5),  # b alone is relevant: 0 of 1; a too: 1 of 2
        ("R@2", 0.5, 1.0),  # c relevant and not found: 1 of 2; a relevant: 2 of 2
        ("AP", 0.5, 1.0),  # b alone: 1/2 (c too: (1/2 + 2/3)/2 = 0.58); all: 1
        ("DCG@2", 2 / math.log2(3), 2 + 2 / math.log2(3)),
        ("NumRel", 1.0, 3.0),
        # a and c at grade 2, and nothing more above: 2/log2(3) over 2 (1 + 1/log2(3)) at the least; 1 at the most.
        ("nDCG@2", (1 + 1 / math.log2(3)) ** -1 / math.log2(3), 1.0),
        # All documents found there, none of them relevant but b, or all of them: F = 2 x f / (3 + R).
        ("F@3", 0.5, 1.0),
        ("MinPos", 1.0, 2.0),
        ("AvgPos", 1.5, 2.5),
    ],
)
def test_one_run(measure: str, least: float, greatest: float) -> None:
    found = bounds(QRELS, RUN, measure=measure).values[0]
    assert ends(found) == (round(least, 4), round(greatest, 4))
    assert found.exact
    assert found.by_query.tolist() == [[pytest.approx(least), pytest.approx(greatest)]]


def test_a_pool_adds_documents_that_no_run_has() -> None:
    """Two more that may be relevant: R@2 falls to 1 of (b, c, x, y); AP to 1/2 / 3, with c at rank 3 left out."""
    pool = {"q": ["x", "y", "b"], "another": ["z"]}
    assert ends(bounds(QRELS, RUN, measure="R@2", pool=pool).values[0]) == (0.25, 1.0)
    assert ends(bounds(QRELS, RUN, measure="AP", pool=pool).values[0]) == (round(0.5 / 3, 4), 1.0)
    assert ends(bounds(QRELS, RUN, measure="P@3", pool=pool).values[0]) == (round(1 / 3, 4), 1.0)


def test_the_other_run_adds_documents_too() -> None:
    """d is only in the second run: the first one's R@2 falls to 1 of (b, c, d)."""
    found = bounds(QRELS, RUN, {"q": ["d"]}, measure="R@2")
    assert ends(found.values[0]) == (round(1 / 3, 4), 1.0)


@pytest.mark.parametrize("measure", ["R@2", "AP", "nDCG@2", "nDCG"])
def test_without_a_finite_universe_the_least_is_0_and_it_says_so(measure: str) -> None:
    found = bounds(QRELS, RUN, measure=measure, universe="open").values[0]
    assert found.least == 0.0
    assert found.note == f"without a finite universe the least {measure} is 0"
    assert not found.exact
    assert found.greatest == pytest.approx(bounds(QRELS, RUN, measure=measure).values[0].greatest)


def test_without_a_finite_universe_sums_stay_as_they_are() -> None:
    for measure in ("P@3", "DCG@2", "RR", "RBP"):
        open_, closed = (bounds(QRELS, RUN, measure=measure, universe=u).values[0] for u in ("open", "union"))
        assert ends(open_) == ends(closed)
        assert open_.exact
    assert bounds(QRELS, RUN, measure="NumRel", universe="open").values[0].greatest == math.inf


def test_a_difference_is_bounded_jointly() -> None:
    """Both runs have a first: whatever its grade, it is the same on both sides. b is judged, d decides."""
    found = bounds(QRELS, {"q": ["a", "b"]}, {"q": ["a", "d"]}, measure="P@2")
    assert ends(found.values[0]) == (0.5, 1.0)
    assert ends(found.values[1]) == (0.0, 1.0)
    assert ends(found.differences[0]) == (-0.5, 0.0)
    assert found.differences[0].exact


def test_a_reordering_moves_no_recall() -> None:
    found = bounds(QRELS, {"q": ["a", "b", "c"]}, {"q": ["c", "b", "a"]}, measure="R@3")
    assert ends(found.differences[0]) == (0.0, 0.0)


def test_a_difference_of_0_has_no_sign_by_rounding() -> None:
    """The same three documents at the same ranks, in another order of grades: sums that differ in the last bit."""
    qrels = {f"q{i}": {"a": 1, "b": 2, "c": 3} for i in range(3)}
    one = {"q0": ["a", "b", "c"], "q1": ["b", "c", "a"], "q2": ["c", "a", "b"]}
    other = {"q0": ["c", "a", "b"], "q1": ["a", "b", "c"], "q2": ["b", "c", "a"]}
    assert bounds(qrels, one, other, measure="DCG").differences[0].least == 0.0


def test_the_difference_of_ndcg_by_hand() -> None:
    """Ranks 1 and 2 change places. The difference is (1 - 1/log2(3)) (g_d - 1) over the ideal, g_d from 0 to 1.

    d at 0: ideal 1, -(1 - 0.6309); d at 1: 0.
    """
    found = bounds({"q": {"b": 1}}, {"q": ["b", "d"]}, {"q": ["d", "b"]}, measure="nDCG@2")
    assert ends(found.differences[0]) == (-0.3691, 0.0)
    assert found.differences[0].exact


def test_a_query_without_relevant_documents_counts_0_and_could_count_1() -> None:
    qrels = {"q": {"b": 1}, "none": {"n": 0}}
    found = bounds(qrels, {"q": ["b"], "none": ["n", "x"]}, measure="nDCG@10").values[0]
    # In the second query x at rank 2 could be the only relevant document.
    assert found.by_query[1].tolist() == [0.0, pytest.approx(1 / math.log2(3))]
    assert found.least == pytest.approx(0.5)


def test_a_query_that_a_run_lacks_counts_0() -> None:
    found = bounds({"q": {"b": 1}, "lacking": {"b": 1}}, {"q": ["b"]}, {"lacking": ["b", "x"]}, measure="R@5")
    assert found.values[0].by_query.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert found.values[1].by_query.tolist() == [[0.0, 0.0], [1.0, 1.0]]


def test_depth_cuts_the_rankings_and_not_the_universe() -> None:
    """At depth 1 only a is looked at; c, further down, may still be relevant."""
    assert ends(bounds(QRELS, RUN, measure="R@10", depth=1).values[0]) == (0.0, 0.5)


def test_a_top_grade_of_ones_own() -> None:
    assert ends(bounds(QRELS, RUN, measure="DCG@1", top_grade=4).values[0]) == (0.0, 4.0)
    assert ends(bounds(QRELS, RUN, measure="DCG@1").values[0]) == (0.0, 2.0)
    with raises(UsageError, "grade", "-1"):
        bounds(QRELS, RUN, measure="DCG@1", top_grade=-1)


def test_what_says_what_is_judged_now_is_not_moved() -> None:
    found = bounds(QRELS, RUN, measure="Judged@3").values[0]
    assert ends(found) == (0.3333, 0.3333)
    assert found.note == "no grade moves it: it says what is judged now"


def test_a_value_that_passes_over_unjudged_documents_may_lie_outside() -> None:
    """Bpref now: b has nothing judged not relevant above it, so 1. Judged, a is relevant or not above b."""
    found = bounds({"q": {"b": 1}}, {"q": ["a", "b"]}, {"q": ["b"]}, measure="Bpref")
    assert ends(found.values[0]) == (0.0, 1.0)
    lower = bounds({"q": {"b": 1, "c": 1, "n": 0}}, {"q": ["n", "b"]}, measure="Bpref", pool={"q": ["x", "y"]})
    assert lower.values[0].contains(0.0)


def test_positions_are_over_the_queries_that_have_one() -> None:
    """q1: 2 for sure, or 1 with a relevant. q2: 3, or nothing at all: the least mean leaves it out, or has it at 3."""
    qrels = {"q1": {"b": 1}, "q2": {"n": 0}}
    found = bounds(qrels, {"q1": ["a", "b"], "q2": ["n", "n2", "x"]}, measure="MinPos", top_grade=1).values[0]
    assert found.least == 1.0
    assert found.greatest == 2.5  # q1 at 2 and q2 at 3; n2 not relevant
    assert found.by_query.tolist() == [[1.0, 2.0], [2.0, 3.0]]


def test_geometric_differences_are_in_logarithms_and_sums_are_means() -> None:
    runs = {"q": ["a", "b"]}, {"q": ["b", "a"]}
    gmap = bounds({"q": {"b": 1, "a": 0}}, *runs, measure="GMAP").differences[0]
    assert ends(gmap) == (round(math.log(2), 4),) * 2
    assert gmap.exact
    assert gmap.note == "in natural logarithms"
    two = {"q": {"b": 1}, "r": {"b": 1}}
    found = bounds(two, {"q": ["b"], "r": ["b"]}, {"q": ["x"], "r": ["b"]}, measure="NumRelRet")
    assert ends(found.values[0]) == (2.0, 2.0)
    assert ends(found.differences[0]) == (-0.5, 0.0)


def test_subtopics_are_bounded_by_the_range() -> None:
    rows = Rows.from_columns(["q", "q"], ["a", "b"], np.array([1.0, 1.0]), label=["1", "2"])
    judged = prepare_qrels(Qrels(rows))
    run = judged.prepare({"q": ["a", "x"]})
    (found,) = holes([run], parse("StRecall@2")).bounds
    assert ends(found.values[0]) == (0.0, 1.0)
    assert "any subtopic" in found.values[0].note
    (sure,) = holes([judged.prepare({"q": ["a", "b"]})], parse("StRecall@1")).bounds
    assert ends(sure.values[0]) == (0.5, 0.5)


def test_rates_and_a_warning_when_they_differ() -> None:
    judged = prepare_qrels({"q": {"a": 1, "b": 0}})
    runs = [judged.prepare({"q": ["a", "b"]}, name="old"), judged.prepare({"q": ["a", "x"]}, name="new")]
    found = holes(runs, parse("P@2"), judged_at=2)
    assert found.judged_rates == (1.0, 0.5)
    assert found.documents == 1
    assert found.universe == "the documents of both runs, with grades 0 to 1 where nobody judged"
    assert found.warning == (
        "Of the first 2 documents, 50% of new are unjudged and 0% of old: unjudged documents count as not relevant, "
        "so new may look worse than it is."
    )
    assert holes(runs[:1], parse("P@2")).warning == ""


def test_a_short_or_missing_ranking_has_nothing_that_is_unjudged() -> None:
    judged = prepare_qrels({"q": {"a": 1, "b": 0}, "r": {"a": 1}})
    runs = [judged.prepare({"q": ["a", "b"], "r": ["a"]}), judged.prepare({"q": ["a"]}, name="short")]
    found = holes(runs, parse("P@2"), judged_at=2)
    assert found.judged_rates == (1.0, 0.5)
    assert found.warning == ""


def test_measures_by_other_rules_have_no_bounds_and_say_why() -> None:
    judged = prepare_qrels({"q": {"a": 1}})
    run = judged.prepare({"q": ["x", "a"]})
    found = holes([run], parse("P@2"), settings=Settings(judged_only=True))
    assert found.bounds == ()
    assert "condensed rankings" in found.note


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (Settings(dialect="trec_eval"), "the dialect trec_eval"),
        (Settings(judged_only=True), "condensed rankings"),
        (Settings(undefined="skip"), "left out where undefined"),
    ],
)
def test_no_bounds_for_other_numbers(settings: Settings, why: str) -> None:
    run = prepare_qrels(QRELS).prepare(RUN)
    found = holes([run], parse("P@2"), settings=settings)
    assert found.bounds == ()
    assert why in found.note
    assert found.judged_rates == (pytest.approx(1 / 3),)


def test_no_bounds_for_more_documents_than_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MOST_DOCUMENTS", 5)
    run = prepare_qrels(QRELS).prepare(RUN)
    found = holes([run, run], parse("P@2"))
    assert (found.bounds, found.documents) == ((), 4)
    assert found.note == "no bounds over unjudged documents: 6 ranked documents are more than are gone through"


def test_a_level_is_that_of_the_evaluation() -> None:
    run = prepare_qrels(QRELS).prepare(RUN)
    (found,) = holes([run], parse("P@2"), settings=Settings(level=3), top_grade=3).bounds
    assert found.measure == "P@2"
    assert ends(found.values[0]) == (0.0, 0.5)  # b, of grade 2, no longer counts


def test_refusals() -> None:
    one, other = (prepare_qrels(QRELS).prepare(RUN) for _ in range(2))
    with raises(UsageError, "runs", "judgments"):
        holes([one, other], parse("P@2"))
    with raises(UsageError, "run", "unjudged"):
        holes([], parse("P@2"))
