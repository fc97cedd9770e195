"""Documents around rank k: small changes of a ranking move them in or out of the first k.

P@k, Success@k and every other measure of the first k hang on who stands at the edge. A document counts in each run by
how near it stands to the edge between ranks k and k+1: ranks k and k+1 the most, those `within` ranks or more away
not at all. The weight is the mean over the runs.

assumes: the documents further up are judged already, or are not in question
source: rankproof's own; that measures of the first k change only where a document crosses the edge is their definition

Distances from the edge after rank 2 are 1/2, 3/2, 5/2, ...; within 2 ranks, they count 3/4, 1/4 and 0:

>>> from rankproof.testing.judging import chosen
>>> chosen("near_cutoff(k=2, within=2)", {"a": {"q1": "x y z u v"}, "b": {"q1": "x z y u v"}})
[('q1', 'y', 0.75), ('q1', 'z', 0.75), ('q1', 'x', 0.25), ('q1', 'u', 0.25)]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rankproof.judging.selections.contract import PAIRS, Material, SelectedPair, Selection, Values, heaviest
from rankproof.kernel.specs.kinds import Param, Whole


def select(material: Material, values: Values) -> Sequence[SelectedPair]:
    """The nearest to the edge first."""
    k, within, runs = values["k"], values["within"], material.runs
    first = max(1, k - within + 1)
    # Halves are exact: the sum does not depend on the order of the runs.
    near: defaultdict[tuple[str, str], float] = defaultdict(float)
    for ranked in runs.values():
        for query, docs in ranked.items():
            for rank, doc in enumerate(docs[first - 1 : k + within], first):
                near[query, doc] += within - abs(rank - k - 0.5)
    selected = (SelectedPair(*pair, total / within / len(runs)) for pair, total in near.items())
    return heaviest(selected, runs, values["pairs"])


OFFERS = (
    Selection(
        name="near_cutoff",
        page=__doc__,
        select=select,
        params=(
            Param("k", Whole(), 10, "the cutoff of the measure"),
            Param("within", Whole(), 5, "how many ranks on either side of the edge"),
            PAIRS,
        ),
    ),
)
