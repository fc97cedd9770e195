"""JudgedTables in a few lines of plain Python, which anyone can check.

The compiled core must agree with `table_of` on every input; the worked examples of the measures use `value`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.measuring.judged_table import JudgedTable, Negatives, Pool
from rankproof.measuring.names import parse
from rankproof.reading.records import DEFAULT_ORDER, Order


def ranked(scores: Mapping[str, float], order: Order = DEFAULT_ORDER) -> list[str]:
    """The document ids of one query in the order that `order` gives them."""
    rows = [(_key(score, order), position, doc) for position, (doc, score) in enumerate(scores.items())]
    if order.by != "score":
        return [doc for _, _, doc in rows]
    if order.ties == "given":
        rows.sort(key=lambda row: -row[0])
    else:
        rows.sort(key=lambda row: row[2].encode(), reverse=order.ties == "id_descending")
        rows.sort(key=lambda row: -row[0])
    return [doc for _, _, doc in rows]


def _key(score: float, order: Order) -> float:
    with np.errstate(over="ignore"):  # a score beyond 32 bits is infinite there, as in the core
        key = float(np.float32(score)) if order.precision == "float32" else float(score)
    return -key if order.lower_is_better else key


def table_of(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    order: Order = DEFAULT_ORDER,
    negatives: Negatives = "nonrelevant",
) -> JudgedTable:
    """The table of a run on judgments, both as dicts of dicts."""
    pool_start, place = [0], {}
    pool_grade: list[int] = []
    for query, grades in qrels.items():
        for doc, grade in sorted(grades.items(), key=lambda item: -item[1]):
            place[query, doc] = len(pool_grade)
            pool_grade.append(grade)
        pool_start.append(len(pool_grade))
    start, rank, first, last, docs = [0], [], [], [], []
    for query in qrels:
        scores = run.get(query, {})
        ordered = ranked(scores, order)
        keys = [_key(scores[doc], order) if order.by == "score" else -i for i, doc in enumerate(ordered)]
        for i, doc in enumerate(ordered):
            if (query, doc) in place:
                rank.append(i + 1)
                first.append(1 + sum(key > keys[i] for key in keys))
                last.append(sum(key >= keys[i] for key in keys))
                docs.append(place[query, doc])
        start.append(len(rank))
    pool = Pool(list(qrels), np.array(pool_start, dtype=np.int64), np.array(pool_grade, dtype=np.int32), negatives)
    return JudgedTable(
        pool,
        np.array([query in run for query in qrels], dtype=bool),
        np.array([len(run.get(query, {})) for query in qrels], dtype=np.int64),
        np.array(start, dtype=np.int64),
        np.array(rank, dtype=np.int32),
        np.array(first, dtype=np.int32),
        np.array(last, dtype=np.int32),
        np.array(docs, dtype=np.int64),
        order,
        [query for query in run if query not in qrels],
    )


def value(measure: str, ranking: Sequence[int | None], pool: Sequence[int] | None = None) -> float:
    """A measure's value on one query, to four places: grades by rank (None is unjudged), and the whole pool.

    Without `pool`, the pool is the judged documents of the ranking.
    """
    grades = {f"d{i}": grade for i, grade in enumerate(ranking) if grade is not None}
    left = list(pool) if pool is not None else list(grades.values())
    for grade in grades.values():
        left.remove(grade)
    judged = {**grades, **{f"x{i}": grade for i, grade in enumerate(left)}}
    run = {f"d{i}": float(-i) for i in range(len(ranking))}
    variant = parse(measure)[0]
    return round(float(variant.measure.compute(table_of({"q": judged}, {"q": run}), variant)[0]), 4)
