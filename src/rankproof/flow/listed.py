"""Listed: the documents of a prepared run by query, best first, for what compares two rankings."""

from __future__ import annotations

from collections.abc import Iterable

from rankproof.flow.prepared import PreparedRun
from rankproof.records.order import DEFAULT_ORDER, Order
from rankproof.records.run import Run


def listed(
    run: PreparedRun,
    depth: int | None = None,
    wanted: Order = DEFAULT_ORDER,
    queries: Iterable[str] | None = None,
) -> dict[str, list[str]]:
    """{query_id: [doc_id, ...]} in the order its table has, to a depth. Unjudged documents and queries included.

    What is not asked for is left out before ids become texts: a long run has millions of them.
    """
    queries = None if queries is None else frozenset(queries)
    found = Run.of(run.rows() if queries is None else run.rows_of(queries), run.order(wanted), run.name)
    if queries is not None:
        found = found.filter(queries)
    if depth is not None:
        found = found.cut(depth)
    return {query: docs for query, docs, _ in found.rankings()}
