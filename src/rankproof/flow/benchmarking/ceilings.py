"""Ceilings: what a mode hands on, what a rerank could have won with what it was given, and what it won and lost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rankproof.flow.benchmarking.own import own_steps, rerank_depth
from rankproof.flow.measuring import evaluate
from rankproof.flow.prepared import PreparedQrels
from rankproof.records.benchmark import Ceiling, Reach
from rankproof.records.evaluation import Result
from rankproof.records.outcome import ModeOutcome
from rankproof.records.qrels import Qrels
from rankproof.records.ranking import Ranking

Orders = dict[str, list[str]]


def reach_of(mode: ModeOutcome, judged: PreparedQrels, grades: Qrels, measure: str) -> Reach:
    """What the mode hands on."""
    given = _orders(mode, mode.rankings)
    most = max((len(docs) for docs in given.values()), default=0)
    best = {query: _best(docs, len(docs), grades.get(query, {})) for query, docs in given.items()}
    return Reach(
        documents=sum(len(docs) for docs in given.values()) / max(len(given), 1),
        recall=_result(judged, given, f"R@{max(most, 1)}").mean,
        best=_result(judged, best, measure).mean,
    )


def ceiling_of(
    mode: ModeOutcome, judged: PreparedQrels, grades: Qrels, measure: str, k: int, others: Collection[str] = ()
) -> Ceiling | None:
    """The ceiling of the mode's own last rerank to a depth; None where it has none."""
    reranks = ((found, rerank_depth(found)) for found in own_steps(mode, others))
    last, depth = next(((found, depth) for found, depth in reranks if depth is not None), (None, None))
    if last is None or depth is None:
        return None
    (before,) = (found for found in mode.steps if found.step.key == last.step.inputs[0].key)
    given, made = _orders(mode, before.rankings), _orders(mode, last.rankings)
    best = {query: _best(docs, depth, grades.get(query, {})) for query, docs in given.items()}
    was, now = (_result(judged, _cut(orders, mode.depth), measure) for orders in (given, made))
    sign = -1 if was.better == "lower" else 1
    gains = [sign * (now.by_query[query] - was.by_query[query]) for query in was.by_query if query in now.by_query]
    moved = [_moved(given[query][:k], made[query][:k], grades.get(query, {})) for query in given]
    return Ceiling(
        measure,
        depth,
        recall=_result(judged, given, f"R@{depth}").mean,
        before=was.mean,
        after=now.mean,
        best=_result(judged, _cut(best, mode.depth), measure).mean,
        wins=sum(gain > 0 for gain in gains),
        same=sum(gain == 0 for gain in gains),
        losses=sum(gain < 0 for gain in gains),
        k=k,
        entered=sum(entered for entered, _ in moved),
        left=sum(left for _, left in moved),
    )


def _result(judged: PreparedQrels, orders: Orders, text: str) -> Result:
    return evaluate(judged, orders, text)[text]


def _orders(mode: ModeOutcome, rankings: Sequence[Ranking]) -> Orders:
    return {query: list(ranking.doc_ids) for query, ranking in zip(mode.query_ids, rankings, strict=True)}


def _cut(orders: Orders, depth: int) -> Orders:
    """As deep as modes are measured."""
    return {query: docs[:depth] for query, docs in orders.items()}


def _best(docs: list[str], depth: int, grades: Mapping[str, int]) -> list[str]:
    """The first `depth` by grade; unjudged ones count as not relevant."""
    return [*sorted(docs[:depth], key=lambda doc: -grades.get(doc, 0)), *docs[depth:]]


def _moved(before: list[str], after: list[str], grades: Mapping[str, int]) -> tuple[int, int]:
    """How many relevant documents came into the head, and how many left it."""
    relevant = {doc for doc, grade in grades.items() if grade > 0}
    return len(relevant & set(after) - set(before)), len(relevant & set(before) - set(after))
