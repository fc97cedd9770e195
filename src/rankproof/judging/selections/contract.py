"""What an item on the selections shelf is: Selection, which puts pairs in the order of judging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankproof.judging.records import Judgment
from rankproof.kernel.specs.kinds import Param, Whole

# The documents of each query, best first.
Rankings = Mapping[str, Sequence[str]]
# What a judgment of a pair that has too few is expected to settle between two runs or more; the first is the baseline.
Worths = Callable[[Sequence[str], str], Mapping[tuple[str, str], float]]


@dataclass(frozen=True, slots=True)
class SelectedPair:
    """A pair to judge.

    weight   how much is expected of it, in the selection's own terms; greater is more
    wanted   how many people should grade it; 0 leaves that to the project
    """

    query_id: str
    doc_id: str
    weight: float
    wanted: int = 0

    @property
    def pair(self) -> tuple[str, str]:
        """The pair alone."""
        return self.query_id, self.doc_id


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What a selection looks at.

    runs        rankings by the name of the run, in the order the runs were added
    judgments   those that hold, of people and models: one of each judge for a pair at most
    worths      asks for the worth of pairs in a comparison of runs, by a measure; see judging/rounds/pool.py
    """

    runs: Mapping[str, Rankings]
    judgments: Sequence[Judgment]
    worths: Worths


# The values of an item's parameters by name, as its parameters read them.
Values = Mapping[str, Any]
# The same material and values give the same pairs in the same order, each pair once.
Select = Callable[[Material, Values], Sequence[SelectedPair]]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """One item of the shelf. `page` is the module's docstring: what it picks, when to use it, source, example.

    by        "query": pairs matter alike, so that judges may take them query by query; "weight": the first matter most
    follows   whether judgments change it: then it is computed again as they come in
    """

    name: str
    page: str
    select: Select
    params: tuple[Param, ...] = ()
    by: Literal["query", "weight"] = "weight"
    follows: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]


PAIRS = Param("pairs", Whole(), None, "how many pairs at most")


def query_places(runs: Mapping[str, Rankings]) -> dict[str, int]:
    """Where each query stands, in the order the runs have them."""
    return {query: i for i, query in enumerate(dict.fromkeys(q for ranked in runs.values() for q in ranked))}


def best_ranks(runs: Mapping[str, Rankings], depth: int | None = None) -> dict[tuple[str, str], int]:
    """The best rank of each pair over the runs, from 1; pairs below `depth` everywhere are left out."""
    best: dict[tuple[str, str], int] = {}
    for ranked in runs.values():
        for query, docs in ranked.items():
            for rank, doc in enumerate(docs[:depth], 1):
                pair = (query, doc)
                if rank < best.get(pair, rank + 1):
                    best[pair] = rank
    return best


def heaviest(chosen: Iterable[SelectedPair], runs: Mapping[str, Rankings], pairs: int | None) -> list[SelectedPair]:
    """The pairs by weight; of equal weight, the best rank over the runs first, then the order of the queries."""
    best, place = best_ranks(runs), query_places(runs)
    last = len(best) + 1
    ordered = sorted(
        chosen,
        key=lambda c: (-c.weight, best.get(c.pair, last), place.get(c.query_id, last), c.query_id, c.doc_id),
    )
    return ordered[:pairs]
