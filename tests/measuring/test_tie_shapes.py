"""Queries of one shape are computed once over their orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankproof.measuring import ties
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import prepare_qrels
from rankproof.reading.records import DEFAULT_ORDER


def test_all_orders_of_one_shape_are_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run = {f"q{q}": {f"d{q}-{i}": 1.0 for i in range(20)} for q in range(40)}
    judged = {f"q{q}": {f"d{q}-{q % 20}": 1, f"d{q}-{(q + 3) % 20}": 0} for q in range(40)}
    table = prepare_qrels(judged).prepare(run).table(DEFAULT_ORDER)
    (variant,) = parse("Bpref")
    taken = []
    plain = ties._take_in

    def counting(table: Any, variant: Any, waiting: Any, seen: Any) -> None:
        taken.extend(some.query for some in waiting)
        plain(table, variant, waiting, seen)

    monkeypatch.setattr(ties, "_take_in", counting)
    found = ties.over_ties(table, variant)
    assert len(taken) == 1
    # The judged nonrelevant document stands above the relevant one in half of the orders.
    assert np.array_equal(found.by_query, np.tile([0.0, 0.5, 1.0], (40, 1)))
