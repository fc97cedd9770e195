"""Values from a model's grades and a few of people's."""

from __future__ import annotations

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.judging.correction.correct import correct
from rankproof.judging.correction.plan import plan_judging
from rankproof.judging.correction.records import Corrected
from rankproof.kernel.estimate import NotEstimable
from rankproof.measuring.evaluate import evaluate
from rankproof.proving.agreement_records import AgreementFigure

Grades = dict[str, dict[str, int]]
QUERIES = [f"q{i:02}" for i in range(30)]
MEASURES = "P@5 P(rel=2)@5 DCG@5 DCG(gain=exp2)@5 nDCG@5 nDCG(gain=exp2)@5 nDCG(ideal=judged_uncut)@5 RBP(p=0.8)@5"


def world(
    seed: int = 0,
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """People, a model that errs upward, and two runs, the second with a document that nobody graded at its top."""
    rng = np.random.default_rng(seed)
    human = {q: {f"d{j}": int(rng.choice(4, p=[0.5, 0.2, 0.2, 0.1])) for j in range(12)} for q in QUERIES}
    model = {q: {d: min(3, g + int(rng.random() < 0.4)) for d, g in docs.items()} for q, docs in human.items()}
    runs = {
        "first": {q: [f"d{j}" for j in rng.permutation(12)] for q in QUERIES},
        "second": {q: ["x", *(f"d{j}" for j in rng.permutation(12))] for q in QUERIES[1:]},
    }
    return human, model, runs


def pooled(human: Grades, runs: dict[str, dict[str, list[str]]]) -> Grades:
    """People's grades of the runs' first five."""
    seen = {q: {d for ranking in runs.values() for d in ranking.get(q, [])[:5]} for q in human}
    return {q: {d: g for d, g in docs.items() if d in seen[q]} for q, docs in human.items()}


def by(found: tuple[Corrected, ...], measure: str, run: str, baseline: str | None = None) -> Corrected:
    return next(one for one in found if (one.measure, one.run, one.baseline) == (measure, run, baseline))


def test_with_every_grade_it_is_the_value() -> None:
    """All pairs judged: exactly what `evaluate` gives on them, missing queries counting 0, for every measure."""
    human, model, runs = world()
    found = correct(human, model, runs, MEASURES)
    assert found.design == "taking all of them"
    assert found.human == found.frame
    people = pooled(human, runs)
    for measure in MEASURES.split():
        values = {}
        for name, ranking in runs.items():
            run = {q: {d: -float(i) for i, d in enumerate(docs)} for q, docs in ranking.items()}
            values[name] = evaluate(people, run, measure, complete=True)[measure].mean
            one = by(found.estimates, measure, name)
            assert isinstance(one.corrected, AgreementFigure)
            assert one.corrected.value == pytest.approx(values[name], abs=1e-12), measure
            assert one.corrected.low == pytest.approx(one.corrected.high)
        difference = by(found.estimates, measure, "second", "first").corrected
        assert difference.value == pytest.approx(values["second"] - values["first"], abs=1e-12)


def test_the_naive_value_is_the_models() -> None:
    human, model, runs = world()
    graded = pooled(model, runs)
    found = correct(human, model, runs, MEASURES)
    for measure in MEASURES.split():
        for name, ranking in runs.items():
            run = {q: {d: -float(i) for i, d in enumerate(docs)} for q, docs in ranking.items()}
            value = evaluate(graded, run, measure, complete=True)[measure].mean
            assert by(found.estimates, measure, name).naive == pytest.approx(value, abs=1e-12)


def sampled(human: Grades, share: float, seed: int = 1) -> Grades:
    rng = np.random.default_rng(seed)
    return {q: {d: g for d, g in docs.items() if rng.random() < share} for q, docs in human.items()}


def test_a_sample_is_narrower_with_the_model() -> None:
    human, model, runs = world()
    found = correct(sampled(human, 0.4), model, runs, "P@5 DCG@5 nDCG@5")
    assert 90 < found.human < found.frame
    assert any("outside of the" in note for note in found.notes)  # x, which the model did not grade
    for one in found.estimates:
        assert isinstance(one.corrected, AgreementFigure)
        assert isinstance(one.human, AgreementFigure)
        assert one.corrected.low < one.corrected.value < one.corrected.high
        assert bool(one.assumption) == (one.measure == "nDCG@5")
    mine = by(found.estimates, "DCG@5", "first")
    assert isinstance(mine.corrected, AgreementFigure)
    assert isinstance(mine.human, AgreementFigure)
    assert mine.corrected.high - mine.corrected.low < mine.human.high - mine.human.low
    assert mine.weight is not None
    assert 0.5 < mine.weight < 1.5


def test_a_model_with_a_shorter_scale_still_helps() -> None:
    """Relevant or not against grades up to 3: P(rel=2) of its grades is 0 everywhere, and yet they tell something."""
    human, model, runs = world()
    binary = {q: {d: int(g >= 2) for d, g in docs.items()} for q, docs in model.items()}
    one = by(correct(sampled(human, 0.4), binary, runs, "P(rel=2)@5").estimates, "P(rel=2)@5", "first")
    assert one.naive == 0.0
    assert one.weight is not None
    assert one.weight > 0.3


def test_a_plan_is_followed() -> None:
    human, model, runs = world()
    plan = plan_judging(model, runs, "DCG@5", 80, anchor=sampled(human, 0.2))
    asked = {(pair.query_id, pair.doc_id) for pair in plan.chosen}
    judged = {q: {d: g for d, g in docs.items() if (q, d) in asked} for q, docs in human.items()}
    found = correct(judged, model, runs, "DCG@5", plan=plan)
    assert found.human == 80
    assert found.design == "the plan's draw of 80 pairs with known probabilities"
    # Grades of pairs that were not planned are not used: they were not drawn.
    assert correct(human, model, runs, "DCG@5", plan=plan).estimates == found.estimates
    last = plan.chosen[-1]
    del judged[last.query_id][last.doc_id]
    fewer = correct(judged, model, runs, "DCG@5", plan=plan)
    assert "1 of the 80 planned pairs have no human grade; they are taken to be missing by chance" in fewer.notes


def test_an_uneven_draw_gives_ndcg_no_interval_but_its_difference_one() -> None:
    human, model, runs = world()
    plan = plan_judging(model, runs, "DCG@5", 120)
    value, other, difference = correct(human, model, runs, "nDCG@5", plan=plan).estimates
    for one in (value, other):
        assert isinstance(one.corrected, NotEstimable)
        assert one.corrected.value is not None
        assert one.corrected.reason.startswith("an uneven draw tells too little about the ideal ranking")
    assert isinstance(difference.corrected, AgreementFigure)
    even = plan_judging(model, runs, "nDCG@5", 120)
    assert len({round(pair.probability, 9) for pair in even.pairs}) == 1
    assert all(
        isinstance(one.corrected, AgreementFigure) for one in correct(human, model, runs, "nDCG@5", plan=even).estimates
    )


def test_pairs_without_a_grade_of_the_model_are_told() -> None:
    human, model, runs = world()
    plan = plan_judging(model, runs, "P@5", 80)
    some = plan.pairs[0]
    del model[some.query_id][some.doc_id]
    found = correct(human, model, runs, "P@5", plan=plan)
    assert any(note.startswith("1 pairs have no grade of the model") for note in found.notes)


def test_few_grades_have_no_interval() -> None:
    human, model, runs = world()
    found = correct({"q00": human["q00"]}, model, {"first": runs["first"]}, "P@5 nDCG@5")
    for one in found.estimates:
        assert isinstance(one.corrected, NotEstimable)
        assert one.corrected.value is None
        assert "only 5 of the pairs that people graded" in one.corrected.reason


def test_grades_that_do_not_vary_have_no_interval() -> None:
    human, model, runs = world()
    none = {q: dict.fromkeys(docs, 0) for q, docs in sampled(human, 0.5).items()}
    found = correct(none, model, runs, "P@5 nDCG@5")
    assert all(isinstance(one.corrected, NotEstimable) for one in found.estimates)


def test_what_is_refused() -> None:
    human, model, runs = world()
    with raises(UsageError, "RR@5", "P", "DCG", "RBP", "nDCG"):
        correct(human, model, runs, "RR@5")
    with raises(UsageError, "nDCG(ideal=retrieved)@5", "P", "DCG", "RBP"):
        correct(human, model, runs, "nDCG(ideal=retrieved)@5")
    with raises(InputError, "212", "rankproof judge plan"):
        correct({"q00": {"y": 1}}, model, runs, "P@5")
