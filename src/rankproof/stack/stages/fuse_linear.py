"""Weighted sum of scores, each ranking's put on a common scale first.

The scale is that of `normalize`: minmax from 0 to 1, or zscore. A document that a pipeline does not have counts as
the least it could say: 0 with minmax, the score of the last document with zscore. (As 0 it would count as average
there, above documents that were found.) A ranking without documents says nothing. All documents that flow in come out;
ties go by document id, descending.

The deeper the rankings, the lower their last score, and with it the scale: fuse rankings of one depth.

assumes: document ids mean the same in all pipelines
source: Fox and Shaw, Combination of Multiple Searches, TREC-2, 1993 (CombSUM); with weights and a common scale:
    Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, ACM TOIS 42(1), 2023

The first has a 1, b 0.5, c 0; the second has b 1, d 0. b gets 0.5 + 1, and c and d tie:

>>> from rankproof.testing import passed
>>> passed("fuse_linear", {"a": 9.0, "b": 5.0, "c": 1.0}, {"b": 0.8, "d": 0.2})
{'b': 1.5, 'a': 1.0, 'd': 0.0, 'c': 0.0}
>>> passed("fuse_linear", {"a": 9.0, "b": 5.0, "c": 1.0}, {"b": 0.8, "d": 0.2}, weights=[0.9, 0.1])
{'a': 0.9, 'b': 0.55, 'd': 0.0, 'c': 0.0}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages._scores import WEIGHTS, minmax, misfit, summed, weights_for, zscore
from rankproof.stack.stages.contract import Stage


class _LinearFusion:
    identity: ClassVar[Mapping[str, str]] = {}

    def __init__(self, values: Values, ground: Ground) -> None:
        self.values = values

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        return [Passed(self._fused(several)) for several in rankings]

    def _fused(self, several: Sequence[Ranking]) -> Ranking:
        weights = weights_for(self.values, len(several))
        return summed([self._scores(*each) for each in zip(several, weights, strict=True)])

    def _scores(self, ranking: Ranking, weight: float) -> tuple[dict[str, float], float]:
        """The scores that one ranking gives its documents, and the score of all others."""
        if self.values["normalize"] == "minmax":
            parts, least = weight * minmax(ranking.scores), 0.0
        else:
            parts = weight * zscore(ranking.scores)
            least = float(parts[-1]) if len(parts) else 0.0
        return dict(zip(ranking.doc_ids, parts.tolist(), strict=True)), least


OFFERS = (
    Stage(
        name="fuse_linear",
        page=__doc__,
        params=(WEIGHTS, Param("normalize", Choice(("minmax", "zscore")), "minmax", "the common scale")),
        open=_LinearFusion,
        takes="many",
        misfit=misfit,
    ),
)
