"""Several datasets in one verdict: means over datasets and their error by hand, one left out, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.proving.datasets import compare_datasets, dataset_sections
from rankproof.proving.records import Comparison, Design
from rankproof.proving.score_tables import compare_scores

SIZES = {"small": 12, "middle": 40, "large": 400, "other": 25}


def _dataset(differences: NDArray[np.float64], names: tuple[str, ...] = ("old", "new")) -> Comparison:
    old = {f"q{i}": 0.5 for i in range(len(differences))}
    new = {f"q{i}": 0.5 + float(d) for i, d in enumerate(differences)}
    return compare_scores(old, [new] * (len(names) - 1), names=names, ranges={"score": (-10, 10)})


def _several(
    shift: float, seed: int = 0, **shifts: float
) -> tuple[dict[str, Comparison], dict[str, NDArray[np.float64]]]:
    rng = np.random.default_rng(seed)
    drawn = {name: rng.normal(shifts.get(name, shift), 0.2, size) for name, size in SIZES.items()}
    return {name: _dataset(differences) for name, differences in drawn.items()}, drawn


def test_each_dataset_counts_the_same_and_the_error_is_that_of_its_queries() -> None:
    comparisons, drawn = _several(0.1)
    contrast = compare_datasets(comparisons, Design(significance="t")).overall.contrast("score")
    default = compare_datasets(comparisons).overall.contrast("score").difference
    assert isinstance(contrast.difference, Estimate)
    assert isinstance(default, Estimate)
    means = [d.mean() for d in drawn.values()]
    error = math.sqrt(sum(d.var(ddof=1) / len(d) for d in drawn.values())) / len(drawn)
    assert contrast.difference.value == pytest.approx(np.mean(means))
    # By Satterthwaite, as for means of unequal variances.
    parts = [d.var(ddof=1) / len(d) for d in drawn.values()]
    degrees = sum(parts) ** 2 / sum(p**2 / (len(d) - 1) for p, d in zip(parts, drawn.values(), strict=True))
    reach = stats.t.ppf(0.975, degrees) * error
    assert contrast.difference.high - contrast.difference.value == pytest.approx(reach, rel=1e-6)
    # The default minds kurtosis and skewness, and is never sharper.
    assert reach <= default.high - default.value < 1.2 * reach


def test_the_largest_dataset_does_not_decide() -> None:
    """Over all queries together the candidate would be better: 400 of 477 queries are the large dataset's."""
    comparisons, drawn = _several(-0.15, large=0.2)
    together = np.concatenate(list(drawn.values()))
    assert stats.ttest_1samp(together, 0).statistic > 5
    assert compare_datasets(comparisons).overall.contrast("score").direction == "worse"


def test_datasets_like_these_are_judged_by_as_many_values_as_datasets() -> None:
    comparisons, drawn = _several(0.1)
    (like,) = compare_datasets(comparisons).like_these
    assert isinstance(like.difference, Estimate)
    assert like.difference.n == len(SIZES)
    expected = stats.ttest_1samp([d.mean() for d in drawn.values()], 0)
    assert like.difference.p_value == pytest.approx(expected.pvalue)


def test_better_on_these_is_not_better_on_any() -> None:
    comparisons, _ = _several(0.1, small=0.6, other=-0.3)
    answer = compare_datasets(comparisons)
    assert answer.overall.contrast("score").direction == "better"
    assert answer.like_these[0].direction == "not shown"


def test_a_dataset_that_alone_makes_the_verdict_is_named() -> None:
    comparisons, _ = _several(0.0, seed=3, small=0.5)
    answer = compare_datasets(comparisons)
    assert answer.overall.contrast("score").direction == "better"
    assert answer.changes("score", "new") == ("small",)
    (section,) = dataset_sections(answer)
    assert "Without small" in str(section.lines[0])


def test_two_datasets_tell_nothing_about_others() -> None:
    comparisons, _ = _several(0.1)
    two = {name: comparisons[name] for name in ("small", "large")}
    answer = compare_datasets(two)
    assert isinstance(answer.like_these[0].difference, NotEstimable)
    assert answer.left_out == ()


def test_queries_of_one_id_in_two_datasets_are_two_queries() -> None:
    comparisons, _ = _several(0.1)
    contrast = compare_datasets(comparisons).overall.contrast("score")
    assert len(contrast.query_ids) == sum(SIZES.values())


def test_what_cannot_be_brought_together_is_refused() -> None:
    comparisons, drawn = _several(0.1)
    with raises(UsageError, "1 dataset"):
        compare_datasets({"small": comparisons["small"]})
    with raises(InputError, "old", "new", "newer"):
        compare_datasets({"one": comparisons["small"], "two": _dataset(drawn["large"], ("old", "newer"))})
    with raises(UsageError, "strata"):
        compare_datasets(comparisons, Design(strata="kind"))
    other = compare_scores({"a": {"x": 1.0}, "b": {"x": 0.5}}, {"a": {"x": 0.0}, "b": {"x": 0.4}}, names=["old", "new"])
    with raises(InputError, "score"):
        compare_datasets({"one": comparisons["small"], "two": other})


def test_the_document_holds_all_of_it() -> None:
    comparisons, _ = _several(0.1)
    document = compare_datasets(comparisons).to_dict(by_query=False)
    assert [out["dataset"] for out in document["left_out"]] == list(SIZES)
    assert set(document["by_dataset"]) == set(SIZES)
