"""Comparing: differences query by query, by hand, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.proving.compare import compare, compare_evaluations
from rankproof.proving.records import Design

# One relevant document per query: RR is 1 over its rank.
QRELS = {f"q{i}": {"r": 1, "n1": 0, "n2": 0, "n3": 0} for i in range(1, 7)}


def ranked(*ranks: int) -> dict[str, dict[str, float]]:
    """A run whose relevant document stands at the given rank of each query."""
    others = ["n1", "n2", "n3"]
    run = {}
    for i, rank in enumerate(ranks, 1):
        docs = [*others[: rank - 1], "r", *others[rank - 1 :]]
        run[f"q{i}"] = {doc: float(9 - place) for place, doc in enumerate(docs)}
    return run


BASE = ranked(1, 2, 4, 2, 1, 4)  # RR 1, .5, .25, .5, 1, .25
BETTER = ranked(1, 1, 2, 1, 2, 1)  # RR 1, 1, .5, 1, .5, 1


def test_a_difference_is_the_mean_of_the_differences_with_the_paired_t_interval() -> None:
    """Differences 0, .5, .25, .5, -.5, .75: sum 1.5, mean 0.25."""
    found = compare(QRELS, BASE, BETTER, "RR", significance="t", beyond=False)
    contrast = found.contrast("RR")
    answer = contrast.difference
    assert isinstance(answer, Estimate)
    assert answer.value == pytest.approx(0.25)
    assert contrast.baseline_mean == pytest.approx(3.5 / 6)
    assert contrast.candidate_mean == pytest.approx(5 / 6)
    assert (contrast.wins, contrast.ties, contrast.losses) == (4, 1, 1)
    expected = stats.ttest_1samp([0, 0.5, 0.25, 0.5, -0.5, 0.75], 0)
    assert answer.p_value == pytest.approx(expected.pvalue, abs=1e-12)
    assert answer.low == pytest.approx(expected.confidence_interval(0.95).low, abs=1e-12)
    assert contrast.effect == pytest.approx(0.25 / np.std([0, 0.5, 0.25, 0.5, -0.5, 0.75], ddof=1))
    assert contrast.direction == "not shown"
    assert contrast.adjusted is None  # one test: nothing to correct


def test_what_finds_nothing_says_what_it_could_have_found() -> None:
    contrast = compare(QRELS, BASE, BETTER, "RR", beyond=False, significance="t").contrast("RR")
    assert contrast.detectable is not None
    assert contrast.detectable.difference > 0.25
    assert contrast.detectable.queries_needed is not None
    assert contrast.detectable.queries_needed > 6


def test_what_a_t_test_could_have_found_is_not_said_of_an_interval_by_gaffke() -> None:
    contrast = compare(QRELS, BASE, BETTER, "RR", beyond=False).contrast("RR")
    assert contrast.difference.method == "gaffke"
    assert contrast.detectable is None


def test_many_tests_with_bounds_by_gaffke_are_one_warning() -> None:
    found = compare(QRELS, BASE, [BETTER, BASE], "RR P@1 nDCG@10", beyond=False, names=["base", "better", "same"])
    (line,) = [warning for warning in found.warnings if "Gaffke" in warning]
    assert "tests too few queries changed for t" in line


def test_several_measures_are_a_family_and_are_corrected_together() -> None:
    found = compare(QRELS, BASE, BETTER, "RR P@1 nDCG@10", beyond=False, primary="all")
    assert str(found.family) == "1 pair of 2 systems x 3 measures = 3 tests"
    for contrast in found.contrasts:
        assert isinstance(contrast.difference, Estimate)
        assert contrast.adjusted is not None
        assert contrast.p_value == contrast.adjusted.p_value >= contrast.difference.p_value
        assert contrast.adjusted.low <= contrast.difference.low


def test_a_measure_where_lower_is_better_wins_by_falling() -> None:
    """MinPos is the first relevant rank: 1,2,4,2,1,4 against 1,1,2,1,2,1."""
    contrast = compare(QRELS, BASE, BETTER, "MinPos", beyond=False).contrast("MinPos")
    assert contrast.better == "lower"
    assert (contrast.wins, contrast.ties, contrast.losses) == (4, 1, 1)
    assert contrast.difference.value == pytest.approx((8 - 14) / 6)


def test_a_geometric_mean_is_compared_in_logarithms() -> None:
    """GMAP on one relevant document: AP is RR. The mean log ratio is the log of the ratio of geometric means."""
    contrast = compare(QRELS, BASE, BETTER, "GMAP", beyond=False).contrast("GMAP")
    assert contrast.scale == "natural logarithms"
    assert contrast.difference.value == pytest.approx(math.log(contrast.candidate_mean / contrast.baseline_mean))


def test_identical_runs_have_the_bounds_of_what_so_few_queries_can_miss() -> None:
    """Six queries without a change: 2.5% of what could be missed on each side, 1 - 0.025^(1/6) = 0.4593."""
    contrast = compare(QRELS, BASE, BASE, "RR", names=["a", "b"], beyond=False).contrast("RR")
    assert isinstance(contrast.difference, Estimate)
    assert (contrast.difference.low, contrast.difference.high) == pytest.approx((-0.459258, 0.459258), abs=1e-6)
    assert contrast.p_value == 1.0
    assert contrast.direction == "not shown"
    assert contrast.effect is None


def test_identical_runs_cannot_be_tested_by_t_and_say_so() -> None:
    contrast = compare(QRELS, BASE, BASE, "RR", names=["a", "b"], significance="t", beyond=False).contrast("RR")
    assert isinstance(contrast.difference, NotEstimable)
    assert contrast.p_value is None


def test_all_pairs_are_compared_when_asked_for() -> None:
    runs = {"a": BASE, "b": BETTER, "c": ranked(2, 2, 2, 2, 2, 2)}
    found = compare(QRELS, runs["a"], [runs["b"], runs["c"]], "RR", names=list(runs), all_pairs=True, beyond=False)
    assert [(c.baseline, c.candidate) for c in found.contrasts] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_a_segment_gives_the_same_table_for_its_queries() -> None:
    queries = {f"q{i}": {"kind": "head" if i <= 3 else "tail"} for i in range(1, 7)}
    found = compare(QRELS, BASE, BETTER, "RR", queries=queries, by=["kind"], beyond=False)
    assert [c.segment for c in found.contrasts] == ["", "kind=head", "kind=tail"]
    head = found.contrast("RR", segment="kind=head")
    assert head.query_ids == ("q1", "q2", "q3")
    assert head.difference.value == pytest.approx(0.25)  # (0 + .5 + .25) / 3
    assert found.family.tests == 3
    assert "2 sets" not in str(found.family)
    assert "3 sets of queries" in str(found.family)


def test_the_queries_that_lost_and_won_most_come_with_what_moved() -> None:
    found = compare(QRELS, BASE, BETTER, "RR", topics={"q5": "red shoes"}, most_moved=1, beyond=False)
    lost, won = found.moves
    assert (lost.query_id, lost.text, lost.difference) == ("q5", "red shoes", -0.5)
    assert [(m.doc_id, m.before, m.after, m.grade) for m in lost.fell] == [("r", 1, 2, 1)]
    assert [(m.doc_id, m.before, m.after, m.grade) for m in lost.rose] == [("n1", 2, 1, 0)]
    assert (won.query_id, won.difference) == ("q6", 0.75)


def test_a_test_at_another_level_has_another_interval_and_the_same_p() -> None:
    usual = compare(QRELS, BASE, BETTER, "RR", beyond=False).contrast("RR").difference
    wide = compare(QRELS, BASE, BETTER, "RR", confidence=0.99, beyond=False).contrast("RR").difference
    assert isinstance(usual, Estimate)
    assert isinstance(wide, Estimate)
    assert wide.low < usual.low
    assert wide.p_value == usual.p_value


def test_equivalence_takes_both_one_sided_tests() -> None:
    """Both one-sided p-values of the t test against -margin and +margin; the greater counts."""
    d = np.array([0, 0.5, 0.25, 0.5, -0.5, 0.75])
    contrast = compare(QRELS, BASE, BETTER, "RR", equivalence=1.0, significance="t", beyond=False).contrast("RR")
    assert contrast.equivalence is not None
    lower = stats.ttest_1samp(d, -1.0, alternative="greater").pvalue
    upper = stats.ttest_1samp(d, 1.0, alternative="less").pvalue
    assert contrast.equivalence.p_value == pytest.approx(max(lower, upper), abs=1e-12)
    assert contrast.equivalence.holds == (max(lower, upper) <= 0.05)


def test_non_inferiority_asks_about_the_worse_side_only() -> None:
    d = np.array([0, 0.5, 0.25, 0.5, -0.5, 0.75])
    contrast = compare(QRELS, BASE, BETTER, "RR", non_inferiority=0.2, significance="t", beyond=False).contrast("RR")
    assert contrast.equivalence is not None
    assert contrast.equivalence.p_value == pytest.approx(
        stats.ttest_1samp(d, -0.2, alternative="greater").pvalue, abs=1e-12
    )


def test_evaluations_on_other_judgments_are_refused() -> None:
    other = {**QRELS, "q1": {"r": 0, "n1": 1}}
    first = rankproof.evaluate(QRELS, BASE, "RR", name="base")
    second = rankproof.evaluate(other, BETTER, "RR", name="new")
    with raises(InputError, "'base'", "'new'", "judgments", "qrels"):
        compare_evaluations([first, second], Design())


def test_evaluations_over_other_queries_are_refused_by_name() -> None:
    """trec_eval's dialect drops queries that a run lacks."""
    short = {query: docs for query, docs in BETTER.items() if query != "q4"}
    with raises(InputError, "'baseline'", "'candidate'", "1 (q4)", "--complete"):
        compare(QRELS, BASE, short, "RR", dialect="trec_eval", beyond=False)
    assert compare(QRELS, BASE, short, "RR", dialect="trec_eval", complete=True, beyond=False).query_ids


