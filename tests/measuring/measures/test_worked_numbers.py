"""The worked numbers of the measures' design page: each must come out to the digits shown there."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.testing.tables import table_of, value


def places(number: float, digits: int) -> float:
    return round(number, digits)


def full(text: str, ranking: list[int | None], pool: list[int] | None = None) -> float:
    """The value with all its digits; `value` rounds to four places."""
    grades = {f"d{i:04}": grade for i, grade in enumerate(ranking) if grade is not None}
    left = list(pool) if pool is not None else list(grades.values())
    for grade in grades.values():
        left.remove(grade)
    judged = {**grades, **{f"x{i}": grade for i, grade in enumerate(left)}}
    run = {f"d{i:04}": -float(i) for i in range(len(ranking))}
    (variant,) = parse(text)
    return float(variant.measure.compute(table_of({"q": judged}, {"q": run}), variant)[0])


def test_graded_example() -> None:
    assert value("DCG(gain=exp2)@3", [3, 2, 1]) == 9.3928
    assert value("DCG(gain=exp2)@3", [3, 3, 2]) == 12.9165
    assert value("nDCG(gain=exp2)@3", [3, 2, 1], [3, 3, 2, 1]) == 0.7272
    assert value("nDCG@3", [3, 2, 1], [3, 3, 2, 1]) == 0.8081


def test_reciprocal_ranks() -> None:
    rankings = {"q1": [1, 0, 0], "q2": [0, 0, 1], "q3": [1, 0, 0]}
    table = table_of(
        {q: {f"d{i}": g for i, g in enumerate(grades)} for q, grades in rankings.items()},
        {q: {f"d{i}": -float(i) for i in range(3)} for q in rankings},
    )
    assert places(evaluate_tables(lambda order: table, parse("RR"))["RR"].mean, 4) == 0.7778
    at_20: list[int | None] = [0] * 19 + [1]
    assert value("RR", at_20) == 0.05
    assert value("RR@10", at_20) == 0.0


def test_recall() -> None:
    assert value("R@10", [1, 1, 1, 1, 1, 1], [1] * 8) == 0.75


def test_average_precision_of_a_perfect_top() -> None:
    assert value("AP@100", [1] * 100, [1] * 150) == 0.6667
    assert value("AP(denominator=min_k)@100", [1] * 100, [1] * 150) == 1.0


def test_the_same_recall_at_other_ranks() -> None:
    early, late = [1, 1, *[0] * 8], [*[0] * 8, 1, 1]
    assert value("R@10", early) == value("R@10", late) == 1.0
    assert places(full("nDCG@10", early), 3) == 1.0
    assert places(full("nDCG@10", late), 3) == 0.362
    assert places(full("RR", early), 3) == 1.0
    assert places(full("RR", late), 3) == 0.111


def test_binary_gain_at_ranks_1_3_5() -> None:
    ranking: list[int | None] = [1, 0, 1, 0, 1]
    assert value("DCG@5", ranking) == 1.8869
    assert value("DCG@5", [1, 1, 1]) == 2.1309
    assert value("nDCG@5", ranking) == 0.8855


def test_average_precision() -> None:
    assert value("AP", [1, 1, 0, 1]) == 0.9167
    assert value("AP", [0, 1, 0, 0, 1, 1]) == 0.4667


def test_the_gain_decides_the_winner() -> None:
    pool = [3, 2, 2, 1]
    a: list[int | None] = [2, 2, 1, None]
    b: list[int | None] = [3, None, None, None]
    assert places(full("nDCG@4", a, pool), 3) == 0.661
    assert places(full("nDCG@4", b, pool), 3) == 0.527
    assert places(full("nDCG(gain=exp2)@4", a, pool), 3) == 0.498
    assert places(full("nDCG(gain=exp2)@4", b, pool), 3) == 0.647


def test_what_a_swap_costs() -> None:
    assert places(full("nDCG@4", [3, 1, 2]), 3) == 0.973
    assert places(full("nDCG@4", [2, 3, 1]), 3) == 0.922
    assert value("RR", [3, 1, 2]) == value("RR", [2, 3, 1]) == 1.0


@pytest.mark.parametrize(("ranks", "ndcg"), [({2, 3, 4}, 0.530), ({2, 3, 5}, 0.515)])
def test_the_reports_that_an_audit_would_find_possible(ranks: set[int], ndcg: float) -> None:
    ranking: list[int | None] = [int(rank in ranks) for rank in range(1, 6)]
    pool = [1] * 5 + [0] * 2
    assert places(full("P@3", ranking, pool), 2) == 0.67
    assert places(full("R@5", ranking, pool), 2) == 0.60
    assert full("RR", ranking, pool) == 0.5
    assert places(full("nDCG@5", ranking, pool), 3) == ndcg


def test_a_table_of_discounts_changes_no_bit() -> None:
    from rankproof.measuring.gain import MANY, discount

    rank = np.random.default_rng(0).integers(1, 1001, MANY + 1).astype(np.int32)
    for name in ("log2", "jk2002"):
        parts = np.concatenate([discount(part, name) for part in np.split(rank, [2000])])
        np.testing.assert_array_equal(discount(rank, name), parts)
