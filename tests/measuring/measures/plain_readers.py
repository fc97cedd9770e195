"""Plain references of the measures that imagine a reader, and of those that look at places."""

from __future__ import annotations

from typing import Any

from scipy.special import polygamma
from tests.measuring.measures.plain_cases import Case, hit_ranks, relevant

from rankproof.measuring.measures.contract import Variant


def rbp(c: Case, v: Variant) -> float | None:
    total = sum((1 - v["p"]) * v["p"] ** (rank - 1) for rank in hit_ranks(c, v, v.k))
    return total if relevant(c, v) else None


def rbpres(c: Case, v: Variant) -> float:
    known = [i for i, g in enumerate(c.ranking[: v.k]) if c.judged(g)]
    return 1 - sum((1 - v["p"]) * v["p"] ** i for i in known)


def top_grade(c: Case, v: Variant) -> int:
    return c.top if v["max_grade"] is None else int(v["max_grade"])


def err_of(grades: list[Any], top: int) -> float:
    total, going_on = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        stop = (2 ** min(max(grade or 0, 0), top) - 1) / 2**top
        total += going_on * stop / rank
        going_on *= 1 - stop
    return total


def err(c: Case, v: Variant) -> float | None:
    return err_of(c.ranking[: v.k], top_grade(c, v)) if max(c.pool, default=0) > 0 else None


def nerr(c: Case, v: Variant) -> float | None:
    value, ideal = err(c, v), err_of(sorted(c.pool, reverse=True)[: v.k], top_grade(c, v))
    return None if value is None else value / ideal


def inst(c: Case, v: Variant) -> float | None:
    top, sought, seen, gained, looked = top_grade(c, v), v["T"], 1.0, 0.0, 0.0
    if max(c.pool, default=0) <= 0:
        return None
    end = len(c.ranking) if v["horizon"] is None else v["horizon"]
    for i in range(1, end + 1):
        grade = c.ranking[i - 1] if i <= len(c.ranking) else 0
        worth = min(max(grade or 0, 0), top) / top
        sought -= worth
        gained, looked = gained + seen * worth, looked + seen
        seen *= ((i + v["T"] + sought - 1) / (i + v["T"] + sought)) ** 2
    x = end + v["T"] + sought  # from here on nothing is gained: the rest of the weights is a trigamma series
    return gained / (looked + (seen * x**2 * float(polygamma(1, x)) if v["horizon"] is None else 0.0))


def compat(c: Case, v: Variant) -> float | None:
    run = list(range(len(c.ranking)))
    left = list(c.pool)
    for grade in c.ranking:
        if grade is not None:
            left.remove(grade)
    documents = [(-g, i) for i, g in enumerate(c.ranking) if g is not None and g > 0]
    documents += [(-g, len(run) + i) for i, g in enumerate(left) if g > 0]
    ideal = [i for _, i in sorted(documents)]
    depth = max(len(run), len(ideal))

    def overlap(a: list[int]) -> float:
        weights = ((d, v["p"] ** (d - 1)) for d in range(1, depth + 1))
        return sum(w * len(set(a[:d]) & set(ideal[:d])) / d for d, w in weights)

    return overlap(run) / overlap(ideal) if ideal else None


def avgpos(c: Case, v: Variant) -> float | None:
    ranks = hit_ranks(c, v)
    return sum(ranks) / len(ranks) if ranks else None


def intop(c: Case, v: Variant) -> float | None:
    number = relevant(c, v) if v["over"] == "relevant" else len(hit_ranks(c, v))
    return len(hit_ranks(c, v, v.k)) / number if number else None
