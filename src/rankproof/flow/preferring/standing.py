"""Standing: how a variant does on one query, by the grades, picks and flags that hold.

A pick and a flag speak of a document. They count for every variant that has the document among its first k, wherever
the judge saw it: the other variants found it as well. A judge who marks it twice has marked it once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rankproof.flow.adjudicating import adjudicate
from rankproof.records.judging import Judgment, Mark
from rankproof.records.preferring import Standing
from rankproof.records.scale import Scale

Grades = Mapping[str, Mapping[str, int]]


def settled_grades(judgments: Iterable[Judgment], scale: Scale) -> dict[str, dict[str, int]]:
    """{query_id: {doc_id: grade}}: the grade that most people gave; pairs they are split on have none."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for pair in adjudicate(judgments, scale).pairs:
        if pair.grade is not None:
            found[pair.query_id][pair.doc_id] = pair.grade
    return dict(found)


def each_once(marks: Iterable[Mark]) -> list[Mark]:
    """One mark for each judge, kind, query and document: the newest."""
    return list({(m.judge, m.kind, m.query_id, m.doc_id): m for m in marks}.values())


def standing(
    ranking: Sequence[str], grades: Mapping[str, int], relevant: int, marks: Iterable[Mark], k: int
) -> Standing:
    """The first k of a ranking, by the grades and marks of its query. `relevant` is the least grade that counts."""
    first = ranking[:k]
    seen = frozenset(first)
    known = [grades[doc] for doc in first if doc in grades]
    kinds = [mark.kind for mark in each_once(marks) if mark.doc_id in seen]
    precision = sum(grade >= relevant for grade in known) / k if known else None
    return Standing(precision, len(known), kinds.count("pick"), kinds.count("flag"))
