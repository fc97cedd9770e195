"""The pairs to be judged, in their order for each judge, from runs and judgments in force.

Judges who see the same documents in the same order tire, learn and anchor alike, and their agreement says too much.
Judges who take turns at one query cost that query a consistent hand. So
  * where pairs matter alike, the documents of a query come together, shuffled for each judge, which hides their ranks
    too. As many judges as a pair needs go through the queries together, the next as many in another order;
  * where the first pairs matter most, pairs are shuffled in windows: nobody leaves the order by more than a window.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import ceil, floor
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.judging.adjudicate import adjudicate
from rankproof.judging.records import Assignment, Judgment, Project, Scale
from rankproof.judging.rounds.progress import Pair
from rankproof.judging.selections.contract import Material, Rankings, Selection
from rankproof.kernel.specs.calls import read_configured


@dataclass(frozen=True, eq=False)
class JudgingPool:
    """What is to be judged.

    pairs      every pair, gold questions last
    wanted     for each pair, how many people are to grade it
    shared     places of the pairs that anybody may take, in the order of asking
    personal   places of the pairs assigned to a judge by name
    gold       places of the questions whose answer is known
    share      of the questions that are gold
    by         whether `shared` goes query by query or by weight
    together   judges who go through the queries together
    follows    whether judgments change it
    """

    pairs: tuple[Pair, ...]
    wanted: tuple[int, ...]
    shared: Sequence[int]
    personal: Mapping[str, Sequence[int]] = field(default_factory=dict)
    gold: Sequence[int] = ()
    share: float = 0.0
    by: Literal["query", "weight"] = "query"
    together: int = 1
    follows: bool = False

    @cached_property
    def queries(self) -> NDArray[np.int64]:
        """For each pair that anybody may take, the number of its query, in the order of asking."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(self.pairs[i][0], len(numbers)) for i in self.shared], dtype=np.int64)


def selected(project: Project, material: Material, gold: Iterable[Pair] = ()) -> JudgingPool:
    """The pool that the project's selection picks."""
    selection = read_configured("selections", project.selection)
    item: Selection = selection.item
    known = _gold_questions(project, gold)
    chosen = [one for one in item.select(material, selection.values) if one.pair not in known]
    pairs = [one.pair for one in chosen]
    return JudgingPool(
        (*pairs, *known),
        (*(one.wanted or project.wanted for one in chosen), *(0 for _ in known)),
        range(len(pairs)),
        gold=range(len(pairs), len(pairs) + len(known)),
        share=project.gold,
        by=item.by,
        together=project.wanted,
        follows=item.follows,
    )


def assigned(project: Project, assignments: Iterable[Assignment], gold: Iterable[Pair] = ()) -> JudgingPool:
    """The pool of pairs that were handed out: those for anybody, and those for judges by name, by place."""
    known = _gold_questions(project, gold)
    place: dict[Pair, int] = {}
    wanted: list[int] = []
    shared: dict[int, None] = {}
    personal: dict[str, dict[int, None]] = {}
    for one in sorted(assignments, key=lambda a: a.place):
        pair = (one.query_id, one.doc_id)
        if pair in known:
            continue
        i = place.setdefault(pair, len(place))
        if i == len(wanted):
            wanted.append(0)
        mine = personal.setdefault(one.judge, {}) if one.judge else shared
        if i not in mine:
            mine[i] = None
            wanted[i] += 1 if one.judge else project.wanted
    return JudgingPool(
        (*place, *known),
        (*wanted, *(0 for _ in known)),
        tuple(shared),
        {judge: tuple(mine) for judge, mine in personal.items()},
        range(len(place), len(place) + len(known)),
        project.gold,
        by="weight",
        together=project.wanted,
    )


def _gold_questions(project: Project, gold: Iterable[Pair]) -> dict[Pair, None]:
    """Gold questions, each once; none where the share of gold questions is 0."""
    return dict.fromkeys(gold) if project.gold > 0 else {}


def material_of(runs: Mapping[str, Rankings], judgments: Sequence[Judgment], scale: Scale, wanted: int = 1) -> Material:
    """What a selection sees: what judges gave alone. A pair counts as judged once `wanted` people have graded it."""
    alone = [act for act in judgments if not act.settles]

    def worths(names: Sequence[str], measure: str) -> dict[tuple[str, str], float]:
        return _worths([runs[name] for name in names], alone, scale, wanted, measure)

    return Material(runs, alone, worths)


