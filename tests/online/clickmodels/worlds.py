"""Users whose habits are known: pages in chance order, and a true model of each kind to draw clicks from."""

from __future__ import annotations

import numpy as np

from rankproof.online.clickmodels.cascade import Cascade
from rankproof.online.clickmodels.coec import OverExpected
from rankproof.online.clickmodels.contract import Fitted
from rankproof.online.clickmodels.ctr import ClickThrough
from rankproof.online.clickmodels.dependent_click import DependentClick
from rankproof.online.clickmodels.dynamic_bayesian import DynamicBayesian
from rankproof.online.clickmodels.position_based import PositionBased
from rankproof.online.clickmodels.user_browsing import UserBrowsing
from rankproof.online.impressions import Impressions

QUERIES, DOCS = 3, 8
LIKED = np.linspace(0.15, 0.75, QUERIES * DOCS)


def shuffled(pages: int, ranks: int, seed: int, shortest: int | None = None, sorted_by: float = 0.0) -> Impressions:
    """Pages of 3 queries with 8 documents each, in chance order; some end early where `shortest` says so.

    sorted_by   how much those that are liked more tend to stand above; 0 for not at all
    """
    rng = np.random.default_rng(seed)
    queries = rng.integers(QUERIES, size=pages)
    docs = np.argsort(rng.random((pages, DOCS)) - sorted_by * np.linspace(0, 1, DOCS), axis=1)[:, :ranks]
    lengths = rng.integers(shortest or ranks, ranks + 1, size=pages)
    names = tuple(f"q{i}" for i in range(QUERIES)), tuple(f"d{i}" for i in range(DOCS))
    return Impressions.of(*names, queries, docs, lengths, np.zeros((pages, ranks), dtype=np.bool_))


def truth(name: str, ranks: int) -> Fitted:
    """A model of that name with parameters that are all different."""
    rng = np.random.default_rng(7)
    look = 0.95 ** np.arange(ranks) - 0.1 * np.arange(ranks)
    after = np.tril(rng.uniform(0.3, 0.9, (ranks, ranks)))
    after[0, 0] = 1.0
    worlds: dict[str, Fitted] = {
        "ctr": ClickThrough(LIKED),
        "coec": OverExpected(LIKED / 0.5, 0.5 * look),
        "position_based": PositionBased(LIKED, look),
        "user_browsing": UserBrowsing(LIKED, after),
        "cascade": Cascade(LIKED),
        "dependent_click": DependentClick(LIKED, np.linspace(0.8, 0.3, ranks)),
        "dynamic_bayesian": DynamicBayesian(LIKED, LIKED[::-1].copy()),
    }
    return worlds[name]
