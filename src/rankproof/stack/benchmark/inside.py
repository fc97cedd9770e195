"""What happens inside a mode: what it hands on, what its rerank won of what could be won, what its fusion brought."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankproof.kernel import shelf
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedQrels, join_run
from rankproof.measuring.records import DEFAULT_SETTINGS, Result
from rankproof.reading.ranking import Ranking
from rankproof.reading.records import Qrels
from rankproof.stack.records import ModeOutcome, StepOutcome


@dataclass(frozen=True, slots=True)
class Reach:
    """What a mode hands on: no stage after it can do better than this.

    documents   of a query, mean
    recall      share of the relevant documents that is among them, mean over queries
    best        the measure's value with these documents in the best order
    """

    documents: float
    recall: float
    best: float


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a rerank could have won with what it was given, and what it won and lost.

    recall     share of the relevant documents that is among the first `depth` it was given, mean over queries
    before     the measure's value before the rerank
    after      and after it
    best       and with the same first `depth` documents in the best order
    wins, same, losses   queries by what the rerank made of them
    entered, left        relevant documents that it moved into the first `k` and out of them, over all queries
    """

    measure: str
    depth: int
    recall: float
    before: float
    after: float
    best: float
    wins: int
    same: int
    losses: int
    k: int
    entered: int
    left: int

    @property
    def won(self) -> float | None:
        """The share of what could be won that was won; below 0 where it lost. None where nothing could be won."""
        return (self.after - self.before) / (self.best - self.before) if self.best != self.before else None


@dataclass(frozen=True, slots=True)
class Rescue:
    """Relevant documents in the first k of a fusion and of its inputs, over all queries.

    relevant   how many the fusion has there
    rescued    by input: how many of these are not in the input's own first k
    lost       by input: how many are in the input's first k and not in the fusion's
    dropped    how many are in some input's first k and not in the fusion's
    new        how many of the fusion's are in no input's first k
    """

    k: int
    relevant: int
    rescued: Mapping[str, int]
    lost: Mapping[str, int]
    dropped: int
    new: int


def own_steps(mode: ModeOutcome, others: Collection[str]) -> Iterator[StepOutcome]:
    """From the last step back, up to a fusion, an engine, or a step that is another mode; `others` are their keys.

    A step that gives other ids is the last one: what flowed into it was not judged.
    """
    by_key = {outcome.step.key: outcome for outcome in mode.steps}
    step = mode.pipeline
    while True:
        yield by_key[step.key]
        if step.shelf == "engines" or step.fuses or step.inputs[0].key in others:
            return
        if shelf.find("stages", step.name).keeps == "other":
            return
        step = step.inputs[0]


def rerank_depth(outcome: StepOutcome) -> int | None:
    """How many of the first a rerank reorders; None for a step that is no rerank to a depth."""
    if outcome.step.shelf != "stages":
        return None
    stage = shelf.find("stages", outcome.step.name)
    if stage.keeps != "set" or stage.depth is None:
        return None
    return int(outcome.step.values[stage.depth])


Orders = dict[str, list[str]]


def reach_of(mode: ModeOutcome, judged: PreparedQrels, grades: Qrels, measure: str) -> Reach:
    """What the mode hands on."""
    orders = _orders(mode, mode.rankings)
    most = max((len(docs) for docs in orders.values()), default=0)
    best = {query: _best(docs, len(docs), grades.get(query, {})) for query, docs in orders.items()}
    return Reach(
        documents=sum(len(docs) for docs in orders.values()) / max(len(orders), 1),
        recall=_result(judged, orders, f"R@{max(most, 1)}").mean,
        best=_result(judged, best, measure).mean,
    )


def ceiling_of(
    mode: ModeOutcome, judged: PreparedQrels, grades: Qrels, measure: str, k: int, others: Collection[str] = ()
) -> Ceiling | None:
    """The ceiling of the mode's own last rerank to a depth; None where it has none."""
    reranks = ((outcome, rerank_depth(outcome)) for outcome in own_steps(mode, others))
    last, depth = next(((outcome, depth) for outcome, depth in reranks if depth is not None), (None, None))
    if last is None or depth is None:
        return None
    (before,) = (outcome for outcome in mode.steps if outcome.step.key == last.step.inputs[0].key)
    incoming, reranked = _orders(mode, before.rankings), _orders(mode, last.rankings)
    best = {query: _best(docs, depth, grades.get(query, {})) for query, docs in incoming.items()}
    was, now = (_result(judged, _cut(orders, mode.depth), measure) for orders in (incoming, reranked))
    sign = -1 if was.better == "lower" else 1
    gains = [sign * (now.by_query[query] - was.by_query[query]) for query in was.by_query if query in now.by_query]
    moved = [_moved(incoming[query][:k], reranked[query][:k], grades.get(query, {})) for query in incoming]
    return Ceiling(
        measure,
        depth,
        recall=_result(judged, incoming, f"R@{depth}").mean,
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
    return measure_run(join_run(judged, orders), parse(text), DEFAULT_SETTINGS)[text]


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


def rescue_of(
    mode: ModeOutcome, grades: Qrels, k: int, names: Mapping[str, str] | None = None, others: Collection[str] = ()
) -> Rescue | None:
    """Of the fusion among the mode's own steps; None where there is none. `names` are of modes, by key."""
    fusion = next((own for own in own_steps(mode, others) if own.step.fuses), None)
    if fusion is None:
        return None
    by_key = {outcome.step.key: outcome for outcome in mode.steps}
    named = names or {}
    heads = {named.get(step.key, step.text): _heads(by_key[step.key], k) for step in fusion.step.inputs}
    fused = _heads(fusion, k)
    rescued, lost = dict.fromkeys(heads, 0), dict.fromkeys(heads, 0)
    relevant = dropped = new = 0
    for at, query in enumerate(mode.query_ids):
        good = {doc for doc, grade in grades.get(query, {}).items() if grade > 0}
        fused_relevant = good & fused[at]
        before = good & set().union(*(head[at] for head in heads.values()))
        for name, head in heads.items():
            rescued[name] += len(fused_relevant - head[at])
            lost[name] += len(good & head[at] - fused_relevant)
        relevant += len(fused_relevant)
        dropped += len(before - fused_relevant)
        new += len(fused_relevant - before)
    return Rescue(k, relevant, rescued, lost, dropped, new)


def _heads(outcome: StepOutcome, k: int) -> list[set[str]]:
    return [set(ranking.doc_ids[:k]) for ranking in outcome.rankings]
