"""Tiny collections with unjudged documents, and the truth about them: every grade tried, by plain loops."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.prepare import PreparedRun, prepare_qrels
from rankproof.testing.tables import table_of

TOP = 2
DOCS = ("a", "b", "c", "d", "e", "f", "g", "h")
Rankings = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Small:
    """Judgments, two runs and a pool; every document of the three is in the universe."""

    qrels: dict[str, dict[str, int]]
    runs: tuple[Rankings, Rankings]
    pool: dict[str, list[str]]

    def prepared(self) -> list[PreparedRun]:
        qrels = prepare_qrels(self.qrels)
        return [qrels.prepare(run, name=f"run {i}") for i, run in enumerate(self.runs)]

    def open(self, query: str) -> list[str]:
        every = [*self.runs[0].get(query, {}), *self.runs[1].get(query, {}), *self.pool.get(query, [])]
        return [doc for doc in dict.fromkeys(every) if doc not in self.qrels[query]]

    def worlds(self, query: str) -> list[dict[str, int]]:
        """The judgments of a query with every choice of grades for what is open."""
        missing = self.open(query)
        choices = product(range(TOP + 1), repeat=len(missing))
        return [{**self.qrels[query], **dict(zip(missing, grades, strict=True))} for grades in choices]

    def values(self, variant: Variant, query: str) -> NDArray[np.float64]:
        """Both runs' values of one query (columns) in every world (rows)."""
        worlds = {str(i): world for i, world in enumerate(self.worlds(query))}
        columns = []
        for run in self.runs:
            there = dict.fromkeys(worlds, run[query]) if query in run else {}
            columns.append(variant.measure.compute(self._table(worlds, there), variant))
        return np.stack(columns, axis=1)

    def _table(self, worlds: dict[str, dict[str, int]], run: Rankings) -> JudgedTable:
        """The top grade is a constant of the collection as it is judged now."""
        table = table_of(worlds, run)
        pool, top = table.pool, max(0, *(g for docs in self.qrels.values() for g in docs.values()))
        table.pool = Pool(pool.query_ids, pool.start, pool.grade, top_grade=top)
        return table


def smalls(most_open: int = 4) -> st.SearchStrategy[Small]:
    """One or two queries; a run may lack a query; judged grades may be negative."""

    @st.composite
    def small(draw: Any) -> Small:
        queries = ["q1", "q2"][: draw(st.sampled_from([1, 1, 2]))]
        qrels, runs, pool = {}, ({}, {}), {}
        for query in queries:
            order = draw(st.permutations(DOCS))
            missing = draw(st.integers(0, most_open))
            universe, unjudged = order[: 4 + missing], order[:missing]
            judged = [doc for doc in universe if doc not in unjudged][: draw(st.integers(1, 4))]
            qrels[query] = {doc: draw(st.sampled_from([0, 0, 1, 2, TOP, -1])) for doc in judged}
            here = [*judged, *unjudged]
            for run in runs:
                docs = draw(st.permutations(here))[: draw(st.integers(0, len(here)))]
                if draw(st.sampled_from([True, True, True, False])) or (not run and query == queries[-1]):
                    run[query] = {doc: float(-place) for place, doc in enumerate(docs)}
            pool[query] = [*unjudged]
        for run in runs:
            if not any(run.values()):
                run[queries[0]] = {next(iter(qrels[queries[0]])): 1.0}
        return Small(qrels, runs, pool)

    return small()
