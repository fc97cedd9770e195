"""A diagnosis of a few rankings, for the pages of diagnoses and for their tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankproof.kernel import shelf
from rankproof.proving.diagnoses.contract import Chart, Symptom
from rankproof.testing.tables import table_of


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
