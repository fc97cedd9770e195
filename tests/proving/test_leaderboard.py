"""The leaderboard: ranks, marks, and the best against the second from a family that was corrected as a whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.proving.compare import compare_values
from rankproof.proving.leaderboard import run_sources
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.ranks import leaderboard_of, turned
from rankproof.proving.records import Comparison, Design

QRELS = {f"q{i}": {"d1": 1, "d2": 0, "d3": 0} for i in range(20)}


def run(*ranks: int) -> dict[str, dict[str, float]]:
    """The relevant document at these ranks, over and over."""
    rankings = {}
    for i in range(20):
        docs = ["d2", "d3"]
        docs.insert(ranks[i % len(ranks)] - 1, "d1")
        rankings[f"q{i}"] = {doc: float(9 - at) for at, doc in enumerate(docs)}
    return rankings


def values(**systems: list[float]) -> tuple[tuple[str, ...], PerUnit]:
    table = np.array(list(systems.values())).T
    return tuple(systems), PerUnit("X", "higher", "mean", tuple(f"q{i}" for i in range(len(table))), table)


def compared(design: Design | None = None, better: str = "higher", **systems: list[float]) -> Comparison:
    names, table = values(**systems)
    return compare_values(names, [replace(table, better=better)], design or Design(resamples=2_000))


def noisy(mean: float, seed: int, spread: float = 0.1) -> list[float]:
    return (mean + np.random.default_rng(seed).normal(0, spread, 40)).tolist()


def test_systems_stand_by_the_first_measure_and_equal_means_share_a_rank() -> None:
    """RR: 1 in all queries; 1 and 1/2 in turn (0.75) twice; 1/3 in all."""
    runs = {"last": run(3), "a": run(1, 2), "first": run(1), "b": run(2, 1)}
    board = rankproof.leaderboard(QRELS, runs, "RR P@1")
    assert [(row.rank, row.system) for row in board.rows] == [(1, "first"), (2, "a"), (2, "b"), (4, "last")]
    assert [row.means["RR"] for row in board.rows] == pytest.approx([1.0, 0.75, 0.75, 1 / 3])
    assert board.best == board.reference == "first"
    assert board["last"].directions == {"RR": "worse", "P@1": "worse"}
    assert board["first"].difference is None


def test_the_least_mean_is_the_best_where_lower_is_better() -> None:
    board = leaderboard_of(compared(better="lower", a=noisy(0.5, 1), b=noisy(0.3, 2), c=noisy(0.9, 3)))
    assert [row.system for row in board.rows] == ["b", "a", "c"]
    assert board["c"].directions == {"X": "worse"}
    assert board["c"].against_best == "worse"
    assert board.best_second is not None
    assert board.best_second.direction == "better"


def test_a_measure_without_a_better_side_ranks_nobody() -> None:
    board = rankproof.leaderboard(QRELS, {"a": run(1), "b": run(2), "c": run(3)}, "NumRet")
    assert [(row.rank, row.system) for row in board.rows] == [(None, "a"), (None, "b"), (None, "c")]
    assert board.best is None
    assert board.best_second is None
    assert "in the order given" in repr(board)
    assert "Best against second" not in repr(board)


def test_the_pair_of_the_best_is_taken_from_the_family_of_the_comparison_where_it_is_in_it() -> None:
    """The baseline is second: the pair is one of the two with the baseline."""
    comparison = compared(base=noisy(0.6, 1), top=noisy(0.8, 2), low=noisy(0.2, 3))
    board = leaderboard_of(comparison)
    assert board.best_second is comparison.contrast("X", "top")
    assert "adjusted over 2 pairs" in board.selection


def test_the_pair_of_the_best_is_corrected_over_all_pairs_where_the_comparison_lacks_it() -> None:
    """A test of the two best alone takes no account of their having been picked; base is neither of them."""
    systems = {"base": noisy(0.2, 1), "one": noisy(0.62, 2), "two": noisy(0.6, 3), "three": noisy(0.61, 4)}
    board = leaderboard_of(compared(**systems))
    pair = board.best_second
    assert pair is not None
    assert pair.adjusted is not None
    assert isinstance(pair.difference, Estimate)
    names, table = values(**systems)
    every = compare_values(names, [table], Design(resamples=2_000, all_pairs=True))
    (same,) = [c for c in every.contrasts if {c.candidate, c.baseline} == {pair.candidate, pair.baseline}]
    assert same.adjusted is not None
    assert pair.p_value == same.p_value > pair.difference.p_value
    assert "adjusted over all 6 pairs" in board.selection
    assert board["base"].against_best == "worse"
    others = [row for row in board.rows if row.rank != 1 and row.system != "base"]
    assert {row.against_best for row in others} == {"not shown"}


@pytest.mark.parametrize("correction", ["none", "bh"])
def test_a_pair_that_nothing_corrects_for_its_choice_is_called_exploratory(correction: str) -> None:
    board = leaderboard_of(compared(Design(correction=correction), a=noisy(0.5, 1), b=noisy(0.6, 2), c=noisy(0.7, 3)))
    assert "exploratory" in board.selection
    assert "exploratory" in repr(board)


def test_a_difference_is_the_same_from_both_sides() -> None:
    comparison = compared(a=noisy(0.5, 1), b=noisy(0.6, 2), c=noisy(0.7, 3))
    there = comparison.contrast("X", "c")
    back = turned(there)
    assert (back.candidate, back.baseline, back.direction) == ("a", "c", "worse")
    assert (back.wins, back.losses) == (there.losses, there.wins)
    assert isinstance(there.difference, Estimate)
    assert isinstance(back.difference, Estimate)
    assert (back.difference.low, back.difference.high) == (-there.difference.high, -there.difference.low)
    assert back.p_value == there.p_value


def test_differences_are_taken_from_the_baseline_where_one_is_named() -> None:
    runs = {"first": run(1), "base": run(2), "last": run(3)}
    board = rankproof.leaderboard(QRELS, runs, "RR", baseline="base")
    assert board.reference == "base"
    assert board["first"].directions == {"RR": "better"}
    assert board["base"].directions == {}
    with raises(UnknownName, "'none'", "first", "base", "last"):
        rankproof.leaderboard(QRELS, runs, "RR", baseline="none")


def test_what_could_change_the_ranking_is_said() -> None:
    """Ties decide whether the relevant document is first or last; one run lacks a query."""
    tied = {query: dict.fromkeys(docs, 1.0) for query, docs in run(1).items()}
    short = {query: docs for query, docs in run(2).items() if query != "q3"}
    board = rankproof.leaderboard(QRELS, {"tied": tied, "short": short, "sure": run(3)}, "RR")
    assert any("tied scores" in text for text in board.warnings)
    assert any("short lacks 1 of 20" in text for text in board.warnings)
    assert "Warning: another order of tied scores" in repr(board)
    assert rankproof.leaderboard(QRELS, {"a": run(1), "b": run(2)}, "RR", depth=2).notes == ("measured with depth=2",)


def test_the_text_at_a_prompt_fits_eighty_columns() -> None:
    runs = {f"system_with_a_name_{i}": run(1 + i % 3, 2) for i in range(6)}
    board = rankproof.leaderboard(QRELS, runs, "RR P@1 AP R@2 nDCG@3 Success@1")
    assert max(map(len, repr(board).splitlines())) <= 80
    assert board.to_dict()["rows"][0]["rank"] == 1


def test_runs_come_as_a_mapping_a_list_a_folder_or_a_pattern(tmp_path: Path) -> None:
    for name in ("a.run", "b.run", ".hidden"):
        (tmp_path / name).write_text("q0 Q0 d1 1 1 x\n")
    files = [(None, str(tmp_path / name)) for name in ("a.run", "b.run")]
    assert run_sources(str(tmp_path)) == run_sources(tmp_path) == run_sources(f"{tmp_path}/*.run") == files
    assert run_sources([tmp_path / "b.run", str(tmp_path / "a.run")]) == files[::-1]
    assert run_sources({"x": run(1)}) == [("x", run(1))]
    (tmp_path / "empty").mkdir()
    for bad, words in (
        (str(tmp_path / "empty"), "no file"),
        (str(tmp_path / "*.none"), "no file"),
        (run(1), "mapping from names"),
        (7, "int"),
    ):
        with raises(UsageError, words):
            run_sources(bad)
    with raises(UsageError, "got 1"):
        rankproof.leaderboard(QRELS, {"x": run(1)}, "RR")


def test_runs_that_nothing_tells_apart_are_numbered() -> None:
    board = rankproof.leaderboard(QRELS, [run(1), run(2), run(3)], "RR")
    assert [row.system for row in board.rows] == ["run 1", "run 2", "run 3"]


def test_two_systems_are_one_pair_that_nothing_chose() -> None:
    board = rankproof.leaderboard(QRELS, {"a": run(1, 1, 2), "b": run(2, 2, 1)}, "RR")
    assert "post hoc" not in board.to_text(full=True)
    more = rankproof.leaderboard(QRELS, {"a": run(1, 1, 2), "b": run(2, 2, 1), "c": run(3)}, "RR")
    assert (board.selection, bool(more.selection)) == ("", True)
