"""Small tables made the plain way: values of measures, dialects, similarities and diagnoses, checked by eye."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.kernel import shelf
from rankproof.measuring.evaluate import evaluate
from rankproof.measuring.judged_table import JudgedTable, Negatives, Pool
from rankproof.measuring.names import parse
from rankproof.measuring.similarities.contract import parse as parse_similarity
from rankproof.measuring.spans.evaluate import evaluate as evaluate_spans
from rankproof.measuring.subtopics import Subtopics
from rankproof.proving.diagnoses.contract import Chart, Symptom
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


Judgments = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Mapping[str, float]]


def mean(measure: str, qrels: Judgments, run: Rankings, dialect: str = "rankproof") -> float:
    """A measure's mean on a run, to five places."""
    (result,) = evaluate(qrels, run, measure, dialect=dialect).values()
    return round(result.mean, 5)


def nuggets(measure: str, vital: str, okay: str, ranking: Sequence[str], missed: Sequence[str] = ()) -> float:
    """NuggetRecall on one query, to four places. Nuggets are small letters, some `vital`, some `okay`.

    A document is written as the nuggets it supports, a capital for full support: `["Ab", "C"]`; `missed` are the judged
    documents that the ranking lacks.
    """
    base = {**dict.fromkeys(vital, 2), **dict.fromkeys(okay, 0)}

    def grades(letters: str) -> dict[str, int]:
        return {one.lower(): base[one.lower()] + (2 if one.isupper() else 1) for one in letters}

    docs = {f"d{i}": grades(letters) for i, letters in enumerate(ranking) if letters}
    rest = {f"x{i}": grades(letters) for i, letters in enumerate(missed)}
    variant = parse(measure)[0]
    table = subtopic_table({"q": {**docs, **rest}}, {"q": {f"d{i}": float(-i) for i in range(len(ranking))}})
    return round(float(variant.measure.compute(table, variant)[0]), 4)


def spanned(measure: str, gold: Sequence[tuple[int, int]], chunks: Sequence[tuple[int, int]]) -> float:
    """A span measure's value on one query and one document, to four places; chunks in rank order."""
    ranges = {"q": [("d", *span) for span in gold]}, {"q": [("d", *span) for span in chunks]}
    return round(evaluate_spans(*ranges, measure)[measure].mean, 4)


def alike(similarity: str, a: Sequence[str], b: Sequence[str]) -> float | None:
    """The similarity of two rankings, to four places; None where it is undefined."""
    pairing = parse_similarity(similarity)[0]
    value = pairing.similarity.compare(a, b, pairing)
    return None if value is None else round(value, 4)


def diagnosed(
    code: str, rankings: Mapping[str, Sequence[int | None]], relevant: int | None = None, level: int = 1
) -> str | None:
    """The message of a diagnosis on rankings, given as grades by rank (None is unjudged); None without a message.

    `relevant` is how many relevant documents each query has; those that its ranking lacks have grade 1.
    """
    qrels, run = {}, {}
    for query, grades in rankings.items():
        judged = {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None}
        retrieved = sum(grade >= level for grade in judged.values())
        missed = 0 if relevant is None else relevant - retrieved
        qrels[query] = {**judged, **{f"x{i}": level for i in range(missed)}}
        run[query] = {f"d{i}": float(-i) for i in range(len(grades))}
    symptom: Symptom = shelf.find("diagnoses", code)
    diagnosis = symptom.diagnose(Chart("run", table_of(qrels, run), level))
    return None if diagnosis is None else diagnosis.message
