"""Plain references of the measures that look at subtopics."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.measuring.measures.plain_gain import dcg_of

from rankproof.measuring.measures.contract import Variant


@dataclass(frozen=True)
class Subtopics:
    """One query of a diversity collection: subtopics covered by each rank's document, and by each judged one.

    `pool` goes by document id descending, which is how equally good documents of the ideal are chosen.
    """

    ranking: list[set[str]]
    pool: list[set[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Nuggets:
    """One query: the grades of nuggets in each rank's document, and in each judged one."""

    ranking: list[dict[str, int]]
    pool: list[dict[str, int]]


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


def all_strecall(c: Subtopics, v: Variant) -> float | None:
    recall = strecall(c, v)
    return None if recall is None else float(recall == 1.0)


def nugget_recall(c: Nuggets, v: Variant) -> float | None:
    names = {name for doc in c.pool for name, grade in doc.items() if grade > 0}
    part = 0.0 if v["strict"] else 0.5
    held = whole = 0.0
    for name in names:
        vital = max(doc.get(name, 0) for doc in c.pool) >= 3
        weight = 1.0 if vital else {"all": 1.0, "vital": 0.0, "weighted": 0.5}[v["score"]]
        support = [{1: part, 2: 1.0, 3: part, 4: 1.0}.get(doc.get(name, 0), 0.0) for doc in c.ranking[: v.k]]
        held, whole = held + weight * max(support, default=0.0), whole + weight
    return held / whole if whole else None