def _worths(
    runs: Sequence[Rankings], judgments: Sequence[Judgment], scale: Scale, wanted: int, measure: str
) -> dict[tuple[str, str], float]:
    from rankproof.proving.next import propose

    graded = [act for act in judgments if act.grade is not None and act.source.kind == "person"]
    many = Counter((act.query_id, act.doc_id) for act in graded)
    enough = [act for act in graded if many[act.query_id, act.doc_id] >= wanted]
    # A query without judgments is there too: without it none of its documents would ever be selected.
    qrels: dict[str, dict[str, int]] = {query: {} for ranked in runs for query in ranked}
    for pair in adjudicate(enough, scale, "majority(ties='lower')").pairs:
        if pair.grade is not None:
            qrels.setdefault(pair.query_id, {})[pair.doc_id] = pair.grade
    given = [{query: list(docs) for query, docs in ranked.items()} for ranked in runs]
    proposal = propose(qrels, given, measure, None, top_grade=max(0, *scale.grades))
    return {(one.query_id, one.doc_id): one.worth for one in proposal.wanted}


WINDOW = 20


def rng_of(*parts: object) -> np.random.Generator:
    """A generator that depends on these parts and on nothing else."""
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return np.random.default_rng(int.from_bytes(sha256(text).digest()[:16], "big"))


def order_of(pool: JudgingPool, judge: str, arrival: int, seed: int = 0) -> NDArray[np.int64]:
    """The pairs that anybody may take, as places in the pool, in this judge's order; `arrival` counts judges from 0."""
    shared = np.array(pool.shared, dtype=np.int64)
    if pool.by == "query":
        group, company = pool.queries, arrival // pool.together
        if company and len(group):
            group = rng_of(seed, "queries", company).permutation(int(group.max()) + 1)[group]
    else:
        group = np.arange(len(shared)) // WINDOW
    turn = rng_of(seed, "judge", judge).random(len(shared))
    mine: NDArray[np.int64] = shared[np.lexsort((turn, group))]
    return mine


def turn_of(seed: int, judge: str, pair: tuple[str, str]) -> bytes:
    """Where a document stands when a judge sees all of its query: by this, which tells nothing of its rank."""
    return sha256("\0".join((str(seed), judge, *pair)).encode("utf-8", "surrogatepass")).digest()


def is_gold_turn(share: float, judge: str, number: int, seed: int = 0) -> bool:
    """Whether the question with this number, from 0, is gold: one of every 1/share questions, nobody knows which.

    Questions are cut into stretches of 1/share; in each, one is drawn at random. So the share holds for every judge,
    not only in the mean, and the gold questions do not come at a beat that could be learned.
    """
    if share <= 0:
        return False
    exact = _exact(share)
    first, turn = _gold_of(exact, judge, floor(number * exact), seed)
    return number == first + turn


def gold_among(share: float, judge: str, plain: int, gold: int, seed: int = 0) -> int:
    """How many of `gold` gold questions come up until `plain` others are asked."""
    if share <= 0 or not gold:
        return 0
    exact = _exact(share)
    if exact == 1:
        return gold
    # The last stretch that is begun: the ones before it have one gold question each, and others else.
    stretch = floor(plain * exact / (1 - exact)) + 2
    while stretch > 0 and ceil(stretch / exact) - stretch > plain:
        stretch -= 1
    first, turn = _gold_of(exact, judge, stretch, seed)
    return min(gold, stretch + (turn <= plain - (first - stretch)))


def _exact(share: float) -> Fraction:
    return Fraction(share).limit_denominator(1000) or Fraction(1, 1000)


def _gold_of(exact: Fraction, judge: str, stretch: int, seed: int) -> tuple[int, int]:
    """The number of the first question of a stretch, and how many come before its gold one."""
    first, after = ceil(stretch / exact), ceil((stretch + 1) / exact)
    return first, int(rng_of(seed, "gold", judge, stretch).integers(after - first))


def gold_order(places: range | tuple[int, ...] | list[int], judge: str, seed: int = 0) -> list[int]:
    """The gold questions in the order of a judge."""
    turn = rng_of(seed, "gold order", judge).permutation(len(places))
    return [places[int(i)] for i in turn]
