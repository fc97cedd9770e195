"""JudgedTables with subtopics in plain Python, for diversity measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.names import parse
from rankproof.measuring.subtopics import Subtopics
from rankproof.reading.records import DEFAULT_ORDER, Order
from rankproof.testing.tables import table_of


def subtopic_table(
    qrels: Mapping[str, Mapping[str, Mapping[str, int]]],
    run: Mapping[str, Mapping[str, float]],
    order: Order = DEFAULT_ORDER,
) -> JudgedTable:
    """The table of a run on judgments by subtopic: `{query: {document: {subtopic: grade}}}`.

    In the pool a document has the best grade it has for any subtopic.
    """
    best = {
        query: {doc: max(grades.values()) for doc, grades in docs.items() if grades} for query, docs in qrels.items()
    }
    table = table_of(best, run, order)
    # The same order that table_of gives the pool: by grade, then as written.
    ids = [doc for docs in best.values() for doc, _ in sorted(docs.items(), key=lambda item: -item[1])]
    start, number, doc_index, subtopic_index, grade = [0], [], [], [], []
    for q, docs in enumerate(qrels.values()):
        place = {ids[i]: i for i in range(table.pool.start[q], table.pool.start[q + 1])}
        names: dict[str, int] = {}
        for doc, grades in docs.items():
            for subtopic, level in grades.items():
                doc_index.append(place[doc])
                subtopic_index.append(names.setdefault(subtopic, len(names)))
                grade.append(level)
        number.append(len(names))
        start.append(len(doc_index))
    entries = Subtopics(
        np.array(start, dtype=np.int64),
        np.array(number, dtype=np.int64),
        np.array(doc_index, dtype=np.int64),
        np.array(subtopic_index, dtype=np.int32),
        np.array(grade, dtype=np.int32),
    ).by_document_id(ids)
    return JudgedTable(
        table.pool, table.in_run, table.retrieved, table.start, table.rank, table.tie_first, table.tie_last,
        table.doc, table.order, table.unjudged_queries, entries,
    )  # fmt: skip


def covering(measure: str, ranking: Sequence[str], missed: Sequence[str] = ()) -> float:
    """A diversity measure's value on one query, to four places.

    Each document is written as the letters of the subtopics it covers: `["ab", "", "c"]`; `missed` are the
    judged documents that the ranking lacks.
    """
    retrieved = {f"d{i}": dict.fromkeys(letters, 1) for i, letters in enumerate(ranking) if letters}
    rest = {f"x{i}": dict.fromkeys(letters, 1) for i, letters in enumerate(missed)}
    run = {f"d{i}": float(-i) for i in range(len(ranking))}
    variant = parse(measure)[0]
    table = subtopic_table({"q": {**retrieved, **rest}}, {"q": run})
    return round(float(variant.measure.compute(table, variant)[0]), 4)
