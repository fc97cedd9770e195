"""Audit of a report on one query: the worked case, examples that are checked, and sets that contradict each other."""

from __future__ import annotations

from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.proving.audit.claims import ReportAudit, read_claims
from rankproof.proving.audit.report import audit_report
from rankproof.testing.tables import value


def audit(values: str, **given: Any) -> ReportAudit:
    """By rankproof's definitions, unless others are given."""
    return audit_report(read_claims(values.split()), **{"dialect": "rankproof", **given})


def test_the_impossible_report() -> None:
    """5 relevant, P@3 2/3, R@5 3/5, first at rank 2: at {2, 3} and one of {4, 5}. Whatever the grades are worth, nDCG@5
    is at most (0.6309 + 0.5 + 0.4307) / (1 + 0.6309 + 0.5) = 0.7328: equal gains for the three, none for the others.
    """
    found = audit("P@3=0.67 R@5=0.60 RR=0.5 nDCG@5=0.75", relevant="5")
    assert found.verdict == "impossible"
    assert [c.measures for c in found.contradictions] == [("R@5", "RR", "nDCG@5")]
    by_measure = {instead.measure: instead for instead in found.instead}
    assert by_measure["nDCG@5"].greatest == pytest.approx(0.7328, abs=5e-5)
    assert by_measure["nDCG@5"].least == 0  # two are missed, and may be worth more than all others
    assert found.rests_on == ("--relevant 5", "--dialect rankproof")


def test_the_impossible_report_with_all_of_one_grade() -> None:
    """The ideal DCG is 2.9485. {2, 3, 4}: (0.6309 + 0.5 + 0.4307) / 2.9485 = 0.530; {2, 3, 5}: 0.515.
    nDCG@5 alone: {1, 2, 3} has 0.723 and {1, 3, 4, 5} has 0.786, with nothing between.
    """
    found = audit("P@3=0.67 R@5=0.60 RR=0.5 nDCG@5=0.75", grades=["1,1,1,1,1"])
    assert [c.measures for c in found.contradictions] == [("nDCG@5",)]
    (instead,) = found.instead
    assert (instead.measure, instead.complete) == ("nDCG@5", True)
    assert [f"{value:.3f}" for value in instead.values] == ["0.515", "0.530"]
    assert [placement.ranks for placement in instead.placements] == [(2, 3, 5), (2, 3, 4)]


@pytest.mark.parametrize("ndcg", ["0.53", "0.530", "0.515"])
def test_the_same_report_with_a_value_that_can_be(ndcg: str) -> None:
    found = audit(f"P@3=0.67 R@5=0.60 RR=0.5 nDCG@5={ndcg}", relevant="5")
    assert found.verdict == "possible"
    (example,) = found.example
    ranking = [1 if rank in example.ranks else None for rank in range(1, 6)]
    pool = [1] * 5
    assert [value(m, ranking, pool) for m in ("P@3", "R@5", "RR")] == [0.6667, 0.6, 0.5]
    assert f"{value('nDCG@5', ranking, pool):.{len(ndcg) - 2}f}" == ndcg


def test_two_values_that_contradict_each_other() -> None:
    """The first relevant document at rank 2 or 3 leaves at most 2 of 3 for P@3; each alone can be."""
    found = audit("P@3=1.00 RR=0.50 R@10=0.80", relevant="5")
    assert found.verdict == "impossible"
    assert [c.measures for c in found.contradictions] == [("P@3", "RR")]
    assert found.contradictions[0].reason == "No ranking has P@3 1.00 and RR 0.50 together."
    by_measure = {instead.measure: instead for instead in found.instead}
    assert set(by_measure) == {"P@3", "RR"}
    assert by_measure["P@3"].values == pytest.approx((1 / 3, 2 / 3))  # at rank 2, and perhaps at 3
    assert by_measure["RR"].values == (1.0,)


def test_a_value_that_only_two_others_together_exclude() -> None:
    """Two relevant: none at rank 1, one at rank 2, the other at rank 3. AP is (1/2 + 2/3) / 2 = 0.583. Without R@1 the
    ranks 1 and 3 give (1 + 2/3) / 2 = 0.833, without R@3 the ranks 2 and 100 give 0.26: each two can be, not all three.
    """
    found = audit("R@1=0.00 R@3=1.00 AP=0.83", relevant="2")
    assert found.verdict == "impossible"
    assert [c.measures for c in found.contradictions] == [("R@1", "AP")]
    found = audit("R@2=0.50 R@3=1.00 AP=0.50", relevant="2")
    assert [c.measures for c in found.contradictions] == [("R@3", "AP")]
    found = audit("R@1=0.50 R@2=0.50 R@4=1.00 AP=1.00", relevant="2")
    assert [c.measures for c in found.contradictions] == [("R@2", "AP")]


