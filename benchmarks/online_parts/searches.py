"""Searches of dl20: what seven real systems show for its queries, and how attractive each result is to users.

A result of grade 0, 1, 2 or 3 has the attractiveness of the first, second, third or last quarter of the log's results,
in one of three ways:

    by grade   the mean of the quarter
    own        one of the quarter's values, drawn once for each result
    noisy      half of the results have one of the quarter's values, the others one of any result, whatever its grade

Unjudged results have grade 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
from benchmarks.online_parts.users import DEPTH, Floats, Users
from numpy.typing import NDArray

from rankproof.measuring.evaluate import prepare
from rankproof.measuring.run_sources import listed

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
APPEALS = ("by grade", "own", "noisy")
# Differences in nDCG@10 that offline evaluation shows and a trial is asked about.
LEAST, MOST = 0.02, 0.10
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Pair:
    """Two systems; `better` has the higher nDCG@10."""

    worse: str
    better: str
    difference: float


class Searches:
    """What systems show, down to ten. A result is a document that some of them show for a query.

    values    nDCG@10 of each system
    ranked    by system and query, the ids of the results
    results   the number of each result, by query and document
    grades    of results
    """

    def __init__(self, folder: Path = DATA / "dl20") -> None:
        judged = prepare(str(folder / "qrels.trec"))
        start, ids, grades = judged.pool.start.tolist(), judged.judgments.doc_ids(), judged.pool.grade.tolist()
        self.queries: list[str] = list(judged.query_ids)
        prepared = {path.stem: judged.prepare(str(path)) for path in sorted((folder / "runs").glob("*.run"))}
        self.values = {name: judged.evaluate(run, "nDCG@10")["nDCG@10"].mean for name, run in prepared.items()}
        self.ranked = {name: listed(run, DEPTH, queries=self.queries) for name, run in prepared.items()}
        assert all(len(ranked[query]) == DEPTH for ranked in self.ranked.values() for query in self.queries)
        every = [
            (query, doc)
            for query in self.queries
            for doc in sorted({doc for ranked in self.ranked.values() for doc in ranked[query]})
        ]
        self.results = {result: at for at, result in enumerate(every)}
        known = {
            (query, doc): grade
            for i, query in enumerate(self.queries)
            for doc, grade in zip(ids[start[i] : start[i + 1]], grades[start[i] : start[i + 1]], strict=True)
        }
        self.grades = [known.get(result, 0) for result in every]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Those that differ by neither too little nor too much, the smallest difference first."""
        every = [sorted(pair, key=self.values.__getitem__) for pair in combinations(self.values, 2)]
        found = [Pair(worse, better, self.values[better] - self.values[worse]) for worse, better in every]
        return sorted((pair for pair in found if LEAST <= pair.difference <= MOST), key=lambda pair: pair.difference)

    def shown(self, system: str) -> Numbers:
        """Queries x ranks: the results of a system."""
        ranked = self.ranked[system]
        return np.array([[self.results[query, doc] for doc in ranked[query]] for query in self.queries])

    def attraction(self, users: Users, appeal: str, rng: np.random.Generator) -> Floats:
        """How attractive each result is to the users."""
        anything = np.concatenate(users.appeals)
        found = []
        for grade in self.grades:
            values = users.appeals[grade]
            if appeal == "by grade":
                found.append(values.mean())
                continue
            if appeal == "noisy" and rng.random() < 0.5:
                values = anything
            found.append(rng.choice(values))
        return np.array(found)
