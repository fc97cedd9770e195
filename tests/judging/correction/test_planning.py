"""Which pairs go to people: probabilities, draws, and plans as files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.raising import raises

from rankproof.cli.shared.output import document
from rankproof.errors import InputError, UsageError
from rankproof.judging.correction.plan import FLOOR, SCHEMA, draw, plan_judging, probabilities, read_plan

MODEL = {f"q{i}": {f"d{j}": (i + j) % 4 for j in range(10)} for i in range(8)}
RUNS = {
    "up": {q: [f"d{j}" for j in range(10)] for q in MODEL},
    "down": {q: [f"d{j}" for j in reversed(range(10))] for q in MODEL},
}


def test_probabilities_add_up_and_keep_their_order() -> None:
    importance = np.random.default_rng(1).random(50) ** 4
    p = probabilities(importance, 20)
    assert p.sum() == pytest.approx(20)
    assert ((p > 0) & (p <= 1)).all()
    assert (np.diff(p[np.argsort(importance)]) >= -1e-12).all()


def test_no_pair_is_left_to_no_chance() -> None:
    p = probabilities(np.array([0.0] * 50 + [1.0] * 50), 10)
    assert p[0] == pytest.approx(p[-1] * FLOOR * 0.5)  # the floor is a share of the mean, which is a half


def test_a_draw_has_its_number_and_its_probabilities() -> None:
    p = probabilities(np.arange(1.0, 31.0), 12)
    rng = np.random.default_rng(0)
    drawn = np.array([draw(p, rng) for _ in range(4000)])
    assert set(drawn.sum(axis=1).tolist()) == {12}
    # Each share has a standard error of 0.008 at most.
    assert np.abs(drawn.mean(axis=0) - p).max() < 0.032


def test_high_ranks_and_uncertain_grades_come_first() -> None:
    """People agree with the model's 0 always, and with its other grades seldom: top ranks and other grades count."""
    anchor = {q: {d: 0 if g == 0 else int(d[1:]) % 4 for d, g in docs.items()} for q, docs in MODEL.items()}
    plan = plan_judging(MODEL, {"up": RUNS["up"]}, "DCG@10", 20, anchor=anchor)
    chances = {(pair.query_id, pair.doc_id): pair.probability for pair in plan.pairs}
    assert chances["q1", "d0"] > chances["q1", "d9"]  # grades 1 and 2: rank 1 against rank 10
    assert chances["q1", "d0"] > chances["q0", "d0"]  # the same rank: grade 1 against grade 0
    assert plan.expected is not None
    ours, plain = plan.expected["up"]
    assert ours < plain


def test_pairs_that_both_runs_rank_alike_settle_no_difference() -> None:
    same = {**RUNS, "up again": RUNS["up"]}
    almost = {"a": RUNS["up"], "b": {**RUNS["up"], "q0": RUNS["down"]["q0"]}}
    plan = plan_judging(MODEL, almost, "DCG@10", 20, compare=True)
    chances = {(pair.query_id, pair.doc_id): pair.probability for pair in plan.pairs}
    assert chances["q0", "d0"] > 3 * chances["q1", "d0"]
    assert plan_judging(MODEL, same, "nDCG@10", 20).expected is None


def test_the_same_seed_the_same_pairs() -> None:
    first, again, other = (plan_judging(MODEL, RUNS, "P@5", 20, seed=seed) for seed in (4, 4, 5))
    assert first.chosen == again.chosen
    assert first.chosen != other.chosen
    assert len(first.chosen) == 20


def test_what_cannot_be_planned() -> None:
    with raises(UsageError, "AP", "P", "DCG", "RBP", "nDCG"):
        plan_judging(MODEL, RUNS, "AP", 20)
    with raises(UsageError, "'P@5 P@10'", "2"):
        plan_judging(MODEL, RUNS, "P@5 P@10", 20)
    with raises(UsageError, "80", "fewer"):
        plan_judging(MODEL, RUNS, "P@10", 80)
    with raises(UsageError, "comparison", "runs"):
        plan_judging(MODEL, {"up": RUNS["up"]}, "P@10", 20, compare=True)
    with raises(UsageError, "DCG", "cutoff"):
        plan_judging(MODEL, RUNS, "DCG", 20)
    with raises(InputError, "5", "grade", "runs"):
        plan_judging(MODEL, {"up": {"q0": ["x"]}}, "P@5", 20)
    with raises(UsageError, "nDCG@5", "whole queries"):
        plan_judging(MODEL, RUNS, "nDCG@5", 20, anchor=MODEL)
    with raises(UsageError, "anchor", "pairs"):
        plan_judging(MODEL, RUNS, "P@5", 20, anchor={"q0": {"d0": 1}})


@pytest.mark.parametrize("measure", ["P@5", "nDCG@5"])
def test_a_plan_reads_back(tmp_path: Path, measure: str) -> None:
    plan = plan_judging(MODEL, RUNS, measure, 20)
    file = tmp_path / "plan.json"
    file.write_text(document(SCHEMA, plan.to_dict()))
    read = read_plan(str(file))
    assert (read.pairs, read.depth, read.runs) == (plan.pairs, plan.depth, plan.runs)
    assert read.whole_queries is plan.whole_queries is (measure == "nDCG@5")


def test_a_plan_from_before_whole_queries_were_drawn_reads_as_one_of_pairs(tmp_path: Path) -> None:
    body = {"schema": SCHEMA, **plan_judging(MODEL, RUNS, "P@5", 20).to_dict()}
    del body["drawn"]
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(body))
    assert not read_plan(str(file)).whole_queries


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{}", ["rankproof judge plan --json"]),
        ("[]", ["rankproof judge plan --json"]),
        ("nothing", ["line 1", "JSON"]),
        (json.dumps({"schema": SCHEMA}), ["'pairs'"]),
    ],
)
def test_what_is_no_plan(tmp_path: Path, text: str, values: list[str]) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    with raises(InputError, file, *values):
        read_plan(str(file))


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ({"probability": 0}, ["probability", "0.0"]),
        ({"probability": 1.5}, ["probability", "1.5"]),
        ({"probability": None}, ["'NoneType'"]),
    ],
)
def test_a_damaged_plan(tmp_path: Path, change: dict[str, object], values: list[str]) -> None:
    whole = {"schema": SCHEMA, **plan_judging(MODEL, RUNS, "P@5", 20).to_dict()}
    whole["pairs"][0].update(change)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(whole))
    with raises(InputError, file, "damaged", *values):
        read_plan(str(file))
