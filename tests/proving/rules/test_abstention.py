"""The rule on silence: exact bounds against the binomial, on runs and on tables, and what leaves it open."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import binom
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.testing.ruling import case_of, rule_on


@pytest.mark.parametrize("n", [10, 59, 60, 200])
@pytest.mark.parametrize("limit", [0.02, 0.05, 0.3])
def test_it_decides_as_the_exact_binomial_tests_do(n: int, limit: float) -> None:
    """PASS where so few false answers have a chance below 5% at the limit; FAIL where so many have."""
    for hits in range(n + 1):
        case = case_of([1.0] * hits + [0.0] * (n - hits), answerable=[False] * n)
        passes, fails = binom.cdf(hits, n, limit) <= 0.05, binom.sf(hits - 1, n, limit) < 0.05
        expected = "PASS" if passes else "FAIL" if fails else "UNDECIDED"
        assert rule_on(case, "abstention", threshold=0.5, at_most=limit).status == expected, hits


def test_a_score_on_the_threshold_is_an_answer_and_a_score_of_0_is_a_score() -> None:
    case = case_of([0.0] * 30 + [-1.0] * 30, answerable=[False] * 60)
    ruling = rule_on(case, "abstention", threshold=0.0, at_most=0.1)
    assert (ruling.status, ruling.observed) == ("FAIL", 0.5)
    assert {payer.value for payer in ruling.payers} == {0.0}


def test_only_queries_of_the_asked_kind_count() -> None:
    case = case_of([0.9] * 60 + [0.1] * 60, answerable=[True] * 60 + [False] * 60)
    assert rule_on(case, "abstention", threshold=0.5, at_most=0.05).status == "PASS"
    assert rule_on(case, "abstention", threshold=0.5, at_least=0.95).status == "PASS"
    alone = case_of([0.9] * 60, answerable=[True] * 60)
    assert rule_on(alone, "abstention", threshold=0.5, at_most=0.05).status == "UNDECIDED"


def test_too_few_queries_are_told_how_many_it_takes() -> None:
    """0.95^59 = 0.0485 is the first power below 0.05."""
    case = case_of([0.1] * 58, answerable=[False] * 58)
    ruling = rule_on(case, "abstention", threshold=0.5, at_most=0.05)
    assert ruling.status == "UNDECIDED"
    assert "59 queries" in ruling.decides


def test_drawn_queries_leave_it_undecided() -> None:
    """Exact bounds are for a simple random sample; clusters of queries would make them too narrow."""
    case = case_of([0.1] * 60, answerable=[False] * 60, drawn={"clusters": [str(i // 10) for i in range(60)]})
    assert rule_on(case, "abstention", threshold=0.5, at_most=0.05).status == "UNDECIDED"


@pytest.mark.parametrize(
    "values", [{}, {"at_most": 0.1, "at_least": 0.9}, {"at_most": 0.1, "score_column": "s"}, {"at_most": 5}]
)
def test_contradictions_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        rule_on(case_of([0.1]), "abstention", threshold=0.5, **values)


# ---- on a run, and on tables -----------------------------------------------------------------------

QRELS = {f"n{i}": {"d": 0} for i in range(60)} | {f"y{i}": {"d": 1} for i in range(60)}
RUN = {f"n{i}": {"x": 0.2, "y": 0.1} for i in range(50)} | {f"y{i}": {"d": 0.9, "x": 0.1} for i in range(60)}


def policy(**values: Any) -> dict[str, Any]:
    return {"rule": [{"rule": "abstention", **values}]}


def test_a_run_is_cut_at_the_threshold_by_its_first_document() -> None:
    """Ten queries without an answer have no documents: never answered. At 0.2 the other fifty are answered."""
    silent = rankproof.gate(policy(threshold=0.5, at_most=0.05), qrels=QRELS, candidate=RUN)
    assert (silent.status, silent.rulings[0].observed) == ("PASS", 0.0)
    talks = rankproof.gate(policy(threshold=0.2, at_most=0.05), qrels=QRELS, candidate=RUN)
    assert (talks.status, talks.rulings[0].observed) == ("FAIL", 50 / 60)
    assert rankproof.gate(policy(threshold=0.5, at_least=0.9), qrels=QRELS, candidate=RUN).status == "PASS"


def test_it_says_the_same_as_false_answers_of_a_run_that_was_cut() -> None:
    cut = {query: docs for query, docs in RUN.items() if max(docs.values()) >= 0.5}
    value = rankproof.evaluate(QRELS, cut, "FalseAnswers")["FalseAnswers"].mean
    ruling = rankproof.gate(policy(threshold=0.5, at_most=0.05), qrels=QRELS, candidate=RUN).rulings[0]
    assert ruling.observed == value


def test_ranks_and_distances_have_no_threshold() -> None:
    ranked = {query: list(docs) for query, docs in RUN.items()}
    with raises(UsageError, "abstention", "rank"):
        rankproof.gate(policy(threshold=0.5, at_most=0.05), qrels=QRELS, candidate=ranked)
    with raises(UsageError, "abstention", "distance"):
        rankproof.gate(
            {**policy(threshold=0.5, at_most=0.05), "evaluate": {"lower_is_better": True}}, qrels=QRELS, candidate=RUN
        )


def test_columns_of_a_table_of_scores() -> None:
    rows = [{"id": f"n{i}", "sure": 0.1 if i else None, "has": 0} for i in range(60)]
    rows += [{"id": f"y{i}", "sure": 0.8, "has": 1} for i in range(60)]
    columns = {"score_column": "sure", "answerable_column": "has"}
    gate = rankproof.gate({"scores": {}, **policy(threshold=0.5, at_most=0.05, **columns)}, candidate=rows)
    assert gate.status == "PASS"
    assert gate.manifest
    with raises(UsageError, "score_column"):
        rankproof.gate({"scores": {}, **policy(threshold=0.5, at_most=0.05)}, candidate=rows)
    with raises(UsageError, "score_column"):
        rankproof.gate(policy(threshold=0.5, at_most=0.05, **columns), qrels=QRELS, candidate=RUN)
    rows[3]["has"] = None
    with raises(InputError, "'n3'", "has"):
        rankproof.gate({"scores": {}, **policy(threshold=0.5, at_most=0.05, **columns)}, candidate=rows)
