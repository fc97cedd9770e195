"""Whole experiments with drawn users, of the size that was computed: do they come to the decision as often as planned?

Everything that was computed is drawn here: queries, lists, clicks. The decision is rankproof's own: `preferred` for
interleaved lists, `estimate` for the two groups of an A/B trial.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from benchmarks.online_parts.needed import Size
from benchmarks.online_parts.searches import Numbers, Pair, Searches
from benchmarks.online_parts.users import DEPTH, Floats, Users
from benchmarks.simulation.worlds import Rate

from rankproof.kernel.estimate import Estimate
from rankproof.online.clicks.simulate import draw_clicks
from rankproof.online.impressions import Flags, Impressions
from rankproof.online.interleaving.preference import preferred
from rankproof.online.interleaving.read import credit_clicks
from rankproof.online.interleaving.records import ClickedDocument, InterleavedList
from rankproof.online.interleaving.show import interleave
from rankproof.online.trial.estimate import estimate
from rankproof.online.trial.moments import Moments, moments_of
from rankproof.online.trial.records import Metric

ALPHA = 0.05


class Crowd:
    """Users who come with queries, see pages and click."""

    def __init__(self, searches: Searches, users: Users, attraction: Floats, rng: np.random.Generator) -> None:
        self.searches, self.users, self.attraction, self.rng = searches, users, attraction, rng
        self.ids = tuple(f"{query} {doc}" for query, doc in searches.results)

    def queries(self, sessions: int) -> Numbers:
        """A query for each session."""
        return self.rng.integers(len(self.searches.queries), size=sessions)

    def clicks(self, queries: Numbers, results: Numbers) -> Flags:
        """Sessions x ranks: what is clicked of the results that are shown."""
        nothing = np.zeros(results.shape, dtype=np.bool_)
        lengths = np.full(len(results), DEPTH)
        pages = Impressions.of(tuple(self.searches.queries), self.ids, queries, results, lengths, nothing)
        return draw_clicks(self.users.model(self.attraction[pages.pairs.docs]), pages, self.rng).clicks


def trials(crowd: Crowd, pair: Pair, metric: str, size: Size, many: int) -> Rate:
    """How often an A/B trial decides for the better system."""
    each = math.ceil(float(size.sessions[0]) / 2)
    hits = 0
    for _ in range(many):
        control, treatment = (_group(crowd, system, metric, each) for system in (pair.worse, pair.better))
        hits += decided(estimate(control, treatment, Metric(metric)))
    return Rate(hits, many)


def _group(crowd: Crowd, system: str, metric: str, sessions: int) -> Moments:
    """The sessions that see the pages of one system."""
    queries = crowd.queries(sessions)
    return moments_of(counted(crowd.clicks(queries, crowd.searches.shown(system)[queries]), metric))


def counted(clicks: Flags, metric: str) -> Floats:
    """The metric of each session."""
    first = np.where(clicks.any(axis=1), 1.0 / (1 + clicks.argmax(axis=1)), 0.0)
    found = {"clicks": clicks.sum(axis=1), "success": clicks.any(axis=1), "reciprocal rank": first}[metric]
    return np.asarray(found, dtype=np.float64)


def interleavings(crowd: Crowd, pair: Pair, method: str, size: Size, many: int) -> Rate:
    """How often interleaving decides for the better system."""
    hits = 0
    for _ in range(many):
        # The name of an experiment decides its lists: a name that was drawn.
        experiment = f"experiment {crowd.rng.integers(2**62)}"
        queries = crowd.queries(math.ceil(float(size.sessions[0])))
        lists = list(_lists(crowd.searches, pair, method, queries, experiment))
        results = np.array(
            [
                [crowd.searches.results[crowd.searches.queries[query], doc] for doc in shown.docs]
                for query, shown in zip(queries.tolist(), lists, strict=True)
            ]
        )
        outcomes = [
            credit_clicks(f"session {i}", shown, touches(shown, row))
            for i, (shown, row) in enumerate(zip(lists, crowd.clicks(queries, results).tolist(), strict=True))
        ]
        hits += decided(preferred(outcomes, pair.worse, pair.better).margin)
    return Rate(hits, many)


def _lists(searches: Searches, pair: Pair, method: str, queries: Numbers, experiment: str) -> Iterator[InterleavedList]:
    for session, at in enumerate(queries.tolist()):
        query = searches.queries[at]
        rankings = {system: searches.ranked[system][query] for system in (pair.worse, pair.better)}
        yield interleave(rankings, f"session {session}", method, DEPTH, experiment)


def touches(shown: InterleavedList, row: Sequence[bool]) -> list[ClickedDocument]:
    """The clicks of one session."""
    return [ClickedDocument(doc) for doc, click in zip(shown.docs, row, strict=True) if click]


def decided(answer: object) -> bool:
    """Whether a test at 5% says that the better system is better."""
    return isinstance(answer, Estimate) and answer.p_value <= ALPHA and answer.value > 0
