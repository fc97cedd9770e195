"""The legend under a leaderboard explains a mark exactly where the mark stands, in every form that has both."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rankproof.proving.compare import compare_values
from rankproof.proving.leaderboard_records import Leaderboard
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.ranks import leaderboard_of
from rankproof.proving.records import Design

N = 40


def column(mean: float, seed: int) -> list[float]:
    return (mean + np.random.default_rng(seed).normal(0, 0.1, N)).tolist()


# Means of the systems in two measures: how far they lie apart decides which marks there are.
BOARDS: dict[str, tuple[dict[str, tuple[float, float]], str]] = {
    "all alike": ({"a": (0.5, 0.5), "b": (0.5, 0.5), "c": (0.5, 0.5)}, ""),
    "all apart": ({"a": (0.9, 0.9), "b": (0.5, 0.5), "c": (0.1, 0.1)}, ""),
    "one alike, one apart": ({"a": (0.9, 0.9), "b": (0.9, 0.9), "c": (0.1, 0.1)}, ""),
    "better in the second measure alone": ({"a": (0.9, 0.1), "b": (0.5, 0.9), "c": (0.5, 0.9)}, ""),
    "a baseline that nothing differs from": ({"a": (0.5, 0.5), "b": (0.5, 0.5), "c": (0.5, 0.5)}, "a"),
    "a baseline between two others": ({"a": (0.5, 0.5), "b": (0.9, 0.9), "c": (0.1, 0.1)}, "a"),
    "a baseline below the others": ({"a": (0.1, 0.1), "b": (0.9, 0.9), "c": (0.9, 0.9)}, "a"),
}
EXPECTED = {
    "all alike": {"~"},
    "all apart": {"-"},
    "one alike, one apart": {"~", "-"},
    "better in the second measure alone": {"+", "-"},
    "a baseline that nothing differs from": {"~"},
    "a baseline between two others": {"+", "-"},
    "a baseline below the others": {"+", "~"},
}


def board(systems: dict[str, tuple[float, float]], baseline: str) -> Leaderboard:
    tables = [
        PerUnit(
            measure, "higher", "mean", tuple(f"q{i}" for i in range(N)),
            np.array([column(means[m], 10 * at + m) for at, means in enumerate(systems.values())]).T,
        )
        for m, measure in enumerate(("X", "Y"))
    ]  # fmt: skip
    design = Design(resamples=2_000, all_pairs=not baseline, primary="all")
    return leaderboard_of(compare_values(tuple(systems), tables, design), bool(baseline))


def marks_in(table: tuple[tuple[str, ...], ...]) -> set[str]:
    """The marks behind values, and the one beside a rank."""
    behind = {found[1] for row in table[1:] for cell in row if (found := re.fullmatch(r"\d\.\d+([-+])", cell))}
    return behind | {"~" for row in table[1:] if row[0].endswith("~")}


def marks_explained(lines: tuple[str, ...]) -> set[str]:
    told = set()
    for line in lines:
        for signs in re.findall(r"(?:^|; )([-+~/]+) (?:significantly|not significantly below)", line):
            told |= set(signs.split("/"))
    return told


@pytest.mark.parametrize("name", BOARDS)
def test_a_mark_is_explained_exactly_where_it_stands(name: str) -> None:
    shown = board(*BOARDS[name]).section
    assert marks_in(shown.table) == EXPECTED[name]
    assert marks_explained(shown.lines) == EXPECTED[name]


def test_a_board_without_any_mark_has_no_legend() -> None:
    """A measure that has no better side: no system is the best, and none is better or worse."""
    values = PerUnit("X", "neither", "mean", tuple(f"q{i}" for i in range(N)), np.array([column(0.5, 1)] * 2).T)
    shown = leaderboard_of(compare_values(("a", "b"), [values], Design(resamples=2_000, all_pairs=True)), False).section
    assert marks_in(shown.table) == set()
    assert marks_explained(shown.lines) == set()
    assert not any("significantly" in line for line in shown.lines)
