"""Plain references of the measures that add up gains: DCG and its kin."""

from __future__ import annotations

import math
from typing import Any

from tests.measuring.measures.plain_cases import Case, Grade, relevant

from rankproof.measuring.measures.contract import Variant


def gain(grade: Grade, v: Variant) -> float:
    if grade is None or (grade < v.values.get("rel", 0) and v.measure.name in ("nDCG", "DCG")):
        return 0.0
    if v["gain"] == "exp2":
        return 2.0 ** max(grade, 0) - 1
    return max(grade, 0) if v["gain"] == "linear" else dict(v["gain"]).get(grade, max(grade, 0))


def ideal_gains(grades: list[Any], v: Variant) -> list[float]:
    return sorted((max(gain(g, v), 0.0) for g in grades), reverse=True)


def dcg_of(gains: list[float], k: int | None = None, discount: str = "log2") -> float:
    shift = 1 if discount == "log2" else 0
    return sum(g / max(math.log2(i + shift), 1.0) for i, g in enumerate(gains[:k], 1))


def dcg(c: Case, v: Variant) -> float | None:
    if not any(ideal_gains(c.pool, v)):
        return None
    return dcg_of([gain(g, v) for g in c.ranking], v.k, v["discount"])


def ndcg(c: Case, v: Variant) -> float | None:
    grades = [g for g in c.ranking if g is not None] if v["ideal"] == "retrieved" else c.pool
    ideal = dcg_of(ideal_gains(grades, v), None if v["ideal"] == "judged_uncut" else v.k, v["discount"])
    return dcg_of([gain(g, v) for g in c.ranking], v.k, v["discount"]) / ideal if ideal > 0 else None


def ndcg_rel(c: Case, v: Variant) -> float | None:
    gains, ideal = [gain(g, v) for g in c.ranking], ideal_gains(c.pool, v)
    found = [i for i, g in enumerate(gains, 1) if g > 0]
    number = sum(g > 0 for g in ideal)
    if not number:
        return None
    total = sum(dcg_of(gains, i) / dcg_of(ideal, i) for i in found)
    return max(total + (number - len(found)) * dcg_of(gains) / dcg_of(ideal), 0.0) / number


def rndcg(c: Case, v: Variant) -> float | None:
    gains, ideal = [gain(g, v) for g in c.ranking], [g for g in ideal_gains(c.pool, v) if g > 0]
    if relevant(c, v) == 0:
        return None
    ends = [i for i in range(1, len(ideal) + 1) if i == len(ideal) or ideal[i] != ideal[i - 1]]
    points = [dcg_of(gains, i) / dcg_of(ideal, i) for i in ends]
    if points and len(gains) > len(ideal) + 1:
        points.append(dcg_of(gains) / dcg_of(ideal))
    return sum(points) / len(points) if points else 0.0


def g_measure(c: Case, v: Variant) -> float | None:
    ideal = ideal_gains(c.pool, v)
    if not any(ideal):
        return None
    total = cost = seen = 0.0
    for i, grade in enumerate(c.ranking):
        seen += gain(grade, v)
        cost += max(ideal[i] if i < len(ideal) else 0.0, 1.0)
        total += gain(grade, v) / math.log2(2 + cost - seen)
    return total / sum(ideal)
