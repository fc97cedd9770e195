"""Audit of means: what holds for every query holds for every mean, and a mean of few values has a grain."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, pairwise
from typing import Any

import numpy as np
import pytest

from rankproof.proving.audit.claims import ReportAudit, read_claims
from rankproof.proving.audit.means import grain, mean_of_two
from rankproof.proving.audit.report import audit_report


def audit(values: str, **given: Any) -> ReportAudit:
    """By rankproof's definitions, unless others are given."""
    return audit_report(read_claims(values.split()), **{"dialect": "rankproof", **given})


def check_example(found: ReportAudit) -> None:
    """The example has as many queries as the report, and its means round to what was said."""
    assert sum(placement.queries for placement in found.example) == found.queries
    for claim in found.claims:
        mean = math.fsum(p.queries * p.values[claim.measure] for p in found.example) / found.queries
        assert claim.low - 1e-9 <= mean <= claim.high + 1e-9


# ---- the grain -----------------------------------------------------------------------------------


def test_a_mean_between_two_multiples() -> None:
    """0.6137 x 540 = 331.398: P@10 over 54 queries is 331/540 = 0.61296 or 332/540 = 0.61481."""
    found = audit("P@10=0.6137", queries=54)
    assert found.verdict == "impossible"
    assert found.contradictions[0].reason == (
        "P@10 of one query is a multiple of 1/10, so its mean over 54 queries cannot be 0.6137: the nearest means are "
        "0.61296 and 0.61481."
    )
    can = audit("P@10=0.6130", queries=54)
    assert can.verdict == "possible"
    check_example(can)


def test_success_and_reciprocal_ranks() -> None:
    """Five queries: the greatest mean RR@10 below 1 has one query at rank 2: (4 + 1/2) / 5 = 0.9."""
    success = audit("Success@10=0.6137", queries=50).contradictions[0].reason
    assert "is a whole number, so its mean over 50 queries cannot be 0.6137" in success
    for measure in ("RR@10", "RR"):
        assert audit(f"{measure}=0.9137", queries=5).verdict == "impossible"
    assert audit("RR@10=0.90", queries=5).verdict == "possible"


@pytest.mark.parametrize(
    ("values", "n", "mean", "verdict", "below", "above"),
    [
        ([0, 0.5, 1], 3, 0.5, "possible", None, None),
        ([0, 0.5, 1], 3, 0.4, "impossible", 1 / 3, 1 / 2),
        ([0, 1 / 3, 1], 2, 0.5, "possible", None, None),
        ([0, 1 / 3, 1], 2, 0.4, "impossible", 1 / 3, 1 / 2),
        # sqrt(2)/2 and 1 have no common part: sums of two are 1.4142, 1.7071 and 2
        ([math.sqrt(0.5), 1], 2, 0.9, "impossible", (1 + math.sqrt(0.5)) / 2, 1.0),
        ([math.sqrt(0.5), 1], 2, (1 + math.sqrt(0.5)) / 2, "possible", None, None),
        # beyond the greatest value it is not the number of queries that is to blame
        ([0, 0.5], 2, 0.9, "undecided", None, None),
    ],
)
def test_means_of_a_few_values(
    values: list[float], n: int, mean: float, verdict: str, below: float | None, above: float | None
) -> None:
    found = grain(values, n, mean - 1e-6, mean + 1e-6)
    assert found.verdict == verdict
    assert found.below == (None if below is None else pytest.approx(below))
    assert found.above == (None if above is None else pytest.approx(above))


def test_every_mean_that_is_reached_is_found() -> None:
    """All means of three values of RR@4, counted one by one; and the middle between two of them is not one."""
    values = [0.0, 1 / 4, 1 / 3, 1 / 2, 1.0]
    means = sorted({round(sum(c) / 3, 12) for c in combinations_with_replacement(values, 3)})
    for a, b in pairwise(means):
        assert grain(values, 3, a - 1e-9, a + 1e-9).verdict == "possible"
        middle = (a + b) / 2
        gap = grain(values, 3, middle - 1e-9, middle + 1e-9)
        assert (gap.verdict, gap.below, gap.above) == ("impossible", pytest.approx(a), pytest.approx(b))


