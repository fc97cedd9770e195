"""Audit of a rerank: is one run the other with only its head reordered, and if not, what may have happened?

A rerank to depth d moves nothing across rank d and nothing below it. So for every k from d on the first k hold the same
documents, and no set measure (P, R, Success, shares of grades) can move there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from rankproof.errors import UsageError
from rankproof.kernel.sections import some
from rankproof.proving.audit.claims import Break, Moved, RerankAudit
from rankproof.proving.audit.rerank_cause import likely_cause
from rankproof.proving.audit.rerank_depth import (
    InferredDepth,
    RankingPair,
    clean_depth,
    cut_depth,
    least_depth,
    merged_depth,
    most_queries_within,
)
from rankproof.reading.records import Run


def tie_notes(pairs: Sequence[RankingPair], depth: int, names: tuple[str, str]) -> list[str]:
    """Where equal scores leave open which documents are in the first `depth`, or how documents stand."""
    base = [_equal(pair.base, pair.base_scores) for pair in pairs]
    new = [_equal(pair.reranked, pair.scores) for pair in pairs]
    notes = []
    for name, equal in ((names[0], base), (names[1], new)):
        across = sum(0 < depth <= len(equal_next) and equal_next[depth - 1] for equal_next in equal)
        below = sum(any(equal_next[depth:]) for equal_next in equal)
        if across:
            notes.append(
                f"{name}: in {count(across)} ranks {depth} and {depth + 1} have equal scores; the rule for ties "
                "decides which document is within the depth"
            )
        if below:
            notes.append(
                f"{name}: in {count(below)} documents below rank {depth} have equal scores; the rule for ties "
                "decides their order"
            )
    if _borrowed(pairs):
        note = f"{names[1]} has the scores of {names[0]}, rank by rank: they say nothing of the reranker's own"
        within = sum(any(equal_next[: max(depth - 1, 0)]) for equal_next in new)
        if within:
            note += (
                f"; in {count(within)} some of them are equal, and there the rule for ties decides and not the "
                "reranker (--order rank follows the rank column)"
            )
        notes.append(note)
    return notes


def _equal(docs: Sequence[str], scores: Mapping[str, float]) -> list[bool]:
    """For each rank but the last, whether the next one has the same score."""
    return [a == b for a, b in pairwise(scores[doc] for doc in docs)] if scores else []


def _borrowed(pairs: Sequence[RankingPair]) -> bool:
    """Whether the documents changed places and the scores did not."""
    moved = [pair for pair in pairs if pair.base != pair.reranked]
    return bool(moved) and all(
        bool(pair.scores)
        and [pair.scores[doc] for doc in pair.reranked] == [pair.base_scores[doc] for doc in pair.base]
        for pair in moved
    )


def count(many: int) -> str:
    """A number of queries in words."""
    return "1 query" if many == 1 else f"{many} queries"


def audit_rerank(
    base: Run,
    reranked: Run,
    depth: int | None = None,
    *,
    qrels: object = None,
    names: tuple[str, str] | None = None,
    queries: Collection[str] | None = None,
) -> RerankAudit:
    """Whether `reranked` is `base`, reranked to `depth`; without a depth, to which depth it is.

    A permutation is a rerank to some depth. Without a depth it is broken too where scores or order show that only the
    first documents were reranked, and that they were merged with the others on another scale. `queries` are those to
    look at, where they are not all.
    """
    if depth is not None and depth < 1:
        raise UsageError(f"The depth of a rerank is 1 or more; got {depth}.")
    run_names = names or (base.name, reranked.name)
    pairs, lost, added = _pairs(base, reranked, None if queries is None else {*queries})
    asked = [query for query in base.query_ids if queries is None or query in queries]
    least = _least(pairs, lost)
    at, depths, inferred = _depth(pairs, least, depth)
    breaks = [b for pair in pairs if (b := first_break(pair, depths[pair.query_id], run_names)) is not None]
    gone = [Break(query, "", None, None, f"{run_names[1]} lacks the query") for query in lost]
    order = {query: i for i, query in enumerate(asked)}
    breaks = sorted([*breaks, *gone], key=lambda broken_at: order[broken_at.query_id])
    names_broken = {broken_at.query_id for broken_at in breaks}
    broken = [pair for pair in pairs if pair.query_id in names_broken]
    notes = list(tie_notes(pairs, at, run_names))
    if added:
        notes.append(f"only in {run_names[1]}: {count(len(added))}, compared with nothing ({some(added)})")
    if depth is None and not breaks:
        notes += _odd_queries(pairs)
    return RerankAudit(
        "broken" if breaks else "clean",
        run_names[0],
        run_names[1],
        depth,
        at if inferred is not None or depth is not None or least is not None else None,
        least,
        len(asked),
        tuple(broken_at.query_id for broken_at in breaks),
        breaks[0] if breaks else None,
        likely_cause(broken, depths, run_names) if broken else "",
        _moved(base, reranked, qrels, at, pairs) if qrels is not None and at else (),
        tuple(notes),
        inferred,
    )


def declared_rerank(
    base: Run, candidate: Run, depth: int, queries: Collection[str] | None = None
) -> tuple[RerankAudit, tuple[str, ...]]:
    """Whether a run holds what was declared of it; and its queries that the first stage lacks, where nothing can."""
    audit = audit_rerank(base, candidate, depth, names=(base.name, candidate.name), queries=queries)
    there = {*base.query_ids}
    asked = candidate.query_ids if queries is None else [q for q in candidate.query_ids if q in {*queries}]
    return audit, tuple(query for query in asked if query not in there)


def _least(pairs: Sequence[RankingPair], lost: Sequence[str]) -> int | None:
    """The least depth for which all is a rerank; None where documents or queries are missing, or others are there."""
    depths = [least_depth(pair) for pair in pairs]
    known = [depth for depth in depths if depth is not None]
    return None if lost or len(known) < len(depths) else max(known, default=0)


def _depth(
    pairs: Sequence[RankingPair], least: int | None, claimed: int | None
) -> tuple[int, Mapping[str, int], InferredDepth | None]:
    """The depth that is looked at, that of each query, and how it was inferred where none was claimed."""
    if claimed is not None:
        return claimed, {pair.query_id: claimed for pair in pairs}, None
    merged = merged_depth(pairs) or (cut_depth(pairs) if least is None else None)
    if merged is not None:
        return merged.found.most, merged.by_query, merged.found
    # Without any depth, whole rankings are compared: the difference is which documents they hold.
    at = least if least is not None else max((len(pair.base) for pair in pairs), default=0)
    return at, {pair.query_id: at for pair in pairs}, clean_depth(pairs) if least else None


def _odd_queries(pairs: Sequence[RankingPair]) -> list[str]:
    """A note where nearly all queries change less than a few others do."""
    usual = most_queries_within(pairs)
    if usual is None:
        return []
    depth, others = usual
    return [
        f"in all but {count(len(others))} ({some(others)}) nothing changes below rank {depth}: if the rerank was to "
        f"depth {depth}, audit it with --depth {depth}"
    ]


def _pairs(
    base: Run, reranked: Run, queries: Collection[str] | None = None
) -> tuple[list[RankingPair], tuple[str, ...], tuple[str, ...]]:
    """The rankings of queries in both runs, and the queries that only one of them has; of `queries` where given."""
    new = {q: (docs, scores) for q, docs, scores in reranked.rankings() if queries is None or q in queries}
    pairs, lost = [], []
    scored = base.kind != "rank" and reranked.kind != "rank"
    for query, docs, scores in base.rankings():
        if queries is not None and query not in queries:
            continue
        if query in new:
            after, scores_after = new.pop(query)
            scores_of_base = dict(zip(docs, scores, strict=True)) if scored else {}
            scores_of_reranked = dict(zip(after, scores_after, strict=True)) if scored else {}
            pairs.append(RankingPair(query, docs, after, scores_of_base, scores_of_reranked))
        else:
            lost.append(query)
    return pairs, tuple(lost), tuple(new)


def first_break(pair: RankingPair, depth: int, names: tuple[str, str]) -> Break | None:
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


def _moved(base: Run, reranked: Run, qrels: object, depth: int, pairs: Sequence[RankingPair]) -> tuple[Moved, ...]:
    """P, R and Success on both sides, at the depth and at the end of the rankings."""
    from rankproof.measuring.evaluate import evaluate, prepare

    deepest = max(len(pair.base) for pair in pairs) if pairs else depth
    measures = [f"{name}@{k}" for k in dict.fromkeys((depth, max(depth, deepest))) for name in ("P", "R", "Success")]
    judged = prepare(qrels)
    before, after = (evaluate(judged, run, measures) for run in (base, reranked))
    return tuple(Moved(text, before[text].mean, after[text].mean) for text in before)
