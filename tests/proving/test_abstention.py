"""Abstention: rates by hand and by brute force, the threshold picked on dev, the verdict on test, bad input."""

from __future__ import annotations

import doctest
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.effort import examples
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import part
from rankproof.proving import abstention
from rankproof.proving.abstention import abstention_curve, prove_abstention

Side = tuple[dict[str, float | None], dict[str, bool]]


def side(name: str, without: list[float | None], having: list[float | None]) -> Side:
    scores = {f"{name}-{kind}{i}": s for kind, many in (("u", without), ("a", having)) for i, s in enumerate(many)}
    return scores, {query: "-a" in query for query in scores}


def test_the_example_of_the_page_runs() -> None:
    told = doctest.testmod(abstention)
    assert (told.failed, told.attempted >= 3) == (0, True)


values = st.lists(st.one_of(st.none(), st.integers(-4, 4).map(float)), max_size=8)


@given(without=values, having=values, threshold=st.sampled_from([-9.0, -1.0, 0.0, 0.5, 4.0, 9.0]))
@settings(max_examples=examples(150), deadline=None)
def test_rates_equal_those_of_counted_queries(without: list[Any], having: list[Any], threshold: float) -> None:
    if not without and not having:
        return
    rates = abstention_curve(*side("q", without, having)).at(threshold)
    vain = [score for score in without if score is not None and score >= threshold]
    good = [score for score in having if score is not None and score >= threshold]
    silent, withheld = len(without) - len(vain), len(having) - len(good)
    assert rates.false_answer_rate == (len(vain) / len(without) if without else None)
    assert rates.answer_rate == (len(good) / len(having) if having else None)
    assert rates.abstention_precision == (silent / (silent + withheld) if silent + withheld else None)
    if without:
        assert rates.abstention_recall == pytest.approx(silent / len(without))


def test_the_curve_goes_through_every_score_once() -> None:
    curve = abstention_curve(*side("q", [1.0, 2.0, None], [2.0, 3.0]))
    assert [rates.threshold for rates in curve] == [1.0, 2.0, 3.0]
    assert curve.never == ("q-u2",)
    assert [rates.answered_in_vain for rates in curve] == [2, 1, 0]


def test_the_threshold_is_the_least_that_keeps_to_the_rate() -> None:
    """Ten queries without an answer, scores 1 to 10: two may be answered, so that 8 must be silent and 8.5 answers."""
    dev = side("dev", [float(i) for i in range(1, 11)], [0.5, 8.5, 20.0])
    test = side("test", [0.0] * 100, [9.0] * 3)
    proof = prove_abstention(dev, test, at_most=0.2, guarded=False)
    assert proof.threshold == 8.5
    assert proof.dev.answered_in_vain == 2
    assert (proof.status, proof.test.answer_rate) == ("PASS", 1.0)
    guarded = prove_abstention(side("dev", [float(i) for i in range(100)], [5.0]), test, at_most=0.2)
    # 13 of 100 is the most whose upper bound is at most 0.2.
    assert (guarded.dev.answered_in_vain, guarded.threshold) == (13, 87.0)


@given(
    without=st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30),
    having=st.lists(st.integers(0, 9).map(float)),
)
@settings(max_examples=examples(150), deadline=None)
def test_no_lower_score_keeps_to_the_rate(without: list[float], having: list[float]) -> None:
    dev = side("dev", list(without), list(having))
    proof = prove_abstention(dev, side("test", [0.0], []), at_most=0.25, guarded=False)
    rate = proof.dev.false_answer_rate
    assert rate is not None
    assert rate <= 0.25
    for rates in abstention_curve(*dev):
        if rates.threshold < proof.threshold and rates.false_answer_rate is not None:
            assert rates.false_answer_rate > 0.25


@pytest.mark.parametrize(
    ("wrong", "status"), [(0, "PASS"), (4, "PASS"), (5, "UNDECIDED"), (15, "UNDECIDED"), (16, "FAIL")]
)
def test_exact_bounds_decide_on_test(wrong: int, status: str) -> None:
    dev = side("dev", [0.0] * 60, [1.0])
    test = side("test", [1.0] * wrong + [0.0] * (100 - wrong), [1.0])
    proof = prove_abstention(dev, test, at_most=0.1)
    assert (proof.threshold, proof.status) == (1.0, status)
    # At its upper bound, so few false answers have probability 0.05; at its lower bound, so many.
    assert stats.binom.cdf(wrong, 100, proof.high) == pytest.approx(0.05)
    assert proof.low == 0.0 if not wrong else stats.binom.sf(wrong - 1, 100, proof.low) == pytest.approx(0.05)
    assert bool(proof.decides) == (status == "UNDECIDED")
    assert status in part(proof.section())