def test_a_mean_of_two_values_is_a_mean() -> None:
    """A first look finds only what there is: wherever it finds a mean, one of all means lies there."""
    values = [0.0, 1 / 4, 1 / 3, 1 / 2, 1.0]
    means = sorted({round(sum(c) / 3, 12) for c in combinations_with_replacement(values, 3)})
    ends = [(a / 40 - width, a / 40 + width) for a in range(-2, 43) for width in (1e-9, 0.005, 0.02)]
    looks = {(low, high): mean_of_two(np.array(values), 3, low, high) for low, high in ends}
    assert all(any(low <= mean <= high for mean in means) for (low, high), there in looks.items() if there)
    assert {*looks.values()} == {True, False}
    # (1/4 + 1/4 + 1/3) / 3, and nothing within a hair of it
    assert mean_of_two(np.array(values), 3, 5 / 18 - 1e-9, 5 / 18 + 1e-9)
    assert not mean_of_two(np.array(values), 3, 5 / 18 + 1e-3, 5 / 18 + 2e-3)


# ---- what holds for every query ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "given", "measures", "reason"),
    [
        ("RR@10=0.62 Success@10=0.54", {}, ("RR@10", "Success@10"), "RR@10 - Success@10 is at most 0, "),
        ("P@10=0.62 Success@10=0.54", {}, ("P@10", "Success@10"), "P@10 - Success@10 is at most 0, "),
        ("Success@5=0.62 Success@10=0.54", {}, ("Success@5", "Success@10"), "Success@5 - Success@10 is at most 0, "),
        ("R@10=0.64 R@100=0.52", {"relevant": "1-20"}, ("R@10", "R@100"), "R@10 - R@100 is at most 0, "),
        # 10 x P@10 = 20 x R@10 with 20 relevant documents
        ("P@10=0.64 R@10=0.20", {"relevant": "20"}, ("P@10", "R@10"), ""),
        # 5 x P@5 cannot be more than 10 x P@10
        ("P@5=0.90 P@10=0.40", {}, ("P@5", "P@10"), "0.5 x P@5 - P@10 is at most 0, "),
        (
            "R@10=0.90",
            {"relevant": "20"},
            ("R@10",),
            "R@10 of one query is at most 0.5000, so a mean of 0.90 cannot be.",
        ),
        ("nDCG@10=1.20", {}, ("nDCG@10",), "at most 1.0000"),
    ],
)
def test_relations(values: str, given: dict[str, Any], measures: tuple[str, ...], reason: str) -> None:
    found = audit(values, queries=50, **given)
    assert found.verdict == "impossible"
    (contradiction,) = found.contradictions
    assert contradiction.measures == measures
    assert reason in contradiction.reason


def test_what_a_mean_could_be_instead() -> None:
    """Success@10 of 0.54 (0.535 to 0.545) leaves RR@10 between a tenth of it and itself."""
    found = audit("RR@10=0.62 Success@10=0.54", queries=50, rounding="nearest")
    by_measure = {instead.measure: instead for instead in found.instead}
    assert by_measure["RR@10"].least == pytest.approx(0.0535, abs=1e-6)
    assert by_measure["RR@10"].greatest == pytest.approx(0.545, abs=1e-6)
    assert by_measure["Success@10"].least == pytest.approx(0.615, abs=1e-6)
    assert by_measure["Success@10"].greatest == pytest.approx(1.0)


def test_several_measures_with_an_example() -> None:
    found = audit("RR@5=0.61 Success@5=0.80 P@5=0.30 nDCG@5=0.45", queries=50)
    assert found.verdict == "possible"
    check_example(found)


def test_what_is_neither_shown_nor_refuted_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.proving.audit.means.mixture", lambda *_: ())
    found = audit("RR@5=0.61 nDCG@5=0.65", queries=50)
    assert found.verdict == "undecided"
    assert "no proof that there is none" in found.notes[0]
