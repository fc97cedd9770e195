"""Audit of a rerank: is one run the other with only its head reordered, and if not, what may have happened?

A rerank to depth d moves nothing across rank d and nothing below it. So for every k from d on the first k hold the same
documents, and no set measure (P, R, Success, shares of grades) can move there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rankproof.errors import UsageError
from rankproof.kernel.sections import some
from rankproof.proving.audit.claims import Break, Moved, RerankAudit
from rankproof.reading.records import Run

# A pattern that nearly all rankings show is how the run was made; the rest may have too few documents to show it.
NEARLY_ALL = 0.9


@dataclass(frozen=True, slots=True)
class RankingPair:
    """A query's ranking before and after, with scores by document where both runs have them."""

    query_id: str
    base: list[str]
    reranked: list[str]
    base_scores: Mapping[str, float]
    scores: Mapping[str, float]


def likely_cause(broken: Sequence[RankingPair], depth: int, names: tuple[str, str]) -> str:
    """The first explanation that fits every ranking that is broken; "" for none."""
    if all(_tail_lost(pair, depth) for pair in broken):
        return (
            f"The documents below the depth were left out: measures that look below rank {depth} see fewer documents "
            f"than in {names[0]}. Append the rest of {names[0]} to the reranked ones."
        )
    if all(_up_to_ties(pair, depth) for pair in broken):
        return (
            "The orders differ only among documents with equal scores. Give the documents scores that put them in "
            "order, or read the runs by their ranks (--order rank)."
        )
    if all(_sank(pair, depth) for pair in broken):
        return _mixed_scores(broken, depth, names)
    return ""


def _tail_lost(pair: RankingPair, depth: int) -> bool:
    there = len(pair.reranked)
    return (
        depth <= there < len(pair.base)
        and set(pair.reranked[:depth]) == set(pair.base[:depth])
        and (pair.reranked[depth:] == pair.base[depth:there])
    )


def _up_to_ties(pair: RankingPair, depth: int) -> bool:
    """Whether, where another document stands, it has the score of the one that should, on one side or the other."""
    if not pair.scores or len(pair.base) != len(pair.reranked) or set(pair.base) != set(pair.reranked):
        return False
    head = set(pair.base[:depth])
    for rank, (old, new) in enumerate(zip(pair.base, pair.reranked, strict=True), start=1):
        if old == new or (rank <= depth and new in head):
            continue
        if pair.scores[old] != pair.scores[new] and pair.base_scores[old] != pair.base_scores[new]:
            last = pair.base[
                depth - 1
            ]  # what came up across the depth took the place of a document that it is tied with
            if rank > depth or pair.scores[last] != pair.scores[new]:
                return False
    return True


def _tail_keeps_scores(pair: RankingPair, depth: int) -> bool:
    """Whether the documents below the depth have the base's scores, and those above have others."""
    tail = [doc for doc in pair.base[depth:] if doc in pair.scores]
    head = [doc for doc in pair.base[:depth] if doc in pair.scores]
    unchanged = sum(pair.scores[doc] == pair.base_scores[doc] for doc in tail)
    new = sum(pair.scores[doc] != pair.base_scores[doc] for doc in head)
    return bool(tail) and bool(head) and unchanged == len(tail) and new >= NEARLY_ALL * len(head)


def _sank(pair: RankingPair, depth: int) -> bool:
    """Whether reranked documents stand below ones that were not reranked, each group in an order of its own."""
    if not pair.scores or not _tail_keeps_scores(pair, depth):
        return False
    tail = pair.base[depth:]
    below = set(tail)
    return [doc for doc in pair.reranked if doc in below] == tail


def _mixed_scores(broken: Sequence[RankingPair], depth: int, names: tuple[str, str]) -> str:
    sunk = negative = 0
    least, greatest = float("inf"), float("-inf")
    for pair in broken:
        tail = set(pair.base[depth:])
        highest = next(rank for rank, doc in enumerate(pair.reranked) if doc in tail)
        head = [doc for doc in pair.reranked[highest:] if doc not in tail]
        sunk += len(head)
        negative += sum(pair.scores[doc] < 0 for doc in head)
        least = min([least, *(pair.scores[doc] for doc in head)])
        greatest = max([greatest, *(pair.scores[doc] for doc in tail)])
    signs = f", {negative:,} of them with negative scores," if negative else ""
    return (
        f"Two scales of scores were merged: documents below rank {depth} keep the scores of {names[0]} (up to "
        f"{greatest:g}), the reranked ones have scores of their own (down to {least:g}). {sunk:,} reranked documents"
        f"{signs} sank among those that were never reranked. Put all reranked documents above the others before "
        "writing the run."
    )


