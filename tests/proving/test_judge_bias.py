"""Whom a judge favors: the difference of its error between runs, by hand and on made-up worlds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement_records import AgreementFigure
from rankproof.proving.judge_bias import biases, favored_group, grouped, read_groups

Grades = dict[str, dict[str, int]]
QUERIES = [f"q{i:02}" for i in range(40)]


def world(lift: float, seed: int = 0) -> tuple[Grades, Grades, dict[str, dict[str, list[str]]]]:
    """A poor run and a good one without a document in common. The judge lifts what is not relevant and lowers what is
    perfect, whoever shows it, and lifts documents of the good run with probability `lift` besides."""
    rng = np.random.default_rng(seed)
    human: Grades = {}
    model: Grades = {}
    for query in QUERIES:
        human[query], model[query] = {}, {}
        for run, shares in (("poor", [0.7, 0.2, 0.1]), ("good", [0.2, 0.3, 0.5])):
            for at in range(10):
                grade = int(rng.choice(3, p=shares))
                told = {0: 0 + (rng.random() < 0.5), 1: 1, 2: 2 - (rng.random() < 0.5)}[grade]
                human[query][f"{run}{at}"] = grade
                model[query][f"{run}{at}"] = int(told + (run == "good" and rng.random() < lift))
    runs = {run: {query: [f"{run}{at}" for at in range(10)] for query in QUERIES} for run in ("poor", "good")}
    return human, model, runs


def test_by_hand() -> None:
    """Grade 0: errors 1 and 0 of the first run (mean 0.5), 0 of the second; grade 1: 0 of the first, 1 of the second.

    Plain: 1/3 - 1/2. At equal grades: weights 2 x 1 / 3 and 1 x 1 / 2: (2/3 x 0.5 - 1/2 x 1) / (7/6) = -1/7.
    """
    human = {"q1": {"a": 0, "b": 0, "c": 1, "x": 0, "y": 1}, "q2": {"a": 0, "b": 0, "c": 1, "x": 0, "y": 1}}
    model = {"q1": {"a": 1, "b": 0, "c": 1, "x": 0, "y": 2}, "q2": {"a": 1, "b": 0, "c": 1, "x": 0, "y": 2}}
    runs = {name: dict.fromkeys(human, docs) for name, docs in (("one", ["a", "b", "c"]), ("two", ["x", "y"]))}
    (found,) = biases(human, model, runs, {"one": ("one",)}, 10, 0.95)
    # No query differs from the other, so there are values and no interval.
    assert found.error.value == pytest.approx(1 / 3 - 1 / 2)
    assert found.at_equal_grades.value == pytest.approx(-1 / 7)
    assert isinstance(found.at_equal_grades, NotEstimable)
    assert found.p_value is None
    assert found.p_adjusted is None
    assert found.pairs == 6


def test_a_judge_that_draws_to_the_middle_favors_nobody() -> None:
    """Its plain error is greater on the poor run, by about 0.5, and that is no preference."""
    human, model, runs = world(0.0)
    poor, good = biases(human, model, runs, {run: (run,) for run in runs}, 10, 0.95)
    assert isinstance(poor.error, AgreementFigure)
    assert isinstance(poor.at_equal_grades, AgreementFigure)
    assert poor.error.low > 0.3
    assert poor.at_equal_grades.low < 0 < poor.at_equal_grades.high
    assert good.error.value == pytest.approx(-poor.error.value)
    assert poor.p_adjusted is not None
    assert poor.p_value is not None
    assert 0.05 < poor.p_value <= poor.p_adjusted


def test_a_judge_that_lifts_one_run_is_found() -> None:
    """A lift of 0.3 grades on the good run, although its plain error is still below that of the poor one."""
    human, model, runs = world(0.3)
    _, good = biases(human, model, runs, {run: (run,) for run in runs}, 10, 0.95)
    assert isinstance(good.at_equal_grades, AgreementFigure)
    assert good.at_equal_grades.low < 0.3 < good.at_equal_grades.high
    assert good.at_equal_grades.low > 0
    assert good.p_adjusted is not None
    assert good.p_adjusted < 0.001
    assert good.error.value is not None
    assert good.error.value < 0


def test_documents_that_both_sides_show_count_on_both() -> None:
    human, model, runs = world(0.3)
    same = {"a": runs["good"], "b": runs["good"]}
    found = biases(human, model, same, {"a": ("a",), "all": ("a", "b")}, 10, 0.95)
    assert found[0].at_equal_grades.value == 0.0
    assert isinstance(found[0].at_equal_grades, NotEstimable)  # no query differs
    assert isinstance(found[1].error, NotEstimable)
    assert "no rest" in found[1].error.reason
    # A third run beside them: the group has the mean of its two runs.
    (two,) = biases(human, model, {**same, "poor": runs["poor"]}, {"good": ("a", "b")}, 10, 0.95)
    (one,) = biases(human, model, runs, {"good": ("good",)}, 10, 0.95)
    assert two.at_equal_grades == one.at_equal_grades


def test_pairs_of_one_query_are_not_independent() -> None:
    """The judge likes or dislikes the good run query by query: the interval is as wide as 40 queries make it."""
    human, model, runs = world(0.0)
    rng = np.random.default_rng(5)
    for query in QUERIES:
        shift = int(rng.integers(-2, 3))
        for doc in model[query]:
            model[query][doc] += shift if doc.startswith("good") else 0
    (found,) = biases(human, model, runs, {"good": ("good",)}, 10, 0.95)
    assert isinstance(found.at_equal_grades, AgreementFigure)
    # Shifts of variance 2 over 40 queries: standard error 0.22. As 400 pairs it would be 0.07.
    assert found.at_equal_grades.high - found.at_equal_grades.low > 0.7


def test_nothing_in_common_has_no_difference() -> None:
    human, model, _ = world(0.0)
    nowhere = {"a": {"q00": ["z"]}, "b": {"q00": ["good0"]}}
    (found,) = biases(human, model, nowhere, {"a": ("a",)}, 10, 0.95)
    assert isinstance(found.error, NotEstimable)
    assert found.pairs == 0


def test_groups_are_read(tmp_path: Path) -> None:
    file = tmp_path / "groups.tsv"
    file.write_text("run\tgroup\n# ours\na.run\tours\nb\tours\n\nruns/c.run,theirs\n")
    groups = read_groups(str(file))
    assert groups == {"a.run": "ours", "b": "ours", "runs/c.run": "theirs"}
    paths = {"a": "x/a.run", "b": "b.run", "c": "runs/c.run"}
    assert grouped(groups, paths, "groups.tsv") == {"ours": ("a", "b"), "theirs": ("c",)}


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "names no run"), ("a\n", "line 1"), ("a\tx\nb\t\n", "line 2"), ("a\tx\na\ty\n", "'x'")],
)
def test_groups_that_cannot_be_read(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "groups.tsv"
    file.write_text(text)
    with raises(InputError, file, told):
        read_groups(str(file))


def test_a_group_of_runs_that_are_not_there(tmp_path: Path) -> None:
    with raises(InputError, "groups.tsv", "'z'", "a"):
        grouped({"z": "ours"}, {"a": "a.run"}, "groups.tsv")
    file = tmp_path / "groups.tsv"
    file.write_text("a.run\tours\n")
    with raises(UnknownName, "others", "ours"):
        favored_group(str(file), "others")
