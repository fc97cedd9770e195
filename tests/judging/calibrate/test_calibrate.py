"""Judges held against people's grades."""

from __future__ import annotations

import pytest
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

from rankproof.errors import InputError, UsageError
from rankproof.judging.calibrate import calibrate
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement_records import AgreementFigure
from rankproof.reading.collect import read_qrels, read_run

HUMAN = {
    "q1": {"a": 2, "b": 1, "c": 0, "d": 0},
    "q2": {"a": 0, "b": 3, "c": 1, "d": 0},
    "q3": {"a": 1, "b": 0, "c": 0, "d": 2},
}
MODEL = {
    "q1": {"a": 2, "b": 2, "c": 0, "d": 1},
    "q2": {"a": 0, "b": 3, "c": 1, "d": 1},
    "q3": {"a": 1, "b": 0, "c": 1},
}


def test_what_a_judge_said() -> None:
    found = calibrate(HUMAN, {"m": [MODEL]}, name="qrels.trec")
    (judge,) = found.judges
    assert (found.pairs, found.queries, judge.missing) == (12, 3, 1)
    agreement = judge.agreement
    assert (agreement.pairs, agreement.queries) == (11, 3)
    # Of people's 0: 0, 1 / 0, 1 / 0, 1; of 1: 2 / 1 / 1; 2 and 3 as people say.
    assert agreement.confusion.levels == (0, 1, 2, 3)
    assert agreement.confusion.counts == ((3, 3, 0, 0), (0, 2, 1, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    assert agreement.share.value == pytest.approx(7 / 11)
    bias = {grade: answer.value for grade, answer in agreement.bias.items()}
    assert bias == pytest.approx({0: 0.5, 1: 1 / 3, 2: 0.0, 3: 0.0})
    assert judge.stability is None
    assert judge.orders == ()


def test_relevant_or_not() -> None:
    """From 1 of people and 2 of the judge: people 5 relevant of 11, the judge 3, all of them people's."""
    (judge,) = calibrate(HUMAN, {"m": [MODEL]}, relevant=1, model_relevant=2).judges
    assert judge.threshold == (1, 2)
    assert judge.agreement.confusion.counts == ((6, 0), (2, 3))
    with raises(UsageError, "judge", "grade"):
        calibrate(HUMAN, {"m": [MODEL]}, model_relevant=2)


def test_asked_again() -> None:
    """The second pass differs in one of the 11 pairs that both have."""
    again = {**MODEL, "q1": {**MODEL["q1"], "a": 3}}
    (judge,) = calibrate(HUMAN, {"m": [MODEL, again]}).judges
    stable = judge.stability
    assert stable is not None
    assert (stable.passes, stable.pairs) == (2, 11)
    assert stable.share.value == pytest.approx(10 / 11)
    assert stable.alpha.value is not None
    assert judge.agreement.share.value == pytest.approx(7 / 11)  # the first pass is its word


def test_the_same_every_time_has_no_interval() -> None:
    (judge,) = calibrate(HUMAN, {"m": [MODEL, MODEL]}).judges
    assert judge.stability is not None
    assert isinstance(judge.stability.share, NotEstimable)
    assert judge.stability.share.value == 1.0


def test_nothing_in_common_is_refused() -> None:
    with raises(InputError, "m", "qrels"):
        calibrate(HUMAN, {"m": [{"q9": {"a": 1}}]}, name="qrels")
    with raises(UsageError, "'m'", "qrels"):
        calibrate(HUMAN, {"m": []})


def test_a_judge_called_human() -> None:
    (judge,) = calibrate(HUMAN, {"human": [MODEL]}).judges
    assert judge.name == "human"
    assert judge.agreement.pairs == 11


def test_systems_are_held_against_the_same_pairs() -> None:
    """d of q3 has no grade of the model, so people's grade of it counts for nothing either."""
    runs = {
        "good": {"q1": {"a": 3, "b": 2}, "q2": {"b": 3, "c": 2}, "q3": {"d": 3, "a": 2}},
        "fair": {"q1": {"b": 3, "c": 2}, "q2": {"c": 3, "b": 2}, "q3": {"d": 3, "b": 2}},
        "poor": {"q1": {"c": 3, "d": 2}, "q2": {"a": 3, "d": 2}, "q3": {"c": 3, "b": 2}},
    }
    (judge,) = calibrate(HUMAN, {"m": [MODEL]}, runs=runs, measures="P@2").judges
    (order,) = judge.orders
    # Relevant in the first two, by people: 2+2+1, 1+2+0, 0+0+0 of 6; by the model: 2+2+1, 1+2+0, 1+1+1.
    assert order.human == pytest.approx({"good": 5 / 6, "fair": 3 / 6, "poor": 0.0})
    assert order.model == pytest.approx({"good": 5 / 6, "fair": 3 / 6, "poor": 3 / 6})
    # Of three pairs of systems the model ties one: tau-b = 2 / sqrt(3 x 2).
    assert order.tau.value == pytest.approx(2 / 6**0.5)
    assert order.swapped == ()


@needs_shared_data
def test_real_judges() -> None:
    folder = SHARED / "dl20"
    human = read_qrels(folder / "qrels.trec")
    names = ("gpt-4o_umbrela", "gpt-4o_binary", "llama3.2_binary")
    judges = {name: [read_qrels(folder / "llm_qrels" / f"{name}.trec")] for name in names}
    runs = {path.stem: read_run(path).cut(10) for path in sorted((folder / "runs").iterdir())}
    found = {judge.name: judge for judge in calibrate(human, judges, runs=runs).judges}
    kappa = {name: judge.agreement.kappa["none"] for name, judge in found.items()}
    assert kappa["gpt-4o_umbrela"].value == pytest.approx(0.34, abs=0.01)
    assert kappa["gpt-4o_binary"].value == pytest.approx(0.33, abs=0.01)
    assert kappa["llama3.2_binary"].value == pytest.approx(0.20, abs=0.01)
    for judge in found.values():
        agreement = judge.agreement
        for answer in (agreement.share, *agreement.kappa.values(), *agreement.alpha.values(), *agreement.bias.values()):
            assert isinstance(answer, AgreementFigure)
            assert answer.low < answer.value < answer.high
        assert isinstance(judge.orders[0].tau, AgreementFigure)
    assert found["gpt-4o_binary"].missing == 5
    assert found["gpt-4o_umbrela"].orders[0].tau.value == 1.0
    assert found["llama3.2_binary"].orders[0].tau.value == pytest.approx(15 / 21)
