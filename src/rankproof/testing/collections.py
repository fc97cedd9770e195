"""Random small collections for hypothesis: judgments and a run, with ties, gaps and strays on request.

For tests that compare two implementations. Needs hypothesis, and is imported on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

# Ids whose order by bytes is neither their order by number nor by length; one is no ASCII.
DOCS = ("d1", "d10", "d2", "d9", "D3", "e", "é", "z01", "z1", "0", "q", "1")

# Few values, so that ties are frequent; the second is a tie with the first only for 32-bit floats.
SCORES = (1.0, 1.0 + 2**-40, 0.5, 2.0, 7.25, -1.5, 0.0, 1e-3, 3e5)


@dataclass(frozen=True, slots=True)
class CollectionKind:
    """What a random collection may hold.

    grades     grades that judgments may have
    ties       whether two documents of a query may have one score
    missing    whether the run may lack judged queries
    strays     whether the run may have queries that nobody judged
    relevant   whether every judged query has a document with a grade above 0
    contrast   whether every judged query also has a document judged with 0 or less
    least      fewest documents that the run has for a query
    unjudged   whether a query may have grades below 0 only (pytrec_eval's bpref crashes there)
    """

    grades: Sequence[int] = (-1, 0, 0, 1, 1, 2, 3)
    ties: bool = True
    missing: bool = True
    strays: bool = True
    relevant: bool = False
    contrast: bool = False
    least: int = 1
    unjudged: bool = True


QUERIES = ("1", "2", "3", "4")


def collections(kind: CollectionKind) -> st.SearchStrategy[tuple[Qrels, Run]]:
    """Pairs of qrels and a run that share at least one query."""

    @st.composite
    def pair(draw: st.DrawFn) -> tuple[Qrels, Run]:
        judged = draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True))
        answered = draw(st.lists(st.sampled_from(judged), min_size=1, unique=True)) if kind.missing else judged
        strays = draw(st.sampled_from([[], ["77"]])) if kind.strays else []
        qrels = {query: draw(grades(kind)) for query in judged}
        run = {query: draw(scores(kind)) for query in [*strays, *answered]}
        return qrels, run

    return pair()


def grades(kind: CollectionKind) -> st.SearchStrategy[dict[str, int]]:
    """The judgments of one query."""
    drawn = st.dictionaries(st.sampled_from(DOCS), st.sampled_from(kind.grades), min_size=1, max_size=8)
    # Documents of their own make sure of what the kind promises, without throwing draws away.
    sure = {**({"e": 2} if kind.relevant else {}), **({"q": 0} if kind.contrast else {})}
    if kind.unjudged:
        return drawn.map(lambda judged: {**judged, **sure})
    return drawn.map(lambda judged: {**judged, **sure, **({} if max(judged.values()) >= 0 else {"q": 0})})


def scores(kind: CollectionKind) -> st.SearchStrategy[dict[str, float]]:
    """The ranking of one query, in any order of rows."""
    if kind.ties:
        return st.dictionaries(st.sampled_from(DOCS), st.sampled_from(SCORES), min_size=kind.least, max_size=len(DOCS))
    ids = st.lists(st.sampled_from(DOCS), min_size=kind.least, max_size=len(DOCS), unique=True)
    return st.tuples(ids, st.permutations(range(len(DOCS)))).map(
        lambda drawn: dict(zip(drawn[0], (float(score) for score in drawn[1]), strict=False))
    )