def test_too_few_queries_are_undecided_and_say_how_many_it_takes() -> None:
    """0.9^28 = 0.0523 and 0.9^29 = 0.0471."""
    dev = side("dev", [0.0] * 60, [1.0])
    short = prove_abstention(dev, side("test", [0.0] * 28, [1.0]), at_most=0.1)
    assert short.status == "UNDECIDED"
    assert "29" in short.decides
    assert prove_abstention(dev, side("test", [0.0] * 29, [1.0]), at_most=0.1).status == "PASS"


def test_ties_at_the_threshold_are_all_answered() -> None:
    dev = side("dev", [1.0, 2.0, 2.0, 2.0], [2.0, 3.0])
    assert prove_abstention(dev, side("test", [0.0], []), at_most=0.5, guarded=False).threshold == 3.0


def test_where_no_score_is_high_enough_nothing_is_answered() -> None:
    dev = side("dev", [5.0, 5.0], [1.0])
    proof = prove_abstention(dev, side("test", [5.0], [5.0]), at_most=0.2)
    assert proof.threshold > 5.0
    assert (proof.test.answered_in_vain, proof.test.answered) == (0, 0)


def test_public_names_are_these() -> None:
    assert rankproof.prove_abstention is prove_abstention
    assert rankproof.abstention_curve is abstention_curve


@pytest.mark.parametrize("score", [float("nan"), float("inf"), "1", True, [1]])
def test_a_score_that_is_none_is_refused(score: Any) -> None:
    with raises(InputError, "'q1'", repr(score)):
        abstention_curve({"q1": score}, {"q1": True})


@pytest.mark.parametrize("kind", [1, "yes", None])
def test_answerable_is_true_or_false(kind: Any) -> None:
    with raises(InputError, "'q1'", repr(kind)):
        abstention_curve({"q1": 1.0}, {"q1": kind})


def test_a_query_of_no_kind_is_refused() -> None:
    with raises(InputError, "'q2'"):
        abstention_curve({"q1": 1.0, "q2": 1.0}, {"q1": True})


def test_a_query_in_dev_and_test_is_refused() -> None:
    both = side("both", [0.0] * 9, [1.0])
    with raises(UsageError, "dev", "test", "'both-u0'"):
        prove_abstention(both, both, at_most=0.1)


def test_without_unanswerable_queries_nothing_is_proven() -> None:
    with raises(InputError, "test"):
        prove_abstention(side("dev", [0.0], [1.0]), side("test", [], [1.0]), at_most=0.1)


def test_without_any_score_there_is_no_threshold() -> None:
    with raises(InputError, "dev"):
        prove_abstention(side("dev", [None], [None]), side("test", [0.0], [1.0]), at_most=0.1)


@pytest.mark.parametrize("rate", [0, 1, -0.1, 2, float("nan"), "few", True])
def test_a_rate_that_is_none_is_refused(rate: Any) -> None:
    with raises(UsageError, "at_most", repr(rate)):
        prove_abstention(side("dev", [0.0], [1.0]), side("test", [0.0], [1.0]), at_most=rate)


@pytest.mark.parametrize(("wrong", "status"), [(0, "PASS"), (3, "UNDECIDED"), (12, "FAIL")])
def test_a_gate_holds_the_false_answers_of_a_run(wrong: int, status: str) -> None:
    qrels = {f"u{i}": {"d": 0} for i in range(40)} | {f"a{i}": {"d": 1} for i in range(30)}
    run = {f"u{i}": {"x": 1.0} for i in range(wrong)} | {f"a{i}": {"d": 1.0} for i in range(30)}
    rule = {"rule": "least_value", "measure": "FalseAnswers", "at_most": 0.1}
    verdict = rankproof.gate({"rule": [rule]}, qrels=qrels, candidate=run)
    assert verdict.status == status
    (ruling,) = verdict.rulings
    assert ruling.observed == wrong / 40
    # The bounds of the gate are those of the proof: Gaffke's bound is that of Clopper and Pearson for 0 and 1.
    dev = side("dev", [0.0] * 60, [1.0])
    proof = prove_abstention(dev, side("test", [1.0] * wrong + [0.0] * (40 - wrong), [1.0]), at_most=0.1)
    assert (ruling.answer.low, ruling.answer.high) == pytest.approx((proof.low, proof.high), abs=1e-6)
    assert proof.status == status
