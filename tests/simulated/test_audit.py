"""True reports, from real runs and of made up documents: whatever is stated of them, none is called impossible."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from benchmarks.audit import SETS, TINY, audited
from tests.shared_data import needs_shared_data


def check(reports: int, seed: int, sets: Sequence[str]) -> None:
    tally = audited(reports, seed, sets)
    assert tally.reports == reports
    assert [str(report) for report in tally.wrong] == []
    # Something was stated in most of them, and nothing in some.
    stated = {name for names, _ in tally.counts for name in names.split()}
    assert {"dialect", "average", "rounding", "relevant"} <= stated


@pytest.mark.slow
def test_true_reports_of_tiny_queries_are_never_impossible() -> None:
    check(150, seed=5, sets=(TINY,))


@pytest.mark.full
def test_many_true_reports_of_tiny_queries_are_never_impossible() -> None:
    check(2_000, seed=1, sets=(TINY,))


@pytest.mark.slow
@needs_shared_data
def test_true_reports_are_never_impossible() -> None:
    pytest.importorskip("bm25s", reason="the extra bm25 is not installed")
    check(60, seed=7, sets=SETS)


@pytest.mark.full
@needs_shared_data
def test_many_true_reports_are_never_impossible() -> None:
    pytest.importorskip("bm25s", reason="the extra bm25 is not installed")
    check(2_000, seed=0, sets=SETS)
