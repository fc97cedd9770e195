"""Universe: the world of some runs, made from the documents that they and a pool name; and the universe in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rankproof.core._core import Judgments, Rows
from rankproof.errors import UsageError
from rankproof.flow.holes.world import World
from rankproof.flow.joining import join_rows
from rankproof.flow.prepared import PreparedQrels, PreparedRun
from rankproof.measures._contract import Values, Variant
from rankproof.records import views
from rankproof.records.judged import JudgedTable
from rankproof.records.order import DEFAULT_ORDER
from rankproof.records.pool import Pool


class Universe(World):
    """The world of prepared runs. `doc_id` names a pooled document, `now` is what is evaluated today."""

    def __init__(
        self,
        runs: Sequence[PreparedRun],
        *,
        endless: bool = False,
        pool: Mapping[str, Collection[str]] | None = None,
        depth: int | None = None,
        top_grade: int | None = None,
    ) -> None:
        qrels = runs[0].qrels
        if any(run.qrels is not qrels for run in runs):
            raise UsageError("These runs were prepared with different judgments. Prepare them all with the same.")
        if top_grade is not None and top_grade < 0:
            raise UsageError(f"The top grade that a document could have is 0 or more; got {top_grade}.")
        rows = [run.rows_of(qrels.query_ids) for run in runs]
        judgments = _widened(qrels, rows, pool or {})
        grade = judgments.grade
        is_open = grade == _mark(qrels)
        # Constants of the collection stay what they are: bounds are about the numbers as they are computed now.
        shared = Pool(judgments.query_ids, judgments.start, grade, top_grade=qrels.pool.top_grade)
        super().__init__(
            [_joined(run, read, judgments, shared, depth) for run, read in zip(runs, rows, strict=True)],
            is_open,
            np.where(is_open, 0, grade).astype(np.int32),
            # Where nothing is relevant yet, a document still could be.
            max(1, qrels.pool.top_grade) if top_grade is None else top_grade,
            endless,
        )
        self.runs = tuple(runs)
        self.doc_id = judgments.doc_id
        self.depth = depth
        self.pooled = bool(pool)

    def now(self, run: int | None, variant: Variant) -> Values:
        """Each query's value as it is evaluated now; 0 for no run."""
        if run is None:
            return np.zeros(len(self))
        table = self.runs[run].table(DEFAULT_ORDER, variant.measure.needs_subtopics)
        return variant.measure.compute(table if self.depth is None else views.cut(table, self.depth), variant)

    def __str__(self) -> str:
        """For a reader of bounds: whose documents, and which grades those may have that nobody judged."""
        runs = len(self.runs)
        of = {1: "the documents of the run", 2: "the documents of both runs"}.get(runs, f"the documents of {runs} runs")
        more = " and of the pool" if self.pooled else ""
        beyond = ", and any number of others" if self.endless else ""
        grades = "grade 0" if self.top == 0 else f"grades 0 to {self.top}"
        return f"{of}{more}{beyond}, with {grades} where nobody judged"


def _joined(run: PreparedRun, rows: Rows, judgments: Judgments, pool: Pool, depth: int | None) -> JudgedTable:
    """The run's table on the wider judgments, in the order it is evaluated in."""
    now = run.table(DEFAULT_ORDER)
    joined = join_rows(judgments, rows, run.order(DEFAULT_ORDER))
    whole = JudgedTable(
        pool, now.in_run, joined.retrieved, joined.start, joined.rank, joined.tie_first, joined.tie_last,
        joined.doc, now.order, now.unjudged_queries,
    )  # fmt: skip
    return whole if depth is None else views.cut(whole, depth)


def _mark(qrels: PreparedQrels) -> int:
    """A grade that no judgment has: it marks documents that nobody judged."""
    return min(0, int(qrels.pool.grade.min(initial=0))) - 1


def _widened(qrels: PreparedQrels, runs: Sequence[Rows], pool: Mapping[str, Collection[str]]) -> Judgments:
    """The judgments, with a mark for every document of the runs and the pool that has none."""
    judged = frozenset(qrels.pool.query_ids) if pool else frozenset()
    pooled = Rows.from_dicts({query: list(docs) for query, docs in pool.items() if query in judged})
    return qrels.judgments.widened([*runs, pooled], _mark(qrels))
