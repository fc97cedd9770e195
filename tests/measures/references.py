"""Every measure once more, in a few lines of plain Python for one query: what the vectorized code must equal.

Written from the papers and from trec_eval's definitions, with loops and no NumPy. A function gets a Case
and the variant, and returns the value, or None where the measure is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scipy.special import polygamma

from rankproof.measures._contract import Variant

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


@dataclass(frozen=True)
class Subtopics:
    """One query of a diversity collection: subtopics covered by each rank's document, and by each judged one.

    `pool` goes by document id descending, which is how equally good documents of the ideal are chosen.
    """

    ranking: list[set[str]]
    pool: list[set[str]] = field(default_factory=list)


def hit(grade: Grade, v: Variant) -> bool:
    return grade is not None and grade >= v["rel"]


def relevant(c: Case, v: Variant) -> int:
    return sum(hit(g, v) for g in c.pool)


def hit_ranks(c: Case, v: Variant, k: int | None = None) -> list[int]:
    return [i for i, g in enumerate(c.ranking, 1) if hit(g, v) and (k is None or i <= k)]


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


def precisions(c: Case, v: Variant, k: int | None = None) -> float:
    return sum(n / rank for n, rank in enumerate(hit_ranks(c, v, k), 1))


# ---- gain ----------------------------------------------------------------------------------------


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


# ---- relevant or not -----------------------------------------------------------------------------


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
    wanted = (
        whole + (level * number - whole >= 0.5) if v["rounding"] == "nearest" else int(level * number + 0.9)
    )
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


# ---- sets and counts -----------------------------------------------------------------------------


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


# ---- readers and places --------------------------------------------------------------------------


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


# ---- diversity -----------------------------------------------------------------------------------


def novelty(documents: list[set[str]], alpha: float) -> list[float]:
    seen: dict[str, int] = {}
    gains = []
    for covers in documents:
        gains.append(sum((1 - alpha) ** seen.get(s, 0) for s in covers))
        for s in covers:
            seen[s] = seen.get(s, 0) + 1
    return gains


def greedy(pool: list[set[str]], alpha: float) -> list[set[str]]:
    left, chosen = [d for d in pool if d], list[set[str]]()
    while left:
        best = max(left, key=lambda d: novelty([*chosen, d], alpha)[-1])
        chosen.append(best)
        left.remove(best)
    return chosen


def alpha_ndcg(c: Subtopics, v: Variant) -> float | None:
    ideal = dcg_of(novelty(greedy(c.pool, v["alpha"]), v["alpha"]), v.k)
    return dcg_of(novelty(c.ranking, v["alpha"]), v.k) / ideal if ideal else None


def over_ranks(gains: list[float]) -> float:
    return sum(g / rank for rank, g in enumerate(gains, 1))


def err_ia(c: Subtopics, v: Variant) -> float | None:
    number = len(set().union(*c.pool)) if c.pool else 0
    most = number * over_ranks([(1 - v["alpha"]) ** i for i in range(v.k or 0)])
    return over_ranks(novelty(c.ranking, v["alpha"])[: v.k]) / most if number else None


def nerr_ia(c: Subtopics, v: Variant) -> float | None:
    ideal = over_ranks(novelty(greedy(c.pool, v["alpha"]), v["alpha"])[: v.k])
    return over_ranks(novelty(c.ranking, v["alpha"])[: v.k]) / ideal if ideal else None


def strecall(c: Subtopics, v: Variant) -> float | None:
    known = set().union(*c.pool) if c.pool else set()
    return len(set().union(*c.ranking[: v.k])) / len(known) if known else None


REFERENCES: dict[str, Callable[[Case, Variant], float | None]] = {
    "11pt": eleven_point,
    "AP": ap,
    "AvgPos": avgpos,
    "BinG": bing,
    "Bpref": bpref,
    "Compat": compat,
    "DCG": dcg,
    "ERR": err,
    "F": f,
    "G": g_measure,
    "GMAP": ap,
    "GMBpref": bpref,
    "GradeShare": grade_share,
    "INST": inst,
    "IPrec": iprec,
    "InTop": intop,
    "Judged": judged,
    "MinPos": lambda c, v: min(hit_ranks(c, v), default=None),
    "NumNonrelJudgedRet": lambda c, v: sum(c.judged(g) and not hit(g, v) for g in c.ranking),
    "NumQ": lambda c, v: 1.0,
    "NumRel": relevant,
    "NumRelRet": lambda c, v: len(hit_ranks(c, v)),
    "NumRet": lambda c, v: len(c.ranking),
    "P": p,
    "R": r,
    "RBP": rbp,
    "RBPres": rbpres,
    "RR": rr,
    "RelP": r,
    "RelString": lambda c, v: len(c.ranking[: v.k]),
    "Rndcg": rndcg,
    "Rprec": rprec,
    "RprecMult": rprec,
    "RunID": lambda c, v: float(c.in_run),
    "SetAP": setap,
    "SetF": f,
    "SetP": setp,
    "SetR": setr,
    "SetRelP": setrelp,
    "Success": success,
    "Unjudged": judged,
    "Utility": utility,
    "YAAP": yaap,
    "infAP": infap,
    "nDCG": ndcg,
    "nDCGrel": ndcg_rel,
    "nERR": nerr,
}

DIVERSITY: dict[str, Callable[[Subtopics, Variant], float | None]] = {
    "ERR_IA": err_ia,
    "StRecall": strecall,
    "alpha_nDCG": alpha_ndcg,
    "nERR_IA": nerr_ia,
}
