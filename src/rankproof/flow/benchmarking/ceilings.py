"""Ceilings: what a rerank could have won with the documents it was given, and how much of that it won."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof import shelf
from rankproof.flow.measuring import evaluate
from rankproof.flow.prepared import PreparedQrels
from rankproof.records.benchmark import Ceiling
from rankproof.records.outcome import ModeOutcome, StepOutcome
from rankproof.records.qrels import Qrels

Orders = dict[str, list[str]]


def ceiling_of(mode: ModeOutcome, judged: PreparedQrels, grades: Qrels, measure: str) -> Ceiling | None:
    """The ceiling of the mode's last step; None where that is no rerank to a depth."""
    last = mode.steps[-1]
    if last.step.shelf != "stages":
        return None
    stage = shelf.find("stages", last.step.name)
    if stage.keeps != "set" or stage.depth is None:
        return None
    depth = int(last.step.values[stage.depth])
    (before,) = (found for found in mode.steps if found.step.key == last.step.inputs[0].key)
    given = _orders(mode, before)
    best = {query: _best(docs, depth, grades.get(query, {})) for query, docs in given.items()}

    def value(orders: Orders, text: str) -> float:
        return evaluate(judged, orders, text)[text].mean

    return Ceiling(
        measure,
        depth,
        recall=value(given, f"R@{depth}"),
        before=value(given, measure),
        after=value(_orders(mode, last), measure),
        best=value(best, measure),
    )


def _orders(mode: ModeOutcome, outcome: StepOutcome) -> Orders:
    return {query: list(ranking.doc_ids) for query, ranking in zip(mode.query_ids, outcome.rankings, strict=True)}


def _best(docs: list[str], depth: int, grades: Mapping[str, int]) -> list[str]:
    """The first `depth` by grade; unjudged ones count as not relevant."""
    return [*sorted(docs[:depth], key=lambda doc: -grades.get(doc, 0)), *docs[depth:]]
