"""The documents that could be relevant: tables of runs over judged and unjudged documents, ready for any grades."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.core import Judgments, Rows
from rankproof.errors import UsageError
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Values, Variant
from rankproof.measuring.prepare import PreparedQrels, PreparedRun
from rankproof.measuring.run_sources import join_rows
from rankproof.measuring.views import cut, regraded, repeated
from rankproof.reading.records import DEFAULT_ORDER

Indices = NDArray[np.int64]
Grades = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Most:
    """For each query, the greatest value of one run less that of another; `exact` where some grades reach it.

    Every bound is one of these: a value's greatest is that of the run less nothing, its least that of nothing
    less the run, with the sign turned, and a difference's least is that of the runs the other way around.
    """

    value: Values
    exact: NDArray[np.bool_]

    @classmethod
    def reached(cls, value: Values) -> Most:
        """Reached for every query."""
        return cls(value, np.ones(len(value), dtype=bool))


class World:
    """Documents of the universe by query, judged or open, and where each run has them.

    tables    each run's table, with a row for every document of the universe that the run retrieved
    open      for each pooled document, whether nobody judged it
    grade     for each pooled document, its grade; 0 for open ones
    rank      for each run and pooled document, its rank; 0 where the run does not have it
    top       the greatest grade that an open document could have
    endless   whether relevant documents may exist outside of the universe, without limit
    """

    def __init__(
        self,
        tables: Sequence[JudgedTable],
        open: NDArray[np.bool_],
        grade: Grades,
        top: int,
        endless: bool = False,
    ) -> None:
        self.tables = tuple(tables)
        self.open = open
        self.grade = grade
        self.top = top
        self.endless = endless
        self.pool = tables[0].pool
        self.query = self.pool.query
        self.rank = np.zeros((len(tables), len(grade)), dtype=np.int64)
        for rank, table in zip(self.rank, tables, strict=True):
            rank[table.doc] = table.rank
        self._plain: dict[int, JudgedTable] = {}
        self._zero: dict[tuple[int, str], Values] = {}

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.pool)

    @property
    def open_by_query(self) -> Indices:
        """How many documents of each query nobody judged."""
        return self.pool.count(self.open)

    def sum(self, weights: Values) -> Values:
        """Sum of a value per pooled document, by query."""
        return self.pool.sum(weights)

    def retrieved(self, run: int) -> Indices:
        """For each pooled document, how many documents the run has for its query."""
        return self.tables[run].retrieved[self.query]

    def now(self, run: int | None, variant: Variant) -> Values:
        """Each query's value as it is evaluated now; a world that is only supposed has no other than `zero`."""
        return self.zero(run, variant)

    def zero(self, run: int | None, variant: Variant) -> Values:
        """Each query's value when every open document has grade 0; 0 for no run."""
        if run is None:
            return np.zeros(len(self))
        key = run, variant.text
        if key not in self._zero:
            if run not in self._plain:
                self._plain[run] = regraded(self.tables[run], self.grade)
            self._zero[key] = variant.measure.compute(self._plain[run], variant)
        return self._zero[key]

    def assumed(self, run: int, queries: Indices, grade: Grades) -> JudgedTable:
        """The run's table of the given queries, as often as named, with a grade for each of their documents."""
        return regraded(repeated(self.tables[run], queries), grade)

    def supposing(self, docs: Indices, grade: int) -> World:
        """A world with a copy of the query of each of the documents, in which that document has been judged."""
        queries = self.query[docs]
        tables = [repeated(table, queries) for table in self.tables]
        copy = tables[0].pool
        whole = np.repeat(self.pool.start[queries] - copy.start[:-1], copy.size) + np.arange(len(copy.grade))
        mine = copy.start[:-1] + docs - self.pool.start[queries]
        is_open, grades = self.open[whole], self.grade[whole]
        is_open[mine], grades[mine] = False, grade
        return World(tables, is_open, grades, self.top, self.endless)


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
        return variant.measure.compute(table if self.depth is None else cut(table, self.depth), variant)

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
    return whole if depth is None else cut(whole, depth)


def _mark(qrels: PreparedQrels) -> int:
    """A grade that no judgment has: it marks documents that nobody judged."""
    return min(0, int(qrels.pool.grade.min(initial=0))) - 1


def _widened(qrels: PreparedQrels, runs: Sequence[Rows], pool: Mapping[str, Collection[str]]) -> Judgments:
    """The judgments, with a mark for every document of the runs and the pool that has none."""
    judged = frozenset(qrels.pool.query_ids) if pool else frozenset()
    pooled = Rows.from_dicts({query: list(docs) for query, docs in pool.items() if query in judged})
    return qrels.judgments.widened([*runs, pooled], _mark(qrels))
