"""The pieces under measures of recall and running sums: groups must not touch each other, halves go up."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.measuring.measures._recall import documents
from rankproof.measuring.measures._running import reached, running_sum, scan
from rankproof.testing.tables import table_of


def test_scan_stays_within_groups() -> None:
    values = np.array([1.0, 2.0, 3.0, 10.0, 20.0, 5.0])
    position = np.array([0, 1, 2, 0, 1, 0])
    assert scan(values, position, np.add).tolist() == [1, 3, 6, 10, 30, 5]
    assert scan(-values, position, np.maximum).tolist() == [-1, -1, -1, -10, -10, -5]
    assert values.tolist() == [1, 2, 3, 10, 20, 5]  # what came in is left alone


def test_one_group_does_not_cost_another_its_digits() -> None:
    values = np.array([1e16, 0.1, 0.1])
    assert scan(values, np.array([0, 0, 1]), np.add).tolist() == [1e16, 0.1, 0.2]


def test_scan_of_nothing() -> None:
    assert len(scan(np.zeros(0), np.zeros(0, dtype=np.int64), np.add)) == 0


def test_reached() -> None:
    # q1 has rows at ranks 1 and 3, q2 none, q3 one at rank 2.
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    run = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"x": 1.0}, "q3": {"x": 2.0, "a": 1.0}}
    table = table_of(qrels, run)
    running = running_sum(table, np.array([1.0, 10.0, 100.0]))
    query, rank = np.array([0, 0, 0, 1, 2, 2]), np.array([1, 2, 9, 5, 1, 2])
    assert reached(table, running, query, rank).tolist() == [1, 1, 11, 0, 0, 100]


@pytest.mark.parametrize(
    ("level", "relevant", "nearest", "plus"),
    [
        (0.5, 5, 3, 3),
        (0.1, 4, 0, 1),
        (0.1, 1, 0, 1),
        (0.25, 77, 19, 20),
        (0.0, 9, 0, 0),
        (1.0, 9, 9, 9),
        (0.05, 1, 0, 0),
    ],
)
def test_levels_become_documents(level: float, relevant: int, nearest: int, plus: int) -> None:
    assert documents(level, np.array([relevant]), "nearest").tolist() == [nearest]
    assert documents(level, np.array([relevant]), "plus_0.9").tolist() == [plus]


def test_just_below_a_half_goes_down() -> None:
    assert documents(0.49999999999999994, np.array([1]), "nearest").tolist() == [0]
