"""One query, written plainly, and what plain references of measures keep asking of it."""

from __future__ import annotations

from dataclasses import dataclass

from rankproof.measuring.measures.contract import Variant

Grade = int | None  # None: the document is not in the qrels


@dataclass(frozen=True)
class Case:
    """One query: grades by rank, grades of the whole pool (retrieved ones too), the top grade of all."""

    ranking: list[Grade]
    pool: list[int]
    top: int
    in_run: bool = True
    negatives_judged: bool = True  # False: a grade below 0 means pooled, not judged, as in trec_eval

    def judged(self, grade: Grade) -> bool:
        return grade is not None and (grade >= 0 or self.negatives_judged)


def hit(grade: Grade, v: Variant) -> bool:
    return grade is not None and grade >= v["rel"]


def relevant(c: Case, v: Variant) -> int:
    return sum(hit(g, v) for g in c.pool)


def hit_ranks(c: Case, v: Variant, k: int | None = None) -> list[int]:
    return [i for i, g in enumerate(c.ranking, 1) if hit(g, v) and (k is None or i <= k)]


def precisions(c: Case, v: Variant, k: int | None = None) -> float:
    return sum(n / rank for n, rank in enumerate(hit_ranks(c, v, k), 1))
