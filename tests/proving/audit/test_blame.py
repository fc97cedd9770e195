"""Blame: the smallest sets of claims that contradict each other, with an oracle made up for the purpose."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rankproof.proving.audit.claims import MeasureClaim, Placement, ReportVerdict, read_claims
from rankproof.proving.audit.hull import smallest

FIVE = read_claims(["P@1=0.1", "P@2=0.2", "P@3=0.3", "P@4=0.4", "P@5=0.5"])


def names(sets: list[tuple[MeasureClaim, ...]]) -> list[str]:
    return [" ".join(claim.variant.text for claim in some) for some in sets]


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        (["P@2"], ["P@2"]),
        (["P@2", "P@1 P@3"], ["P@2"]),  # the smaller ones only
        (["P@4 P@5", "P@1 P@3"], ["P@1 P@3", "P@4 P@5"]),
        (["P@1 P@2 P@3 P@5"], ["P@1 P@2 P@3 P@5"]),  # found by leaving out P@4
        (["P@1 P@2 P@3 P@4 P@5"], ["P@1 P@2 P@3 P@4 P@5"]),
    ],
)
def test_the_smallest_sets(bad: list[str], found: list[str]) -> None:
    def can(some: Sequence[MeasureClaim]) -> tuple[ReportVerdict, Placement | None]:
        there = {claim.variant.text for claim in some}
        return ("impossible" if any(set(b.split()) <= there for b in bad) else "possible"), None

    assert names(smallest(FIVE, can)) == found


def test_an_example_spares_the_sets_that_it_meets() -> None:
    """One ranking meets the first four claims, so no set of these is asked about again."""
    example = Placement((), (), (), {f"P@{k}": k / 10 for k in range(1, 5)})
    asked: list[str] = []

    def can(some: Sequence[MeasureClaim]) -> tuple[ReportVerdict, Placement | None]:
        asked.extend(names([tuple(some)]))
        return ("impossible", None) if "P@5" in asked[-1] else ("possible", example)

    assert names(smallest(FIVE, can)) == ["P@5"]
    assert asked == ["P@1", "P@5"]
