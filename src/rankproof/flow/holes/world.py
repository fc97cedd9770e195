"""The world of a comparison: the runs' tables over judged and unjudged documents alike, ready for any grades."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankproof.measures._contract import Values, Variant
from rankproof.records import views
from rankproof.records.judged import JudgedTable
from rankproof.records.repeated import repeated

Indices = NDArray[np.int64]
Grades = NDArray[np.int32]


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
                self._plain[run] = views.regraded(self.tables[run], self.grade)
            self._zero[key] = variant.measure.compute(self._plain[run], variant)
        return self._zero[key]

    def assumed(self, run: int, queries: Indices, grade: Grades) -> JudgedTable:
        """The run's table of the given queries, as often as named, with a grade for each of their documents."""
        return views.regraded(repeated(self.tables[run], queries), grade)

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
