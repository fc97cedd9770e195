"""Puts the scores of a ranking on a common scale; no document moves.

minmax   from 0 for the last to 1 for the first
zscore   mean 0, standard deviation 1 (that of these documents, not an estimate of another)
sum      0 for the last, and 1 for all together
rank     1 for the first, 1/n less for each below it: the scores are forgotten

Where all scores are alike, minmax gives 1 to all, sum gives equal parts, zscore gives 0. Scores are compared within
a query: a normalized score says nothing across queries. Ties stay ties, except by rank.

assumes: nothing
source: Montague and Aslam, Relevance Score Normalization for Metasearch, CIKM 2001 (there: Standard, ZMUV and Sum);
    rank: Renda and Straccia, Web Metasearch: Rank vs. Score Based Rank Aggregation Methods, SAC 2003

>>> from rankproof.testing import passed
>>> passed("normalize", {"a": 9.0, "b": 5.0, "c": 1.0})
{'a': 1.0, 'b': 0.5, 'c': 0.0}
>>> passed("normalize", {"a": 9.0, "b": 5.0, "c": 1.0}, method="zscore")
{'a': 1.2247, 'b': 0.0, 'c': -1.2247}
>>> passed("normalize", {"a": 9.0, "b": 5.0, "c": 1.0}, method="sum")
{'a': 0.6667, 'b': 0.3333, 'c': 0.0}
>>> passed("normalize", {"a": 9.0, "b": 8.0}, method="rank")
{'a': 1.0, 'b': 0.5}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages._scores import by_rank, minmax, total, zscore
from rankproof.stack.stages.contract import Stage

METHODS = {"minmax": minmax, "zscore": zscore, "sum": total, "rank": by_rank}


class _Normalize:
    identity: ClassVar[Mapping[str, str]] = {}

    def __init__(self, values: Values, ground: Ground) -> None:
        self.scale = METHODS[values["method"]]

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        return [Passed(Ranking(ranking.doc_ids, self.scale(ranking.scores))) for (ranking,) in rankings]


OFFERS = (
    Stage(
        name="normalize",
        page=__doc__,
        params=(Param("method", Choice(tuple(METHODS)), "minmax", "the scale"),),
        open=_Normalize,
        keeps="set",
    ),
)
