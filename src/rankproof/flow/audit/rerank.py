"""Audit of a rerank: is one run the other with only its first documents put in another order?

A rerank to depth d moves nothing across rank d and nothing below it. So for every k from d on the first k hold the same
documents, and no set measure (P, R, Success, shares of grades) can move there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.errors import UsageError
from rankproof.flow.audit.cause import Pair, likely_cause, scores_mixed_from
from rankproof.flow.audit.tied import count, tie_notes
from rankproof.flow.fine_print import some
from rankproof.records.audit import Break, Moved, RerankAudit
from rankproof.records.run import Run


def audit_rerank(
    base: Run, reranked: Run, depth: int | None = None, *, qrels: Any = None, names: tuple[str, str] | None = None
) -> RerankAudit:
    """Whether `reranked` is `base`, reranked to `depth`; without a depth, to which depth it is."""
    if depth is not None and depth < 1:
        raise UsageError(f"The depth of a rerank is 1 or more; got {depth}.")
    called = names or (base.name, reranked.name)
    pairs, lost, added = _pairs(base, reranked)
    depths = [least_depth(pair) for pair in pairs]
    known = [d for d in depths if d is not None]
    least = None if lost or len(known) < len(depths) else max(known, default=0)
    claimed = depth
    if depth is None:
        depth = least
    # Without any depth to go by, whole rankings are held against each other: what differs is which documents they hold.
    at = depth if depth is not None else max((len(pair.base) for pair in pairs), default=0)
    breaks = [found for pair in pairs if (found := first_break(pair, at, called)) is not None]
    gone = [Break(query, "", None, None, f"{called[1]} lacks the query") for query in lost]
    order = {query: i for i, query in enumerate(base.query_ids)}
    breaks = sorted([*breaks, *gone], key=lambda found: order[found.query_id])
    broken = [pair for pair in pairs if pair.query_id in {found.query_id for found in breaks}]
    notes = list(tie_notes(pairs, at, called))
    if added:
        notes.append(f"only in {called[1]}: {count(len(added))}, compared with nothing ({some(added)})")
    mixed = scores_mixed_from(pairs, least) if claimed is None and least is not None else ""
    if mixed:
        notes.append(mixed)
    return RerankAudit(
        "broken" if breaks else "clean",
        called[0],
        called[1],
        claimed,
        depth,
        least,
        len(base.query_ids),
        tuple(found.query_id for found in breaks),
        breaks[0] if breaks else None,
        likely_cause(broken, at, called) if broken else "",
        _moved(base, reranked, qrels, at, pairs) if qrels is not None and at else (),
        tuple(notes),
    )


def _pairs(base: Run, reranked: Run) -> tuple[list[Pair], tuple[str, ...], tuple[str, ...]]:
    """The rankings of queries in both runs, and the queries that only one of them has."""
    new = {query: (docs, scores) for query, docs, scores in reranked.rankings()}
    pairs, lost = [], []
    scored = base.kind != "rank" and reranked.kind != "rank"
    for query, docs, scores in base.rankings():
        if query in new:
            after, scores_after = new.pop(query)
            told = dict(zip(docs, scores, strict=True)) if scored else {}
            told_after = dict(zip(after, scores_after, strict=True)) if scored else {}
            pairs.append(Pair(query, docs, after, told, told_after))
        else:
            lost.append(query)
    return pairs, tuple(lost), tuple(new)


def least_depth(pair: Pair) -> int | None:
    """The least depth to which one ranking is the other reranked; 0 where they are the same; None for no depth."""
    if set(pair.base) != set(pair.reranked):
        return None
    for at in range(len(pair.base), 0, -1):
        if pair.base[at - 1] != pair.reranked[at - 1]:
            return at
    return 0


def first_break(pair: Pair, depth: int, names: tuple[str, str]) -> Break | None:
    """The best-ranked document of the rerank that cannot stand where it does; else the first that is missing."""
    base_name, name = names
    place = {doc: rank for rank, doc in enumerate(pair.base, start=1)}
    for rank, doc in enumerate(pair.reranked, start=1):
        was = place.get(doc)
        if was is None:
            return Break(pair.query_id, doc, None, rank, f"{base_name} does not have it")
        if rank <= depth < was:
            return Break(pair.query_id, doc, was, rank, f"it came up across rank {depth}")
        if rank > depth and was != rank:
            moved = f"it fell across rank {depth}" if was <= depth else f"below rank {depth} nothing may move"
            return Break(pair.query_id, doc, was, rank, moved)
    if len(pair.reranked) < len(pair.base):
        there = set(pair.reranked)
        doc = next(doc for doc in pair.base if doc not in there)
        return Break(pair.query_id, doc, place[doc], None, f"{name} ends at rank {len(pair.reranked)} and lacks it")
    return None


def _moved(base: Run, reranked: Run, qrels: Any, depth: int, pairs: Sequence[Pair]) -> tuple[Moved, ...]:
    """P, R and Success on both sides, at the depth and at the end of the rankings."""
    from rankproof.flow.measuring import evaluate, prepare

    deepest = max(len(pair.base) for pair in pairs) if pairs else depth
    measures = [f"{name}@{k}" for k in dict.fromkeys((depth, max(depth, deepest))) for name in ("P", "R", "Success")]
    judged = prepare(qrels)
    before, after = (evaluate(judged, run, measures) for run in (base, reranked))
    return tuple(Moved(text, before[text].mean, after[text].mean) for text in before)
