"""Judged rates: which share of each run's first documents somebody judged, and whether the sides differ clearly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankproof.flow.prepared import PreparedRun
from rankproof.measures.judged import OFFERS
from rankproof.records import views
from rankproof.records.judged import JudgedTable
from rankproof.records.order import DEFAULT_ORDER

(_JUDGED,) = OFFERS

# Half a document of ten for each query. It is a fact about these queries and no estimate, so that no test is asked
# whether it is chance; and half a document in the first ten is about as much as a usual gain in P@10.
CLEAR = 0.05


def judged_rates(runs: Sequence[PreparedRun], k: int, depth: int | None = None) -> tuple[float, ...]:
    """Judged@k of each run, mean over the judged queries."""
    variant = _JUDGED.variant(k)
    tables = [_table(run, depth) for run in runs]
    return tuple(float(np.mean(_JUDGED.compute(table, variant))) if len(table) else 0.0 for table in tables)


def unjudged_rates(runs: Sequence[PreparedRun], k: int, depth: int | None = None) -> tuple[float, ...]:
    """Unjudged documents among the first k, over k; mean over the judged queries.

    Not 1 - Judged@k: where a ranking is shorter than k, or missing, nothing is there that could be judged.
    """
    found = []
    for table in (_table(run, depth) for run in runs):
        judged = table.count(table.judged & table.within(k))
        unjudged = np.minimum(table.retrieved, k) - judged
        found.append(float(np.mean(unjudged)) / k if len(table) else 0.0)
    return tuple(found)


def _table(run: PreparedRun, depth: int | None) -> JudgedTable:
    table = run.table(DEFAULT_ORDER)
    return table if depth is None else views.cut(table, depth)


def warning(names: Sequence[str], unjudged: Sequence[float], k: int) -> str:
    """A sentence when a candidate is judged to another degree than the baseline; of several, the farthest."""
    gaps = [rate - unjudged[0] for rate in unjudged[1:]]
    far = max(range(len(gaps)), key=lambda i: abs(gaps[i]), default=None)
    if far is None or abs(gaps[far]) <= CLEAR:
        return ""
    less, more = (names[far + 1], names[0]) if gaps[far] > 0 else (names[0], names[far + 1])
    low, high = sorted((unjudged[far + 1], unjudged[0]))
    return (
        f"Of the first {k} documents, {high:.0%} of {less} are unjudged and {low:.0%} of {more}: unjudged documents "
        f"count as not relevant, so {less} may look worse than it is."
    )
