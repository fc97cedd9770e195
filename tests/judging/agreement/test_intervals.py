"""Intervals of agreement by hand, and the words where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.judging.agreement import ratings_of_judgments
from rankproof.judging.records import Judgment
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement import both, ratings_of, statistics, together, two
from rankproof.proving.agreement_records import AgreementFigure, Ratings
from rankproof.proving.agreement_statistics import ALIKE, figure, mean, spread

Side = dict[str, dict[str, int]]


def rated(*said: str) -> Ratings:
    """Queries as texts of two digits per document: "01 11" is a query with grades 0 and 1, then 1 and 1."""
    first: Side = {}
    second: Side = {}
    for i, query in enumerate(said):
        for j, (a, b) in enumerate(query.split()):
            first.setdefault(f"q{i}", {})[f"d{j}"] = int(a)
            second.setdefault(f"q{i}", {})[f"d{j}"] = int(b)
    return ratings_of({"a": first, "b": second})


def test_a_mean_over_three_queries() -> None:
    """Sums 1 of 2, 2 of 2, 0 of 2: 0.5. Without each: 2/4, 1/4, 3/4; the jackknife's standard error is
    sqrt(2/3 x (0 + 1/16 + 1/16)) = 0.288675; t with 2 degrees of freedom at 97.5% is 4.302653."""
    sums = np.array([[2.0, 1.0], [2.0, 2.0], [2.0, 0.0]])
    found = figure(sums, mean, "plain", "", 6, 0.95)
    assert isinstance(found, AgreementFigure)
    assert found.value == 0.5
    assert found.high - found.value == pytest.approx(4.302653 * 0.288675, abs=1e-5)
    assert (found.pairs, found.queries) == (6, 3)


def test_fishers_scale_keeps_the_interval_inside() -> None:
    found = two(rated("00 11 01 11", "00 00 11", "11 11 00 10", "00 11 11"), "a", "b").kappa["none"]
    assert isinstance(found, AgreementFigure)
    assert -1 < found.low < found.value < found.high < 1


def test_the_p_value_and_the_bound_agree() -> None:
    kept = both(rated("00 11 01 11", "00 00 11", "11 11 00 10", "00 11 10"), "a", "b")
    asked = statistics(kept)["kappa"]
    found = spread(asked.sums, asked.value, asked.scale, asked.undefined, asked.pairs)
    assert not isinstance(found, NotEstimable)
    _, high = found.low_high(0.05)
    assert found.p_below(high) == pytest.approx(0.05)


def test_bias_by_grade() -> None:
    """Where the first says 1, the second says 2, 1 in one query and 3, 2 in the other: +0.5, +1.5, together +1."""
    found = two(rated("12 11 00", "13 12 00"), "a", "b").bias
    assert isinstance(found[1], AgreementFigure)
    assert found[1].value == 1.0
    assert isinstance(found[0], NotEstimable)  # always the same: a value, and no interval
    assert (found[0].value, found[0].reason) == (0.0, ALIKE)


def test_one_grade_only_has_no_kappa() -> None:
    found = two(rated("11 11", "11"), "a", "b")
    assert found.kappa["none"] == NotEstimable(
        "both judges gave one and the same grade only, so there is no disagreement that chance could give",
        "jackknife over queries", 3,
    )  # fmt: skip
    assert isinstance(found.share, NotEstimable)
    assert found.share.value == 1.0


def test_perfect_agreement_has_a_value_and_no_interval() -> None:
    found = two(rated("11 00", "00 11 22"), "a", "b")
    for answer in (found.kappa["quadratic"], found.alpha["ordinal"], found.share):
        assert isinstance(answer, NotEstimable)
        assert (answer.value, answer.reason) == (1.0, ALIKE)


def test_one_query_has_a_value_and_no_interval() -> None:
    found = two(rated("11 00 01 12"), "a", "b").kappa["linear"]
    assert isinstance(found, NotEstimable)
    assert found.value is not None
    assert found.reason == "all pairs belong to one query, and queries differ"


def test_no_overlap() -> None:
    ratings = ratings_of({"a": {"q1": {"d1": 1}}, "b": {"q1": {"d2": 1}}})
    found = two(ratings, "a", "b")
    assert found.pairs == 0
    assert found.bias == {}
    for answer in (found.share, *found.kappa.values(), *found.alpha.values()):
        assert answer == NotEstimable("no pair has a grade of both judges", "jackknife over queries", 0)
    assert isinstance(together(ratings).fleiss, NotEstimable)


def test_a_query_without_which_nothing_is_left() -> None:
    found = two(rated("00 00", "01 11"), "a", "b").kappa["none"]
    assert isinstance(found, NotEstimable)
    assert found.reason == "without one of its queries it has no value"


def test_no_number_is_a_nan() -> None:
    for said in (["00 01", "11 10"], ["22", "21", "12"], ["00"], ["01", "10"], ["03 30 30", "30 03"]):
        found = together(rated(*said)).to_dict()

        def look(value: object) -> None:
            if isinstance(value, dict):
                for item in value.values():
                    look(item)
            elif isinstance(value, list):
                for item in value:
                    look(item)
            elif isinstance(value, float):
                assert math.isfinite(value)

        look(found)


def test_fleiss_takes_pairs_with_the_usual_number_of_grades() -> None:
    """Two pairs with three grades, one with two: the latter is left out."""
    side = {"q1": {"d": 1}, "q2": {"d": 0}, "q3": {"d": 1}}
    found = together(ratings_of({"a": side, "b": side, "c": {"q1": {"d": 1}, "q2": {"d": 1}}}))
    assert found.fleiss_grades == 3
    assert found.pairs == 3
    # Agreement 1 and 1/3; shares of grades 4/6 and 2/6: (2/3 - 5/9) / (4/9) = 1/4
    assert found.fleiss.value == pytest.approx(0.25)


def test_judgments_without_a_grade_are_no_ratings() -> None:
    said = [
        Judgment("1", "ann", "q1", "d1", 2),
        Judgment("2", "bob", "q1", "d1", 1),
        Judgment("3", "bob", "q1", "d2", None, "cannot_tell"),
    ]
    found = ratings_of_judgments(said)
    assert (found.judges, list(found.pairs)) == (("ann", "bob"), [("q1", "d1")])
    assert ratings_of_judgments([]).judges == ()
    assert isinstance(together(ratings_of_judgments([])).alpha["nominal"], NotEstimable)
