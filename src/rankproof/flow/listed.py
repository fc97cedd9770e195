"""Listed: the documents of a prepared run by query, best first, for what compares two rankings."""

from __future__ import annotations

from rankproof.flow.prepared import PreparedRun
from rankproof.records.order import DEFAULT_ORDER, Order
from rankproof.records.run import Run


def listed(run: PreparedRun, depth: int | None = None, wanted: Order = DEFAULT_ORDER) -> dict[str, list[str]]:
    """{query_id: [doc_id, ...]} in the order its table has, to a depth. Unjudged documents and queries included."""
    whole = Run.of(run.rows(), run.order(wanted), run.name)
    return {query: docs if depth is None else docs[:depth] for query, docs, _ in whole.rankings()}
