"""Plain references of the measures for which a document is relevant or not, in ranks and in sets."""

from __future__ import annotations

import math

from tests.measuring.measures.plain_cases import Case, hit, hit_ranks, precisions, relevant

from rankproof.measuring.measures.contract import Variant


def rr(c: Case, v: Variant) -> float | None:
    if relevant(c, v) == 0:
        return None
    ranks = hit_ranks(c, v, v.k)
    return 1 / ranks[0] if ranks else 0.0


def ap(c: Case, v: Variant) -> float | None:
    number = relevant(c, v)
    if number == 0:
        return None
    how = v.values.get("denominator", "relevant")
    if how == "min_k" and v.k is not None:
        number = min(number, v.k)
    elif how == "relevant_retrieved":
        number = len(hit_ranks(c, v, v.k))
    return precisions(c, v, v.k) / number if number else 0.0


def yaap(c: Case, v: Variant) -> float | None:
    total, number = precisions(c, v), relevant(c, v)
    return math.log((1 + total) / (1 + number - total)) if number else None


def p(c: Case, v: Variant) -> float | None:
    if relevant(c, v) == 0:
        return None
    over = v.k if v["denominator"] == "k" else min(v.k or 0, len(c.ranking))
    return len(hit_ranks(c, v, v.k)) / over if over else 0.0


def r(c: Case, v: Variant) -> float | None:
    number = relevant(c, v)
    if v.values.get("denominator") == "min_k" or v.measure.name == "RelP":
        number = min(number, v.k or 0)
    return len(hit_ranks(c, v, v.k)) / number if number else None


def f(c: Case, v: Variant) -> float | None:
    number, found = relevant(c, v), len(hit_ranks(c, v, v.k))
    size = len(c.ranking) if v.k is None else v.k
    if number == 0 or found == 0:
        return None if number == 0 else 0.0
    precision, recall, w = found / size, found / number, v["weight"]
    return (w + 1) * precision * recall / (recall + w * precision)


def all_recall(c: Case, v: Variant) -> float | None:
    return float(len(hit_ranks(c, v, v.k)) == relevant(c, v)) if relevant(c, v) else None


def success(c: Case, v: Variant) -> float | None:
    return float(bool(hit_ranks(c, v, v.k))) if relevant(c, v) else None


def rprec(c: Case, v: Variant) -> float | None:
    number = relevant(c, v)
    cut = int(v.values["mult"] * number + 0.9) if "mult" in v.values else number
    if number == 0 or cut == 0:
        return None if number == 0 else 0.0
    return len(hit_ranks(c, v, cut)) / cut


def bpref(c: Case, v: Variant) -> float | None:
    number = relevant(c, v)
    nonrelevant = sum(c.judged(g) and not hit(g, v) for g in c.pool)
    above, total = 0, 0.0
    for grade in c.ranking:
        if hit(grade, v):
            total += 1 - min(above, number) / min(nonrelevant, number) if above else 1.0
        above += c.judged(grade) and not hit(grade, v)
    return total / number if number else None


def infap(c: Case, v: Variant) -> float | None:
    pooled = found = nonrelevant = 0
    total, e = 0.0, 0.00001
    for rank, grade in enumerate(c.ranking, 1):
        if hit(grade, v):
            total += 1 / rank + pooled / rank * (found + e) / (found + nonrelevant + 2 * e)
        pooled += grade is not None
        found += hit(grade, v)
        nonrelevant += c.judged(grade) and not hit(grade, v)
    return total / relevant(c, v) if relevant(c, v) else None


def best_precision(c: Case, v: Variant, level: float) -> float:
    ranks, number = hit_ranks(c, v), relevant(c, v)
    # C's lround takes halves away from 0; trec_eval 9 adds 0.9 and cuts.
    whole = math.floor(level * number)
    wanted = whole + (level * number - whole >= 0.5) if v["rounding"] == "nearest" else int(level * number + 0.9)
    points = [n / rank for n, rank in enumerate(ranks, 1)]
    return max(points[max(wanted, 1) - 1 :], default=0.0)


def iprec(c: Case, v: Variant) -> float | None:
    return best_precision(c, v, float(v.at or 0)) if relevant(c, v) else None


def eleven_point(c: Case, v: Variant) -> float | None:
    levels = v["recall"]
    return sum(best_precision(c, v, x) for x in levels) / len(levels) if relevant(c, v) else None


def bing(c: Case, v: Variant) -> float | None:
    total = sum(1 / math.log2(2 + rank - n) for n, rank in enumerate(hit_ranks(c, v), 1))
    return total / relevant(c, v) if relevant(c, v) else None


def setp(c: Case, v: Variant) -> float | None:
    found = len(hit_ranks(c, v))
    return (found / len(c.ranking) if c.ranking else 0.0) if relevant(c, v) else None


def setr(c: Case, v: Variant) -> float | None:
    return len(hit_ranks(c, v)) / relevant(c, v) if relevant(c, v) else None


def setap(c: Case, v: Variant) -> float | None:
    precision, recall = setp(c, v), setr(c, v)
    return None if precision is None or recall is None else precision * recall


def setrelp(c: Case, v: Variant) -> float | None:
    most = min(len(c.ranking), relevant(c, v))
    return (len(hit_ranks(c, v)) / most if most else 0.0) if relevant(c, v) else None


def utility(c: Case, v: Variant) -> float:
    hits, missed = len(hit_ranks(c, v)), relevant(c, v) - len(hit_ranks(c, v))
    wrong = len(c.ranking) - hits
    counts = hits, wrong, missed, v["collection"] - hits - wrong - missed
    return sum(w * n for w, n in zip(v["weights"], counts, strict=True))


def judged(c: Case, v: Variant) -> float:
    top = c.ranking[: v.k]
    over = v.k if v["denominator"] == "k" and v.k else len(top)
    share = sum(c.judged(g) for g in top)
    if v.measure.name == "Unjudged":
        share = len(top) - share
    return share / over if over else 0.0


def grade_share(c: Case, v: Variant) -> float:
    top = c.ranking[: v.k]
    if v["grade"] is None:
        return sum(not c.judged(g) for g in top) / (v.k or 1)
    return sum(c.judged(g) and g == v["grade"] for g in top) / (v.k or 1)
