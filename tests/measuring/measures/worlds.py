"""Small random collections: judgments and a run for a few queries, as dicts, for hypothesis."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from tests.measuring.measures.plain_cases import Case
from tests.measuring.measures.plain_diversity import Nuggets, Subtopics
from tests.measuring.measures.references import DIVERSITY, REFERENCES

from rankproof.measuring.judged_table import JudgedTable, Negatives
from rankproof.measuring.measures.contract import Measure, Values, Variant
from rankproof.testing.tables import ranked, subtopic_table, table_of

Scores = dict[str, dict[str, float]]
SUBTOPICS = ("a", "b", "c")


@dataclass(frozen=True)
class World:
    """Judgments `{query: {document: {subtopic: grade}}}` and a run; `plain` is each document's best grade."""

    qrels: dict[str, dict[str, dict[str, int]]]
    run: Scores

    def table(self, measure: Measure, negatives: Negatives = "nonrelevant") -> JudgedTable:
        if measure.needs_subtopics:
            return subtopic_table(self.qrels, self.run)
        return table_of(self.plain, self.run, negatives=negatives)

    @property
    def plain(self) -> dict[str, dict[str, int]]:
        return {q: {d: max(g.values()) for d, g in docs.items()} for q, docs in self.qrels.items()}

    def values(self, variant: Variant, negatives: Negatives = "nonrelevant") -> Values:
        return variant.measure.compute(self.table(variant.measure, negatives), variant)

    def reference(self, variant: Variant, negatives: Negatives = "nonrelevant") -> list[float | None]:
        """What plain Python makes of each query; None where it is undefined."""
        name, top = (
            variant.measure.name,
            max((0, *(g for docs in self.plain.values() for g in docs.values()))),
        )
        told = []
        for query, docs in self.qrels.items():
            ranking = ranked(self.run.get(query, {}))
            if name == "NuggetRecall":
                case = Nuggets([docs.get(d, {}) for d in ranking], list(docs.values()))
                told.append(DIVERSITY[name](case, variant))
            elif variant.measure.needs_subtopics:
                covers = {d: {s for s, g in gs.items() if g >= variant["rel"]} for d, gs in docs.items()}
                pool = [covers[d] for d in sorted(docs, reverse=True)]
                told.append(DIVERSITY[name](Subtopics([covers.get(d, set()) for d in ranking], pool), variant))
            else:
                grades = self.plain[query]
                case = Case(
                    [grades.get(d) for d in ranking],
                    list(grades.values()),
                    top,
                    query in self.run,
                    negatives == "nonrelevant",
                )
                told.append(REFERENCES[name](case, variant))
        return told


def worlds(tied: bool = False, most: int = 12) -> st.SearchStrategy[World]:
    """Collections of one to three queries; a run may lack a query or answer with nothing."""
    names = [f"d{i}" for i in range(most)]
    grades = st.dictionaries(st.sampled_from(SUBTOPICS), st.integers(-1, 4), min_size=1)
    judged = st.dictionaries(st.sampled_from(names), grades, min_size=1)
    qrels = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), judged, min_size=1)
    # Long rankings first: hypothesis leans to the beginning, and short ones show little.
    length = st.sampled_from([*range(most, -1, -1)])
    order = st.tuples(st.permutations(names), length).map(lambda drawn: drawn[0][: drawn[1]])
    if tied:
        scores = st.lists(st.sampled_from([1.0, 2.0]), min_size=most, max_size=most)
        ranking = st.tuples(order, scores).map(lambda drawn: dict(zip(*drawn, strict=False)))
    else:
        ranking = order.map(lambda docs: {doc: float(-i) for i, doc in enumerate(docs)})

    def answer(chosen: Any) -> st.SearchStrategy[World]:
        run = st.fixed_dictionaries({query: st.one_of(ranking, ranking, ranking, st.none()) for query in chosen})
        return run.map(lambda told: World(chosen, {q: docs for q, docs in told.items() if docs is not None}))

    return qrels.flatmap(answer)


def crowd(seed: int, queries: int = 120, most: int = 30, tied: bool = False) -> World:
    """A collection of many queries with long rankings: what hypothesis is too careful to draw."""
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(most)]
    qrels: dict[str, dict[str, dict[str, int]]] = {}
    run: Scores = {}
    for number in range(queries):
        query = f"q{number}"
        qrels[query] = {
            doc: {s: rng.choice((-1, 0, 0, 1, 1, 2, 3, 4)) for s in rng.sample(SUBTOPICS, rng.randint(1, 3))}
            for doc in rng.sample(names, rng.randint(1, most))
        }
        if rng.random() < 0.95:
            docs = rng.sample(names, rng.randint(0, most))
            run[query] = {doc: float(rng.randint(0, 9)) if tied else -float(i) for i, doc in enumerate(docs)}
    return World(qrels, run)
