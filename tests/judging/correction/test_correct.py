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
            # Over queries something is left open: about what the queries' own spread says, by Student's t.
            assert isinstance(one.over_queries, AgreementFigure)
            spread = evaluate(people, run, measure, complete=True)[measure].values
            reach = 2.045 * float(np.std(spread, ddof=1)) / len(QUERIES) ** 0.5
            assert one.over_queries.high - one.over_queries.low == pytest.approx(2 * reach, rel=0.2), measure
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
    found = correct(sampled(human, 0.4), model, runs, "P@5 DCG@5")
    assert 90 < found.human < found.frame
    assert any("outside of the" in note for note in found.notes)  # x, which the model did not grade
    for one in found.estimates:
        assert isinstance(one.corrected, AgreementFigure)
        assert isinstance(one.human, AgreementFigure)
        assert isinstance(one.over_queries, AgreementFigure)
        assert one.corrected.low < one.corrected.value < one.corrected.high
        assert one.over_queries.low < one.corrected.low
        assert one.over_queries.high > one.corrected.high
        assert one.note == ""
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


def test_ndcg_from_single_pairs_has_no_interval() -> None:
    """The estimated ideal was biased, the more so the more grades there were, and nothing in the sample showed it."""
    human, model, runs = world()
    plans = (None, plan_judging(model, runs, "DCG@5", 120))
    for plan in plans:
        for one in correct(sampled(human, 0.6), model, runs, "nDCG@5", plan=plan).estimates:
            assert isinstance(one.corrected, NotEstimable)
            for answer in (one.human, one.corrected, one.over_queries):
                assert isinstance(answer, NotEstimable)
                assert answer.value is None
                assert "`rankproof judge plan` with this measure draws them" in answer.reason


def test_ndcg_from_whole_queries_is_that_of_these_queries() -> None:
    """12 of 30 queries, each graded whole: the mean of their values by `evaluate`, and an interval around it."""
    human, model, runs = world()
    plan = plan_judging(model, runs, "nDCG@5", 85)
    drawn = {pair.query_id for pair in plan.chosen}
    assert len(drawn) == 12
    assert {pair.query_id for pair in plan.pairs if not pair.chosen}.isdisjoint(drawn)
    assert len({pair.probability for pair in plan.pairs}) == 1
    judged = {q: docs for q, docs in pooled(human, runs).items() if q in drawn}
    found = correct(judged, model, runs, "nDCG@5 P@5", plan=plan)
    assert "12 whole queries" in found.design
    for measure in ("nDCG@5", "P@5"):
        for name, ranking in runs.items():
            run = {q: {d: -float(i) for i, d in enumerate(docs)} for q, docs in ranking.items() if q in drawn}
            one = by(found.estimates, measure, name)
            assert isinstance(one.corrected, AgreementFigure)
            mean = evaluate(judged, run, measure, complete=True)[measure].mean
            # The second run lacks q00, where its value is known to be 0: that moves the estimate a little.
            assert one.corrected.value == pytest.approx(mean, abs=1e-12 if name == "first" else 0.01)
            assert one.corrected.low < one.corrected.value < one.corrected.high
            assert one.weight == 0.0
            assert "people's grades alone" in one.note
    # Without the plan the grades themselves say that whole queries were drawn.
    again = correct(judged, model, runs, "nDCG@5 P@5")
    assert again.estimates == found.estimates
    # A query that people did not finish is left out, and the reader is told.
    unfinished = {q: dict(docs) for q, docs in judged.items()}
    unfinished[min(drawn)].popitem()
    fewer = correct(unfinished, model, runs, "nDCG@5", plan=plan)
    assert any(note.startswith("1 of the 12 planned queries lack human grades") for note in fewer.notes)


def test_whole_queries_are_not_taken_for_a_plain_draw_of_pairs() -> None:
    """Queries that are all relevant or not at all: pairs of one query say the same, and the interval knows it."""
    human, model, runs = world()
    same = {q: dict.fromkeys(docs, 3 * (i % 2)) for i, (q, docs) in enumerate(human.items())}
    whole = {q: docs for q, docs in pooled(same, runs).items() if int(q[1:]) < 10}
    one = by(correct(whole, model, runs, "P@5").estimates, "P@5", "first").human
    assert isinstance(one, AgreementFigure)
    # 10 of 30 queries, half of them 1: standard error sqrt((1 - 1/3) x 0.278 / 10) = 0.136; as 70 pairs 0.05.
    assert one.high - one.low > 0.45


def test_queries_graded_in_part_are_no_plain_draw() -> None:
    """Two thirds of the pairs of ten queries: neither whole queries nor a draw from all of them."""
    human, model, runs = world()
    some = {q: dict(list(docs.items())[:-2]) for q, docs in list(pooled(human, runs).items())[:10]}
    for one in correct(some, model, runs, "P@5 nDCG@5").estimates:
        assert isinstance(one.corrected, NotEstimable)
        assert "lie in 10 of 30 queries" in one.corrected.reason
        assert "10 of those are graded in part only" in one.corrected.reason


def test_a_run_near_the_ceiling_has_an_interval_that_can_miss_the_ceiling() -> None:
    """All sampled documents are relevant: the interval was none, and with one that is not it ended at the value."""
    human, model, runs = world()
    good = {q: dict.fromkeys(docs, 1) for q, docs in sampled(human, 0.4).items()}
    one = by(correct(good, model, {"first": runs["first"]}, "P@5").estimates, "P@5", "first")
    assert isinstance(one.corrected, AgreementFigure)
    assert one.corrected.value == one.corrected.high == 1.0
    assert 0.85 < one.corrected.low < 0.97
    assert one.weight == 0.0
    assert "fewer than 10 of the sampled pairs differ" in one.note
    next(docs for docs in good.values() if docs).update(dict.fromkeys(list(good["q00"]), 0))
    near = by(correct(good, model, {"first": runs["first"]}, "P@5").estimates, "P@5", "first").corrected
    assert isinstance(near, AgreementFigure)
    assert near.low < near.value < near.high < 1.0
    assert near.value - near.low > near.high - near.value


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
        assert "people graded 1 of the queries whole, and it takes 6" in one.corrected.reason


def test_grades_that_are_all_0_leave_what_the_sample_can_have_missed() -> None:
    human, model, runs = world()
    none = {q: dict.fromkeys(docs, 0) for q, docs in sampled(human, 0.5).items()}
    for one in correct(none, model, runs, "P@5 DCG@5").estimates:
        assert isinstance(one.corrected, AgreementFigure)
        assert one.corrected.value == 0.0
        assert one.corrected.high > 0.0
        if one.baseline is None:
            assert one.corrected.low == 0.0


def test_what_is_refused() -> None:
    human, model, runs = world()
    with raises(UsageError, "RR@5", "P", "DCG", "RBP", "nDCG"):
        correct(human, model, runs, "RR@5")
    with raises(UsageError, "nDCG(ideal=retrieved)@5", "P", "DCG", "RBP"):
        correct(human, model, runs, "nDCG(ideal=retrieved)@5")
    with raises(InputError, "212", "rankproof judge plan"):
        correct({"q00": {"y": 1}}, model, runs, "P@5")
