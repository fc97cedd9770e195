"""Listed: the documents of a prepared run by query, best first, for what compares two rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    ids = run.ranked_ids(wanted, depth, queries)
    if ids is not None:
        return {query: _split(docs) for query, docs in ids.items()}
    found = Run.of(run.rows() if queries is None else run.rows_of(queries), run.order(wanted), run.name)
    if queries is not None:
        found = found.filter(queries)
    if depth is not None:
        found = found.cut(depth)
    return {query: docs for query, docs, _ in found.rankings()}


def comparable(
    runs: Sequence[PreparedRun], depth: int | None = None, wanted: Order = DEFAULT_ORDER
) -> list[Mapping[str, object]]:
    """For each run {query_id: ranking}, where two rankings are equal when they have the same documents in one order.

    What a ranking is, only this function knows: the bytes of its ids where all runs give them, so that no id of
    millions becomes a text; else a list of ids.
    """
    found: list[Mapping[str, object]] = []
    for run in runs:
        ids = run.ranked_ids(wanted, depth)
        if ids is None:
            return [listed(run, depth, wanted) for run in runs]
        found.append(ids)
    return found


def _split(ids: bytes) -> list[str]:
    """The ids of one ranking, each followed by a newline."""
    return ids.decode("utf-8", "surrogateescape").split("\n")[:-1]
