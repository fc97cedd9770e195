"""True reports from real runs: whatever is stated of them, none is called impossible."""

from __future__ import annotations

import pytest
from benchmarks.audit import audited
from tests.shared_data import needs_shared_data


def check(reports: int, seed: int) -> None:
    pytest.importorskip("bm25s", reason="the extra bm25 is not installed")
    tally = audited(reports, seed)
    assert tally.reports == reports
    assert [str(report) for report in tally.wrong] == []
    # Something was stated in most of them, and nothing in some.
    stated = {name for names, _ in tally.counts for name in names.split()}
    assert {"dialect", "average", "rounding", "relevant"} <= stated


@pytest.mark.slow
@needs_shared_data
def test_true_reports_are_never_impossible() -> None:
    check(60, seed=7)


@pytest.mark.full
@needs_shared_data
def test_many_true_reports_are_never_impossible() -> None:
    check(2_000, seed=0)