def test_evaluations_by_other_rules_are_refused() -> None:
    first = rankproof.evaluate(QRELS, BASE, "RR", name="base")
    second = rankproof.evaluate(QRELS, BETTER, "RR", name="new", depth=2)
    with raises(InputError, "'base'", "'new'", "rules", "depth=None", "depth=2"):
        compare_evaluations([first, second], Design())


def test_evaluations_made_apart_compare_like_runs() -> None:
    apart = [rankproof.evaluate(QRELS, run, "RR", name=name) for name, run in (("base", BASE), ("new", BETTER))]
    found = compare_evaluations(apart, Design()).contrast("RR").difference
    whole = compare(QRELS, BASE, BETTER, "RR", beyond=False).contrast("RR").difference
    assert found == whole


@pytest.mark.parametrize(
    ("choice", "kind", "values"),
    [
        ({"confidence": 1.5}, UsageError, ["confidence", "0.5", "1.5"]),
        ({"equivalence": -1.0}, UsageError, ["equivalence", "-1.0"]),
        ({"equivalence": 0.1, "non_inferiority": 0.1}, UsageError, ["Equivalence", "non-inferiority"]),
        ({"resamples": 10}, UsageError, ["Resamples", "1,000", "10"]),
        ({"significance": "tt"}, UnknownName, ["'tt'", "'t'"]),
        ({"by": ["kind"]}, UsageError, ["--queries"]),
    ],
)
def test_wrong_choices_are_refused(choice: dict[str, object], kind: type[UsageError], values: list[str]) -> None:
    with raises(kind, *values):
        compare(QRELS, BASE, BETTER, "RR", beyond=False, **choice)
