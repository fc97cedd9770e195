"""A table whose queries stand several times is the table of a collection with those queries written out."""

from __future__ import annotations

import numpy as np

from rankproof.measuring.views import repeated
from rankproof.testing.tables import subtopic_table

QRELS = {
    "q1": {"a": {"s": 2, "t": 0}, "b": {"t": 1}},
    "q2": {"c": {"s": 0}},
    "q3": {"a": {"u": 3}, "d": {"s": 1, "u": 1}, "e": {"t": -1}},
}
RUN = {"q1": {"b": 2.0, "x": 2.0, "a": 1.0}, "q3": {"e": 3.0, "a": 2.0, "y": 1.0}}


def test_it_equals_the_collection_written_out() -> None:
    table = subtopic_table(QRELS, RUN)
    order = np.array([2, 0, 0, 1, 2])
    names = [list(QRELS)[i] for i in order]
    written = subtopic_table(
        {f"{i}": QRELS[name] for i, name in enumerate(names)},
        {f"{i}": RUN[name] for i, name in enumerate(names) if name in RUN},
    )
    again = repeated(table, order)
    assert list(again.pool.query_ids) == names
    for column in ("in_run", "retrieved", "start", "rank", "tie_first", "tie_last", "doc", "grade", "query"):
        assert getattr(again, column).tolist() == getattr(written, column).tolist(), column
    assert again.pool.grade.tolist() == written.pool.grade.tolist()
    assert again.pool.start.tolist() == written.pool.start.tolist()
    assert again.pool.top_grade == table.pool.top_grade
    assert again.subtopics is not None
    assert written.subtopics is not None
    for column in ("start", "number", "doc", "subtopic", "grade"):
        assert getattr(again.subtopics, column).tolist() == getattr(written.subtopics, column).tolist(), column


def test_no_query_is_a_table_too() -> None:
    assert len(repeated(subtopic_table(QRELS, RUN), np.array([], dtype=np.int64))) == 0
