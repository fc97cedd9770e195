"""Ratings from qrels of several judges, or from the judgments of a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rankproof.records.agreement import Ratings
from rankproof.records.judging import Judgment

Grades = Mapping[str, Mapping[str, int]]  # query -> document -> grade, as Qrels are


def ratings_of(qrels: Mapping[str, Grades], common: bool = False) -> Ratings:
    """By judge, the grades of each; with `common` only the pairs that every judge graded."""
    said = {judge: flat(grades) for judge, grades in qrels.items()}
    pairs = list(dict.fromkeys(pair for grades in said.values() for pair in grades))
    if common:
        pairs = [pair for pair in pairs if all(pair in grades for grades in said.values())]
    return _table(pairs, tuple(said), list(said.values()))


def flat(grades: Grades) -> dict[tuple[str, str], int]:
    """By pair of query and document."""
    return {(query, doc): grade for query, docs in grades.items() for doc, grade in docs.items()}


def ratings_of_judgments(judgments: Iterable[Judgment]) -> Ratings:
    """What holds now in a store, by judge. A judgment without a grade is no rating."""
    said: dict[str, dict[tuple[str, str], int]] = {}
    for judgment in judgments:
        if judgment.grade is not None:
            said.setdefault(judgment.judge, {})[judgment.query_id, judgment.doc_id] = judgment.grade
    pairs = list(dict.fromkeys(pair for grades in said.values() for pair in grades))
    return _table(pairs, tuple(said), list(said.values()))


def _table(
    pairs: Sequence[tuple[str, str]], judges: tuple[str, ...], said: Sequence[Mapping[tuple[str, str], int]]
) -> Ratings:
    given = np.array([[pair in grades for grades in said] for pair in pairs], dtype=bool)
    grades = np.array([[grades.get(pair, 0) for grades in said] for pair in pairs], dtype=np.int64)
    shape = (len(pairs), len(judges))
    return Ratings(pairs, judges, grades.reshape(shape), given.reshape(shape))
