"""The first documents of every run, for every query.

Pooling as TREC does it: the union of the first `depth` documents of all runs, query by query. What a measure with that
cutoff looks at is then judged in full, so runs can be compared without holes down to that rank. The weight of a pair is
the share of runs that have it there. With `pairs`, the best ranks of all queries are kept, so that no query goes
without.

assumes: the runs are different enough to find most of what is relevant; a run that was not pooled may look worse
source: Spärck Jones and van Rijsbergen, Report on the need for and provision of an ideal information retrieval test
    collection, British Library Research and Development Report 5266, 1975; Voorhees and Harman (eds.), TREC, 2005

>>> from rankproof.testing.judging import chosen
>>> runs = {"a": {"q1": "x y z", "q2": "u v"}, "b": {"q1": "y w x"}}
>>> chosen("depth_pool(depth=2)", runs)
[('q1', 'x', 0.5), ('q1', 'y', 1.0), ('q1', 'w', 0.5), ('q2', 'u', 0.5), ('q2', 'v', 0.5)]
>>> chosen("depth_pool(depth=2, pairs=3)", runs)
[('q1', 'x', 0.5), ('q1', 'y', 1.0), ('q2', 'u', 0.5)]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rankproof.judging.selections.contract import (
    PAIRS,
    Material,
    SelectedPair,
    Selection,
    Values,
    best_ranks,
    query_places,
)
from rankproof.kernel.specs.kinds import Param, Whole


def select(material: Material, values: Values) -> Sequence[SelectedPair]:
    """The pool, query by query, the best ranks first."""
    depth, runs = values["depth"], material.runs
    best, place = best_ranks(runs, depth), query_places(runs)
    pool = sorted(best, key=lambda pair: (place[pair[0]], best[pair], pair[1]))
    if values["pairs"] is not None and len(pool) > values["pairs"]:
        nearest = set(sorted(pool, key=lambda pair: (best[pair], place[pair[0]], pair[1]))[: values["pairs"]])
        pool = [pair for pair in pool if pair in nearest]
    showings = Counter((q, doc) for ranked in runs.values() for q, docs in ranked.items() for doc in docs[:depth])
    return [SelectedPair(*pair, showings[pair] / len(runs)) for pair in pool]


OFFERS = (
    Selection(
        name="depth_pool",
        page=__doc__,
        select=select,
        params=(Param("depth", Whole(), 10, "how many documents of each ranking"), PAIRS),
        by="query",
    ),
)