def test_whole_rankings_are_followed_as_deep_as_need_be() -> None:
    """RR 0.05 and nothing in the first 10: the first relevant document is at rank 19, 20, 21 or 22."""
    found = audit("RR=0.05 P@10=0.0", relevant="1")
    assert found.verdict == "possible"
    assert 18 < found.example[0].ranks[0] < 23
    assert audit("RR=0.05 P@10=0.1").verdict == "impossible"
    # AP of 3 at ranks 2, 5, 6: (1/2 + 2/5 + 3/6) / 3 = 0.4667; RR 1/4 leaves (1/4 + 2/5 + 3/6) / 3 = 0.383 at most.
    assert audit("AP=0.4667 RR=0.50", relevant="3").example[0].ranks == (2, 5, 6)
    assert audit("AP=0.4667 RR=0.25", relevant="3").verdict == "impossible"


def test_great_cutoffs_need_no_enumeration() -> None:
    found = audit("nDCG@100=0.5123 RR=0.25 R@100=0.80", relevant="20")
    assert found.verdict == "possible"
    assert found.example[0].ranks[0] == 4
    assert found.example[0].values["nDCG@100"] == pytest.approx(0.5123, abs=5.1e-5)
    assert audit("nDCG@1000=0.90 RR=0.25 R@100=0.80", relevant="20").verdict == "impossible"


def test_grades() -> None:
    """Judgments 3, 2, 1: swapping ranks 2 and 3 gives 0.973, swapping 1 and 2 gives 0.922; nothing between 0.943
    and 0.973 begins with the best document and has the other two in the first four."""
    assert audit("nDCG@4=0.973 RR=1.00", grades=["3,2,1"]).example[0].grades == (3, 1, 2)
    assert audit("nDCG@4=0.922 RR=1.00", grades=["3,2,1,0,0"]).verdict == "possible"
    assert audit("nDCG@4=0.960", grades=["3,2,1"]).verdict == "impossible"
    assert audit("nDCG(gain=exp2)@4=0.973", grades=["3,2,1"]).verdict != audit("nDCG@4=0.973", grades=["3,2,1"]).verdict


def test_what_is_too_large_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.proving.audit.report.BUDGET", 1_000)
    found = audit("nDCG@100=0.5123456 AP=0.3123456", relevant="40")
    assert found.verdict == "undecided"
    assert "no proof that there is none" in found.notes[0]


@pytest.mark.parametrize(
    ("values", "given", "named"),
    [
        ("P@3", {}, ["'P@3'", "nDCG@5=0.75"]),
        ("P@3=high", {}, ["P@3=high", "'high'"]),
        ("P@3=0.5 precision@3=0.6", {}, ["P@3", "0.5", "0.6"]),
        ("R@5=0.5", {}, ["R@5", "--relevant", "--grades"]),
        ("AP=0.5 RR=0.5", {}, ["AP", "--relevant", "--grades"]),
        ("R@5=0.5", {"relevant": "many"}, ["--relevant", "'many'", "1-8"]),
        ("R@5=0.5", {"relevant": "8-2"}, ["--relevant", "'8-2'", "10,000"]),
        ("R@5=0.5", {"relevant": "5", "grades": ["1"]}, ["--relevant", "--grades", "same"]),
        ("nDCG@5=0.5", {"grades": ["3,x"]}, ["'3,x'", "3,2,1"]),
        ("Bpref=0.5", {"relevant": "5"}, ["Bpref", "AP", "nDCG"]),
        ("P(denominator=returned)@5=0.5", {}, ["P(denominator=returned)@5", "returned"]),
        ("nDCG(gain={1:5,2:1})@5=0.5", {"grades": ["2,1"]}, ["nDCG(gain={1:5,2:1})@5", "gains", "0: 0, 1: 5, 2: 1"]),
        ("P(rel=0)@5=0.5", {}, ["P(rel=0)@5", "grade 0"]),
        ("P=0.5", {}, ["P", "9", "P@5=0.5"]),
        ("RR=0.5", {"queries": 0}, ["query", "0"]),
        ("RR=0.5", {"average": "some"}, ["--average", "'some'", "answered"]),
        ("RR=0.5", {"rounding": "up"}, ["--rounding", "'up'", "truncated"]),
        ("Rprec=0.5", {"relevant": "5", "dialect": "beir"}, ["beir", "Rprec"]),
    ],
)
def test_what_cannot_be_audited(values: str, given: dict[str, Any], named: list[str]) -> None:
    with raises(UsageError, *named):
        audit(values, **given)


def test_digits_decide_the_interval() -> None:
    def ends(text: str, decimals: int | None = None) -> tuple[float, float]:
        (claim,) = read_claims([text], decimals)
        nearest = claim.rounded_by("nearest").claim
        return nearest.low, nearest.high

    assert ends("P@3=0.67") == (0.665, 0.675)
    assert ends("P@3=66.7%") == (0.6665, 0.6675)
    assert ends("P@3=0.67", 4) == (0.66995, 0.67005)
    assert ends("P(rel=2)@3=1")[0] == 0.5
    (claim,) = read_claims(["P@3=0.67"])
    truncated = claim.rounded_by("truncated").claim
    assert (truncated.low, truncated.high) == (0.67, 0.68)
    # 0.66445 becomes 0.6645, 0.665 and 0.67, one place after the other; 0.679 is cut to 0.67
    assert claim.claim.low == pytest.approx(0.664444, abs=1e-6)
    assert claim.claim.high == 0.68
