"""Rank intervals and groups: what all pairs of systems say about ranks, on one dataset and over several."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.proving.compare import compare_values
from rankproof.proving.leaderboard_records import group_letters, rank_lines
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.ranks import all_pairs, groups_alike, leaderboard_of, rank_intervals
from rankproof.proving.records import Comparison, Contrast, Design

Rows = list[dict[str, Any]]


def compared(design: Design | None = None, **systems: list[float]) -> Comparison:
    values = np.array(list(systems.values())).T
    table = PerUnit("X", "higher", "mean", tuple(f"q{i}" for i in range(len(values))), values)
    return compare_values(tuple(systems), [table], design or Design(resamples=2_000, all_pairs=True))


def noisy(mean: float, seed: int, spread: float = 0.1) -> list[float]:
    return (mean + np.random.default_rng(seed).normal(0, spread, 40)).tolist()


@pytest.fixture
def four() -> Comparison:
    """top is far ahead, the two in the middle are alike, and last is far behind."""
    return compared(last=noisy(0.1, 1), one=noisy(0.5, 2), top=noisy(0.9, 3), two=noisy(0.51, 4))


def test_a_rank_lies_between_who_is_better_and_who_is_worse(four: Comparison) -> None:
    board = leaderboard_of(four, has_baseline=False)
    assert {row.system: row.rank_interval for row in board.rows} == {
        "top": (1, 1), "two": (2, 3), "one": (2, 3), "last": (4, 4),
    }  # fmt: skip
    assert board.groups == (("top",), ("one", "two"), ("last",))
    assert [group_letters(board, row.system) for row in board.rows] == ["a", "b", "b", "c"]
    assert board.may_be_best == ("top",)
    assert board.hold_together


def test_the_side_on_which_a_system_stands_does_not_matter(four: Comparison) -> None:
    """Each pair is made once, with either of the two as the candidate."""
    from rankproof.proving.ranks import turned

    there = rank_intervals(four.systems, all_pairs(four))
    back = rank_intervals(four.systems, [turned(pair) for pair in all_pairs(four)])
    assert there == back


def test_lower_is_better_puts_the_least_first() -> None:
    values = np.array([noisy(0.5, 1), noisy(0.1, 2)]).T
    table = PerUnit("cost", "lower", "mean", tuple(f"q{i}" for i in range(40)), values)
    board = leaderboard_of(compare_values(("dear", "cheap"), [table], Design(all_pairs=True)), has_baseline=False)
    assert [(row.system, row.rank_interval) for row in board.rows] == [("cheap", (1, 1)), ("dear", (2, 2))]


def test_a_pair_that_cannot_be_tested_widens_both_intervals() -> None:
    """Two systems with the same values on two queries: nothing can be told."""
    board = leaderboard_of(compared(a=[0.5, 0.6], b=[0.5, 0.6], c=[0.4, 0.7]), has_baseline=False)
    assert {row.rank_interval for row in board.rows} == {(1, 3)}
    assert board.groups == (("a", "b", "c"),)


def test_with_a_baseline_all_pairs_are_a_family_of_their_own() -> None:
    """Intervals come from all pairs, and not from those with the baseline alone."""
    systems = {"base": noisy(0.1, 1), "one": noisy(0.5, 2), "two": noisy(0.9, 3)}
    with_baseline = leaderboard_of(compared(Design(resamples=2_000), **systems))
    every = leaderboard_of(compared(**systems), has_baseline=False)
    assert [row.rank_interval for row in with_baseline.rows] == [(1, 1), (2, 2), (3, 3)]
    assert [row.rank_interval for row in every.rows] == [(1, 1), (2, 2), (3, 3)]


@pytest.mark.parametrize("correction", ["none", "bh"])
def test_rank_intervals_without_the_family_wise_error_are_called_exploratory(correction: str) -> None:
    design = Design(correction=correction, all_pairs=True)
    board = leaderboard_of(compared(design, a=noisy(0.5, 1), b=noisy(0.6, 2), c=noisy(0.7, 3)), has_baseline=False)
    assert not board.hold_together
    assert "exploratory" in rank_lines(board)[0]


def test_groups_are_neighbors_of_which_no_two_differ() -> None:
    """a and c differ; b from neither: two groups that share b. A group inside another is not one."""

    class Pair:
        def __init__(self, candidate: str, baseline: str, direction: str) -> None:
            self.candidate, self.baseline, self.direction = candidate, baseline, direction

    pairs: Any = [Pair("c", "a", "worse"), Pair("b", "a", "not shown"), Pair("c", "b", "not shown")]
    assert groups_alike("abc", pairs) == (("a", "b"), ("b", "c"))
    apart: Any = [Pair("d", "a", "worse")]
    assert groups_alike("abcd", apart) == (("a", "b", "c"), ("b", "c", "d"))


def test_more_groups_than_letters_have_numbers(four: Comparison) -> None:
    board = leaderboard_of(four, has_baseline=False)
    many = replace(board, groups=(*((f"s{i}",) for i in range(27)), ("top",)))
    assert group_letters(many, "s26") == "a1"
    assert group_letters(many, "top") == "b1"


# ---- scores --------------------------------------------------------------------------------------


def rows(dataset: str, system: str, mean: float, seed: int, n: int = 30) -> Rows:
    values = np.random.default_rng(seed).normal(mean, 0.05, n)
    return [{"id": f"q{i}", "dataset": dataset, "system": system, "acc": float(v)} for i, v in enumerate(values)]


@pytest.fixture
def datasets() -> Rows:
    """a leads by its lead in one dataset alone: without `odd`, b is the best."""
    made: Rows = []
    for seed, (dataset, lead) in enumerate({"nq": -0.1, "fever": -0.1, "odd": 0.6}.items()):
        made += rows(dataset, "a", 0.3 + lead, 10 + seed)
        made += rows(dataset, "b", 0.3, 20 + seed)
        made += rows(dataset, "c", 0.1, 30 + seed)
    return made


def test_a_dataset_that_alone_makes_the_best_is_named(datasets: Rows) -> None:
    board = rankproof.leaderboard_scores(datasets, "acc", system="system", dataset="dataset")
    assert [row.system for row in board.rows] == ["a", "b", "c"]
    # By hand: a's means are 0.2, 0.2 and 0.9.
    assert board["a"].means["acc"] == pytest.approx(1.3 / 3, abs=0.02)
    assert {each.dataset: next(s for s, r in each.ranks.items() if r == 1) for each in board.without} == {
        "nq": "a", "fever": "a", "odd": "b",
    }  # fmt: skip
    assert "without odd: b" in rank_lines(board)[1]
    document: Any = board.to_dict()
    assert document["without"][2]["rank_intervals"]["b"] == [1, 1]


def test_a_best_that_no_single_dataset_makes_is_told(datasets: Rows) -> None:
    same = [row for row in datasets if row["dataset"] != "odd"] + rows("more", "a", 0.3, 1) + rows("more", "b", 0.5, 2)
    same += rows("more", "c", 0.1, 3)
    board = rankproof.leaderboard_scores(same, "acc", system="system", dataset="dataset")
    assert board.best == "b"
    assert "Without any one" in rank_lines(board)[-1]


def test_a_dataset_with_few_queries_takes_the_promise_back(datasets: Rows) -> None:
    small: Rows = [row for row in datasets if row["dataset"] != "nq" or row["id"] in ("q1", "q2", "q3", "q4", "q5")]
    board = rankproof.leaderboard_scores(small, "acc", system="system", dataset="dataset")
    assert not board.hold_together
    assert any("nq (5)" in text for text in board.warnings)
    assert rankproof.leaderboard_scores(datasets, "acc", system="system", dataset="dataset").hold_together


def test_tables_come_as_a_list_a_mapping_or_one_with_a_column(tmp_path: Path) -> None:
    tables = {name: rows("d", name, mean, seed) for seed, (name, mean) in enumerate({"x": 0.2, "y": 0.4}.items())}
    for name, own in tables.items():
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "acc"], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(own)
    together = [row for own in tables.values() for row in own]
    boards = [
        rankproof.leaderboard_scores(tables, "acc"),
        rankproof.leaderboard_scores(together, "acc", system="system"),
        rankproof.leaderboard_scores([str(tmp_path / "x.csv"), str(tmp_path / "y.csv")]),
        rankproof.leaderboard_scores({name: {r["id"]: {"acc": r["acc"]} for r in own} for name, own in tables.items()}),
    ]
    assert {tuple((row.system, row.means["acc"]) for row in board.rows) for board in boards} == {
        tuple((row.system, row.means["acc"]) for row in boards[0].rows)
    }
    assert boards[0].best == "y"
    assert rankproof.leaderboard_scores(tables, "acc", baseline="x").reference == "x"


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda made: rankproof.leaderboard_scores({"q1": 0.5, "q2": 0.7}), UsageError, ["one table"]),
        (lambda made: rankproof.leaderboard_scores([]), UsageError, ["empty"]),
        (lambda made: rankproof.leaderboard_scores(made[:5], "acc"), UsageError, ["two or more", "system"]),
        (lambda made: rankproof.leaderboard_scores(made, "acc", system="sytem"), UnknownName, ["'sytem'", "system"]),
        (
            lambda made: rankproof.leaderboard_scores(made, "acc", system="system", baseline="z", dataset="dataset"),
            UnknownName,
            ["'z'", "a"],
        ),
        (
            lambda made: rankproof.leaderboard_scores(made[:-30], "acc", system="system", dataset="dataset"),
            InputError,
            ["c", "'odd'"],
        ),
        (lambda made: rankproof.leaderboard_scores(made, system="system", alpha=1), UnknownName, ["'alpha'"]),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    call: Callable[[Rows], object], error: type[Exception], told: list[str], datasets: Rows
) -> None:
    with raises(error, *told):
        call(datasets)


def test_thirty_systems_are_all_told_apart_or_grouped() -> None:
    """435 pairs: each interval holds the rank that was seen, and neighbors in a group are not called different."""
    systems = {f"s{i:02d}": noisy(0.01 * i, i) for i in range(30)}
    comparison = compared(Design(resamples=1_000, all_pairs=True), **systems)
    board = leaderboard_of(comparison, has_baseline=False)
    pairs: dict[frozenset[str], Contrast] = {frozenset((c.candidate, c.baseline)): c for c in all_pairs(comparison)}
    for row in board.rows:
        assert row.rank is not None
        assert row.rank_interval is not None
        assert row.rank_interval[0] <= row.rank <= row.rank_interval[1]
    for group in board.groups:
        assert all(pairs[frozenset((a, b))].direction == "not shown" for a in group for b in group if a != b)
