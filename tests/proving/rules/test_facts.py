"""Rules that leave nothing to chance: single queries, protected ones, the judged rate, the checks."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.finding import Finding
from rankproof.testing.ruling import case_of, rule_on

BEFORE = [0.5, 0.5, 0.5]


def test_a_query_may_lose_as_much_as_said_and_no_more() -> None:
    """0.5 - 0.2 is a hair above 0.3 as a float: rounding must not make a loss of it."""
    case = case_of([0.2, 0.5, 0.9], baseline=BEFORE)
    kept = rule_on(case, "no_query_loses_more", measure="nDCG@10", than=0.3)
    assert (kept.status, kept.p_fail) == ("PASS", None)
    assert kept.reason == "No query of 3 loses more than 0.3000 nDCG@10; the greatest loss is 0.3000."
    lost = rule_on(case, "no_query_loses_more", measure="nDCG@10", than=0.29)
    assert (lost.status, lost.queries) == ("FAIL", ("q1",))
    assert lost.reason == "1 of 3 queries loses more than 0.2900 nDCG@10; 'q1' loses most, 0.3000."


def test_losses_of_several_queries_come_worst_first_and_only_those_over_the_limit() -> None:
    case = case_of([0.4, 0.1, 0.2], baseline=BEFORE)
    ruling = rule_on(case, "no_query_loses_more", measure="nDCG@10", than=0.2)
    assert ruling.queries == ("q2", "q3")
    assert ruling.reason.startswith("2 of 3 queries lose more")
    assert [payer.difference for payer in ruling.payers] == pytest.approx([-0.4, -0.3])


def test_a_query_that_lost_its_value_has_lost_more_than_any_number() -> None:
    case = case_of([0.5, 0.5], baseline=[0.5, 0.5], lost={"q9": 0.7})
    ruling = rule_on(case, "no_query_loses_more", measure="nDCG@10", than=0.999)
    assert (ruling.status, ruling.queries) == ("FAIL", ("q9",))
    assert (ruling.payers[0].value, ruling.payers[0].before) == (None, 0.7)


def test_a_loss_is_a_rise_where_lower_is_better() -> None:
    case = case_of([3.0, 1.0], baseline=[1.0, 3.0])
    assert rule_on(case, "no_query_loses_more", measure="AvgPos", than=1.0).queries == ("q1",)


def test_protected_queries_keep_their_value() -> None:
    case = case_of([0.4, 0.6, 0.5], baseline=BEFORE)
    assert rule_on(case, "protected", measure="RR", queries=["q2", "q3"]).status == "PASS"
    dropped = rule_on(case, "protected", measure="RR", queries=["q3", "q1"])
    assert (dropped.status, dropped.queries) == ("FAIL", ("q1",))
    assert dropped.observed == pytest.approx(0.1)
    assert rule_on(case, "protected", measure="RR", queries=["q1"], tolerance=0.1).status == "PASS"


def test_a_protected_query_that_lost_its_value_has_dropped() -> None:
    case = case_of([0.5], baseline=[0.5], lost={"q9": 0.7})
    ruling = rule_on(case, "protected", measure="RR", queries=["q1", "q9"])
    assert ruling.reason == "1 of 2 protected queries drops in RR: 'q9' from 0.7000 to undefined."


def test_a_protected_query_nobody_judged_is_an_error() -> None:
    with raises(UsageError, "'q8'", "protected"):
        rule_on(case_of([0.5], baseline=[0.5]), "protected", measure="RR", queries=["q1", "q8"])


def test_a_judged_rate_is_a_fact() -> None:
    case = case_of([1.0, 0.8])
    assert rule_on(case, "judged_rate", k=10, at_least=0.9).status == "PASS"
    missed = rule_on(case, "judged_rate", k=10, at_least=0.91)
    assert (missed.status, missed.p_fail, missed.reason) == (
        "FAIL", None, "Judged@10 is 0.9000, which misses 0.9100.",
    )  # fmt: skip
    assert rule_on(case_of([]), "judged_rate", at_least=0.5).status == "UNDECIDED"


def test_checks_fail_by_errors() -> None:
    error = Finding("nan_score", "error", "a.run", "the score is no number.", "Correct it.", 7, "q3", further=2)
    note = Finding("shallow", "warning", "a.run", "it is short.", "Look.", 1, "q1")
    failed = rule_on(case_of(check_findings=(error, note)), "checks")
    assert (failed.status, failed.queries, failed.observed) == ("FAIL", ("q3",), 3.0)
    assert failed.reason == "3 errors (nan_score). a.run, line 7: the score is no number."
    passed = rule_on(case_of(check_findings=(note,)), "checks")
    assert (passed.status, passed.reason) == ("PASS", "No check finds an error; 1 warning.")
