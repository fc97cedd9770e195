"""Judgments removed at random from dl20: the fully judged values and differences lie within the bounds, always."""

from __future__ import annotations

import pytest
from benchmarks.holes import Hiding, simulate
from tests.effort import FULL
from tests.shared_data import SHARED, needs_shared_data

MEASURES = "nDCG@10 AP RR@10 P@10 R@100 DCG@10 Rprec Success@5 nDCG(gain=exp2)@20"
TRIALS = 3 if FULL else 1


@pytest.mark.slow
@needs_shared_data
def test_bounds_hold_the_fully_judged_numbers() -> None:
    """With a tenth, half and nine tenths removed; the universe is dl20's judged documents."""
    tallies = simulate(Hiding(SHARED / "dl20", measures=MEASURES), trials=TRIALS)
    assert len(tallies) == len(MEASURES.split())
    for measure, tally in tallies.items():
        assert tally.values == TRIALS * 7, measure
        assert tally.values_inside == tally.values, measure
        assert tally.differences_inside == tally.differences == TRIALS * 6, measure
        assert tally.exact, measure
        assert min(tally.widths) > 0 or measure in ("RR@10", "Success@5"), measure
