"""Reciprocal rank fusion: each pipeline gives a document weight / (k + rank), and these are added up.

Only ranks count, so scores of different kinds need no common scale. A pipeline that does not have a document gives it
nothing. A greater k makes the first ranks less different from the ones below. All documents that flow in come out; ties
go by document id, descending.

assumes: document ids mean the same in all pipelines
source: Cormack, Clarke and Buettcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
    Methods, SIGIR 2009, where k is 60; it has no weights

b has 1/62 + 1/61 = 0.0325, c has 1/62 and a has 1/61:

>>> from rankproof.testing import passed
>>> passed("fuse_rrf", ["a", "b"], ["b", "c"])
{'b': 0.0325, 'a': 0.0164, 'c': 0.0161}

With k = 1 and weights 3 and 1, a has 3/2 and b has 3/3 + 1/2, a tie:

>>> passed("fuse_rrf", ["a", "b"], ["b", "c"], k=1, weights=[3, 1])
{'b': 1.5, 'a': 1.5, 'c': 0.3333}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages._scores import WEIGHTS, misfit, summed, weights_for
from rankproof.stack.stages.contract import Stage


class _ReciprocalRankFusion:
    identity: ClassVar[Mapping[str, str]] = {}

    def __init__(self, values: Values, ground: Ground) -> None:
        self.values = values

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        return [Passed(self._fused(several)) for several in rankings]

    def _fused(self, several: Sequence[Ranking]) -> Ranking:
        k = self.values["k"]
        weights = weights_for(self.values, len(several))
        return summed(
            [
                ({doc: weight / (k + rank) for rank, doc in enumerate(ranking.doc_ids, 1)}, 0.0)
                for ranking, weight in zip(several, weights, strict=True)
            ]
        )


OFFERS = (
    Stage(
        name="fuse_rrf",
        page=__doc__,
        params=(Param("k", Number(low=0), 60.0, "what is added to every rank"), WEIGHTS),
        open=_ReciprocalRankFusion,
        takes="many",
        misfit=misfit,
    ),
)
