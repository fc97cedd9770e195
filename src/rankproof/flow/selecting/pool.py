"""Pool: the pairs that are to be judged, in their order, and how many people are to grade each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.calls import read_call
from rankproof.flow.selecting.words import Pair
from rankproof.records.assignment import Assignment
from rankproof.records.project import Project
from rankproof.selections._contract import Material, Selection


@dataclass(frozen=True, eq=False)
class Pool:
    """What is to be judged.

    pairs      every pair, gold questions last
    wanted     for each pair, how many people are to grade it
    shared     places of the pairs that anybody may take, in the order of asking
    personal   places of the pairs that a judge is asked by name
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


def selected(project: Project, material: Material, gold: Iterable[Pair] = ()) -> Pool:
    """The pool that the project's selection picks."""
    asked = read_call("selections", project.selection)
    item: Selection = asked.item
    known = _asked_gold(project, gold)
    chosen = [one for one in item.select(material, asked.values) if one.pair not in known]
    pairs = [one.pair for one in chosen]
    return Pool(
        (*pairs, *known),
        (*(one.wanted or project.wanted for one in chosen), *(0 for _ in known)),
        range(len(pairs)),
        gold=range(len(pairs), len(pairs) + len(known)),
        share=project.gold,
        by=item.by,
        together=project.wanted,
        follows=item.follows,
    )


def assigned(project: Project, assignments: Iterable[Assignment], gold: Iterable[Pair] = ()) -> Pool:
    """The pool of pairs that were handed out: those for anybody, and those for judges by name, by place."""
    known = _asked_gold(project, gold)
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
    return Pool(
        (*place, *known),
        (*wanted, *(0 for _ in known)),
        tuple(shared),
        {judge: tuple(mine) for judge, mine in personal.items()},
        range(len(place), len(place) + len(known)),
        project.gold,
        by="weight",
        together=project.wanted,
    )


def _asked_gold(project: Project, gold: Iterable[Pair]) -> dict[Pair, None]:
    """Gold questions, each once; none where none are to be asked."""
    return dict.fromkeys(gold) if project.gold > 0 else {}
