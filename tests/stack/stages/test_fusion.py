"""Fusion by hand: sums, documents that only one pipeline has, ties, weights that do not fit."""

from __future__ import annotations

from itertools import permutations

import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.stack.stages._scores import Weights, misfit
from rankproof.testing.rankings import passed


def test_rrf_adds_reciprocals_of_ranks() -> None:
    """k = 0: a has 1/1 + 1/3, b has 1/2 + 1/1, c has 1/3 + 1/2, d has 1/4."""
    fused = passed("fuse_rrf", ["a", "b", "c", "d"], ["b", "c", "a"], k=0)
    assert fused == {"b": 1.5, "a": 1.3333, "c": 0.8333, "d": 0.25}


def test_rrf_takes_no_notice_of_scores() -> None:
    assert passed("fuse_rrf", {"a": 900.0, "b": 0.1}, ["b", "c"]) == passed("fuse_rrf", ["a", "b"], ["b", "c"])


def test_the_order_of_the_pipelines_breaks_no_tie() -> None:
    """Three documents at ranks 1, 2 and 3 in some order each: the sums are equal however they are added."""
    for turn in permutations([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]):
        assert list(passed("fuse_rrf", *turn, k=7)) == ["c", "b", "a"]


def test_a_weight_of_0_keeps_the_documents_and_forgets_what_was_said() -> None:
    assert passed("fuse_rrf", ["a", "b"], ["c", "b"], k=1, weights=[1, 0]) == {"a": 0.5, "b": 0.3333, "c": 0.0}


def test_linear_with_minmax_counts_a_missing_document_as_0() -> None:
    """First: a 1, b 0.25, c 0. Second: c 1, d 0. With weights 1 and 0.5: c 0 + 0.5, d 0."""
    fused = passed("fuse_linear", {"a": 5.0, "b": 2.0, "c": 1.0}, {"c": 30.0, "d": 10.0}, weights=[1, 0.5])
    assert fused == {"a": 1.0, "c": 0.5, "b": 0.25, "d": 0.0}


def test_linear_with_zscore_counts_a_missing_document_as_the_last() -> None:
    """First: a 1, b -1 (mean 2, deviation 1). Second: a 1, c -1. b is missing in the second: -1 - 1, as c is."""
    fused = passed("fuse_linear", {"a": 3.0, "b": 1.0}, {"a": 8.0, "c": 4.0}, normalize="zscore")
    assert fused == {"a": 2.0, "c": -2.0, "b": -2.0}


def test_a_ranking_of_one_document_stands_at_the_top_of_its_scale() -> None:
    assert passed("fuse_linear", {"a": 2.0, "b": 1.0}, {"c": 0.01}) == {"c": 1.0, "a": 1.0, "b": 0.0}


@pytest.mark.parametrize("stage", ["fuse_rrf", "fuse_linear"])
@pytest.mark.parametrize("said", [{}, {"weights": [2, 0.5]}])
def test_an_empty_ranking_says_nothing(stage: str, said: dict[str, list[float]]) -> None:
    assert list(passed(stage, ["a", "b"], [], **said)) == ["a", "b"]
    assert passed(stage, [], [], **said) == {}


def test_weights_must_be_one_for_each_pipeline() -> None:
    with raises(UsageError, 3, "weights", 2):
        passed("fuse_rrf", ["a"], ["b"], weights=[1, 2, 3])
    assert misfit({"weights": (1.0, 2.0)}, 2) == misfit({"weights": None}, 5) == ""
    assert all(shelf.find("stages", name).misfit is misfit for name in ("fuse_rrf", "fuse_linear"))


@pytest.mark.parametrize("wrong", [[], [0, 0], [-1, 2], ["1", 2], [True, 1], [float("nan")], [1e999], 3, "1"])
def test_wrong_weights_are_refused(wrong: object) -> None:
    with raises(ValueError, "[0.7, 0.3]", repr(wrong)):
        Weights().read(wrong)
