"""Why a rerank is broken, in plain words, and what to do: merged scales, lost documents, ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rankproof.proving.audit.rerank_depth import NEARLY_ALL, RankingPair, Tail, is_mixed, tail_of

# What was merged can be told from the order, without scores.
SORT = "Put all reranked documents above the others before writing the run."


def likely_cause(broken: Sequence[RankingPair], depths: Mapping[str, int], names: tuple[str, str]) -> str:
    """The first explanation that fits every ranking that is broken; "" for none. `depths` are by query."""
    deep = max((depths[pair.query_id] for pair in broken), default=0)
    if all(_tail_lost(pair, depths[pair.query_id]) for pair in broken):
        return (
            f"The documents below the depth were left out: measures that look below rank {deep} see fewer documents "
            f"than in {names[0]}. Append the rest of {names[0]} to the reranked ones."
        )
    if all(_head_lost(pair, depths[pair.query_id]) for pair in broken):
        lost = sum(len(set(pair.base) - set(pair.reranked)) for pair in broken)
        return (
            f"Documents that were to be reranked are missing: {lost:,} of {names[0]}'s, and all others stand as they "
            "should. A reranker that gives no score to a document must leave it in the list: put it behind the "
            f"reranked ones, above rank {deep + 1}."
        )
    if all(_up_to_ties(pair, depths[pair.query_id]) for pair in broken):
        return (
            "The orders differ only among documents with equal scores. Give the documents scores that put them in "
            "order, or read the runs by their ranks (--order rank)."
        )
    tails = [_merged_tail(pair, depths[pair.query_id]) for pair in broken]
    if tails and all(tail is not None for tail in tails):
        return _mixed_scores(broken, depths, [tail for tail in tails if tail is not None], names)
    if all(_tail_in_order(pair, depths[pair.query_id]) and is_mixed(pair, depths[pair.query_id]) for pair in broken):
        return (
            f"The documents below rank {deep} keep the order of {names[0]}, and {_sunk(broken, depths)[0]:,} of those "
            f"above it sank among them: this looks like two lists that were merged by scores on two scales. {SORT}"
        )
    return ""


def _tail_lost(pair: RankingPair, depth: int) -> bool:
    there = len(pair.reranked)
    return (
        depth <= there < len(pair.base)
        and set(pair.reranked[:depth]) == set(pair.base[:depth])
        and (pair.reranked[depth:] == pair.base[depth:there])
    )


def _head_lost(pair: RankingPair, depth: int) -> bool:
    """Whether some of the first documents are missing, and nothing else is wrong."""
    there = set(pair.reranked)
    head = [doc for doc in pair.base[:depth] if doc in there]
    return (
        0 < len(head) < min(depth, len(pair.base))
        and set(pair.reranked[: len(head)]) == set(head)
        and pair.reranked[len(head) :] == pair.base[depth:]
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
            # What came up across the depth took the place of a document that it is tied with.
            last = pair.base[depth - 1]
            if rank > depth or pair.scores[last] != pair.scores[new]:
                return False
    return True


def _tail_in_order(pair: RankingPair, depth: int) -> bool:
    """Whether the documents below the depth keep their order among each other, except where their scores are equal."""
    tail = set(pair.base[depth:])
    there = set(pair.reranked)
    new = [doc for doc in pair.reranked if doc in tail]
    old = [doc for doc in pair.base[depth:] if doc in there]
    if new != old and pair.scores:
        return [pair.scores[doc] for doc in new] == [pair.scores[doc] for doc in old]
    return new == old


def _merged_tail(pair: RankingPair, depth: int) -> Tail | None:
    """How the documents below the depth got their scores, where reranked ones with other scores stand among them."""
    tail = tail_of(pair, depth)
    if tail is None or (tail.kind != "one" and not _tail_in_order(pair, depth)):
        return None
    head = [doc for doc in pair.base[:depth] if doc in pair.scores]
    own = sum(_expected(tail, pair.base_scores[doc]) != pair.scores[doc] for doc in head)
    return tail if is_mixed(pair, depth) and own >= NEARLY_ALL * len(head) else None


def _expected(tail: Tail, score: float) -> float:
    return tail.factor * score + tail.offset


def scores_below(tails: Sequence[Tail], name: str) -> str:
    """What the scores of documents below the depth are, in words."""
    kinds = Counter(tail.kind for tail in tails)
    if kinds["kept"] == len(tails):
        return f"keep the scores of {name}"
    if kinds["one"] == len(tails):
        values = {tail.offset for tail in tails}
        return f"all have one score{f', {values.pop():g}' if len(values) == 1 else ' in each query'}"
    if kinds["line"] != len(tails):
        return f"have the scores of {name}, kept, scaled or all one"
    # By the longest tail: rounded scores leave a short one several lines.
    longest = max(tails, key=lambda tail: tail.weight)
    factor, offset = (float(f"{value:.2g}") for value in (longest.factor, longest.offset))
    near = 0.02 * abs(longest.factor)
    size = max(1.0, abs(longest.offset)) * 0.02
    if any(abs(tail.factor - longest.factor) > near or abs(tail.offset - longest.offset) > size for tail in tails):
        return f"have the scores of {name}, scaled in each query by itself"
    times = "" if factor == 1 else f" times {factor:g}"
    plus = "" if abs(longest.offset) < size / 4 else f" {'plus' if offset > 0 else 'minus'} {abs(offset):g}"
    return f"have the scores of {name}{times}{plus}"


def _sunk(broken: Sequence[RankingPair], depths: Mapping[str, int]) -> tuple[int, int]:
    """How many reranked documents stand below one that was not, or fell out of the list; and how many of them have
    negative scores."""
    sunk = negative = 0
    for pair in broken:
        head = pair.base[: depths[pair.query_id]]
        tail = set(pair.base[depths[pair.query_id] :])
        rank = {doc: at for at, doc in enumerate(pair.reranked)}
        highest = min((at for doc, at in rank.items() if doc in tail), default=len(rank))
        below = [doc for doc in head if rank.get(doc, len(rank)) > highest]
        sunk += len(below)
        negative += sum(pair.scores.get(doc, 0.0) < 0 for doc in below)
    return sunk, negative


def _mixed_scores(
    broken: Sequence[RankingPair], depths: Mapping[str, int], tails: Sequence[Tail], names: tuple[str, str]
) -> str:
    least, greatest = float("inf"), float("-inf")
    for pair in broken:
        depth = depths[pair.query_id]
        least = min([least, *(pair.scores[doc] for doc in pair.base[:depth] if doc in pair.scores)])
        greatest = max([greatest, *(pair.scores[doc] for doc in pair.base[depth:] if doc in pair.scores)])
    sunk, negative = _sunk(broken, depths)
    signs = f", {negative:,} of them with negative scores," if negative else ""
    own = {depths[pair.query_id] for pair in broken}
    where = f"rank {own.pop()}" if len(own) == 1 else f"the depth (rank {min(own)} to {max(own)})"
    up_to = "" if all(tail.kind == "one" for tail in tails) else f" (up to {greatest:g})"
    down_to = f" (down to {least:g})" if least < float("inf") else " and fell out of the lists"
    return (
        f"Two scales of scores were merged: documents below {where} {scores_below(tails, names[0])}{up_to}, the "
        f"reranked ones have scores of their own{down_to}. {sunk:,} reranked documents{signs} sank among "
        f"those that were never reranked. {SORT}"
    )
