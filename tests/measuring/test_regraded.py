"""The same rankings with other grades."""

from __future__ import annotations

import numpy as np

from rankproof.measuring.names import parse
from rankproof.measuring.views import regraded
from rankproof.testing.tables import table_of


def test_rows_keep_their_documents_and_pools_their_order() -> None:
    """d1 falls to 0, d2 rises to 1 and d3 to 3: the first relevant document is d2 now."""
    table = table_of({"q": {"d1": 2, "d2": 0, "d3": -1}, "r": {"d1": 1}}, {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}})
    assert table.pool.grade.tolist() == [2, 0, -1, 1]
    other = regraded(table, np.array([0, 1, 3, 0], dtype=np.int32))
    assert other.pool.grade.tolist() == [3, 1, 0, 0]
    assert other.grade.tolist() == [0, 1, 3]
    assert other.rank.tolist() == [1, 2, 3]
    assert other.pool.top_grade == table.pool.top_grade == 2
    (variant,) = parse("RR")
    assert variant.measure.compute(other, variant).tolist() == [0.5, 0.0]
    assert table.grade.tolist() == [2, 0, -1]  # nothing was written into


def test_nothing_at_all() -> None:
    table = table_of({}, {})
    assert len(regraded(table, np.zeros(0, dtype=np.int32))) == 0