def scores_mixed_from(pairs: Sequence[RankingPair], least: int) -> str:
    """A note where only the documents below some rank keep their scores, and the order changed below it: "" else."""
    starts = Counter(start for pair in pairs if (start := _scores_kept_from(pair)) is not None)
    if not starts:
        return ""
    depth, many = starts.most_common(1)[0]
    if (
        depth >= least
        or many < NEARLY_ALL * len(pairs)
        or not all(_sank(p, depth) for p in pairs if len(p.base) > depth)
    ):
        return ""
    return (
        f"all documents below rank {depth} keep their scores and no others do: this looks like a rerank to depth "
        f"{depth} whose scores were merged with those of the rest; audit it with --depth {depth}"
    )


def _scores_kept_from(pair: RankingPair) -> int | None:
    """The rank below which every document has the score it had; None where all or none have."""
    if not pair.scores or set(pair.base) != set(pair.reranked):
        return None
    at = len(pair.base)
    while at and pair.scores[pair.base[at - 1]] == pair.base_scores[pair.base[at - 1]]:
        at -= 1
    return at if 0 < at < len(pair.base) else None


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
    base: Run, reranked: Run, depth: int | None = None, *, qrels: object = None, names: tuple[str, str] | None = None
) -> RerankAudit:
    """Whether `reranked` is `base`, reranked to `depth`; without a depth, to which depth it is."""
    if depth is not None and depth < 1:
        raise UsageError(f"The depth of a rerank is 1 or more; got {depth}.")
    run_names = names or (base.name, reranked.name)
    pairs, lost, added = _pairs(base, reranked)
    depths = [least_depth(pair) for pair in pairs]
    known = [d for d in depths if d is not None]
    least = None if lost or len(known) < len(depths) else max(known, default=0)
    claimed = depth
    if depth is None:
        depth = least
    # Without any depth, whole rankings are compared: the difference is which documents they hold.
    at = depth if depth is not None else max((len(pair.base) for pair in pairs), default=0)
    breaks = [broken_at for pair in pairs if (broken_at := first_break(pair, at, run_names)) is not None]
    gone = [Break(query, "", None, None, f"{run_names[1]} lacks the query") for query in lost]
    order = {query: i for i, query in enumerate(base.query_ids)}
    breaks = sorted([*breaks, *gone], key=lambda broken_at: order[broken_at.query_id])
    broken = [pair for pair in pairs if pair.query_id in {broken_at.query_id for broken_at in breaks}]
    notes = list(tie_notes(pairs, at, run_names))
    if added:
        notes.append(f"only in {run_names[1]}: {count(len(added))}, compared with nothing ({some(added)})")
    mixed = scores_mixed_from(pairs, least) if claimed is None and least is not None else ""
    if mixed:
        notes.append(mixed)
    return RerankAudit(
        "broken" if breaks else "clean",
        run_names[0],
        run_names[1],
        claimed,
        depth,
        least,
        len(base.query_ids),
        tuple(broken_at.query_id for broken_at in breaks),
        breaks[0] if breaks else None,
        likely_cause(broken, at, run_names) if broken else "",
        _moved(base, reranked, qrels, at, pairs) if qrels is not None and at else (),
        tuple(notes),
    )


def _pairs(base: Run, reranked: Run) -> tuple[list[RankingPair], tuple[str, ...], tuple[str, ...]]:
    """The rankings of queries in both runs, and the queries that only one of them has."""
    new = {query: (docs, scores) for query, docs, scores in reranked.rankings()}
    pairs, lost = [], []
    scored = base.kind != "rank" and reranked.kind != "rank"
    for query, docs, scores in base.rankings():
        if query in new:
            after, scores_after = new.pop(query)
            scores_of_base = dict(zip(docs, scores, strict=True)) if scored else {}
            scores_of_reranked = dict(zip(after, scores_after, strict=True)) if scored else {}
            pairs.append(RankingPair(query, docs, after, scores_of_base, scores_of_reranked))
        else:
            lost.append(query)
    return pairs, tuple(lost), tuple(new)


def least_depth(pair: RankingPair) -> int | None:
    """The least depth to which one ranking is the other reranked; 0 where they are the same; None for no depth."""
    if set(pair.base) != set(pair.reranked):
        return None
    for at in range(len(pair.base), 0, -1):
        if pair.base[at - 1] != pair.reranked[at - 1]:
            return at
    return 0


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
