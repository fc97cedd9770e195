"""Keeps the first documents of a ranking and drops the rest.

What an engine is asked for is said elsewhere; this says what goes on from here: how much a fusion sees of each
ranking, how much a rerank can reach.

assumes: nothing
source: the depth of a run, as in every TREC track

>>> from rankproof.testing import passed
>>> passed("cutoff", {"a": 3.0, "b": 2.0, "c": 1.0}, depth=2)
{'a': 3.0, 'b': 2.0}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rankproof.kernel.specs.kinds import REQUIRED, Param, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages.contract import Stage


class _Cutoff:
    identity: ClassVar[Mapping[str, str]] = {}

    def __init__(self, values: Values, ground: Ground) -> None:
        self.depth: int = values["depth"]

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        d = self.depth
        return [Passed(Ranking(ranking.doc_ids[:d], ranking.scores[:d])) for (ranking,) in rankings]


OFFERS = (
    Stage(
        name="cutoff",
        page=__doc__,
        params=(Param("depth", Whole(), REQUIRED, "how many documents stay"),),
        open=_Cutoff,
        keeps="head",
    ),
)
