"""How often intervals of the examination curve hold the truth, on position-based users.

The rankings of the real log are real; who likes what, and what is looked at, are those of the model fitted to it.
Made-up rankings are ten documents for each query, in an order that is part merit and part chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from benchmarks.online_parts.tables import percent, row, table

from rankproof.online.clickmodels.position_based import fit
from rankproof.online.clicks.examination import curve
from rankproof.online.clicks.read import read_pages
from rankproof.online.impressions import Impressions

LOG = Path(__file__).resolve().parents[3] / "shared" / "data" / "clicks" / "yandex_sample.txt"
RANKS = 10
LOOKED = np.array([1.0, 0.69, 0.57, 0.47, 0.35, 0.3, 0.28, 0.24, 0.23, 0.22])
LOGS = 2_000


@dataclass(frozen=True, eq=False)
class Users:
    """Pages to be drawn from, the liking of each pair, and the examination of each rank."""

    name: str
    pages: Impressions
    liked: np.ndarray
    looked: np.ndarray


def of_the_log() -> Users:
    """Users fitted to the real log."""
    pages = read_pages(LOG)
    world = fit(pages, {"alpha": 1, "beta": 1, "passes": 200})
    return Users("rankings of the click log", pages, world.attractiveness, world.looked)


def made_up(queries: int, pages: int = 20_000) -> Users:
    """Users who like most documents little."""
    rng = np.random.default_rng(1)
    docs = np.argsort(2 * rng.random((pages, RANKS)) + np.linspace(0, 1, RANKS), axis=1)
    names = tuple(f"q{i}" for i in range(queries)), tuple(f"d{i}" for i in range(RANKS))
    of = rng.integers(queries, size=pages)
    shown = Impressions.of(*names, of, docs, np.full(pages, RANKS), np.zeros(docs.shape, dtype=np.bool_))
    liked = 0.6 * np.random.default_rng(5).beta(1, 4, len(shown.pairs))
    return Users(f"{queries} queries, orders part chance", shown, liked, LOOKED)


def covered(users: Users, size: int, logs: int, per_session: int = 1, seed: int = 0) -> np.ndarray:
    """By rank from 2 on, the share of logs of `size` pages whose interval has the truth, of those that have one.

    per_session   pages of a session, whose user is half as willing to look as others, or half as much again
    """
    rng = np.random.default_rng([seed, size])
    held = np.full((logs, RANKS), np.nan)
    true = users.looked / users.looked[0]
    for inside in held:
        drawn = users.pages.take(rng.integers(len(users.pages), size=size))
        sessions = np.arange(size) // per_session
        willing = rng.choice([0.5, 1.5], sessions.max() + 1)[sessions] if per_session > 1 else np.ones(size)
        mean = users.liked[drawn.shown] * users.looked * willing[:, None]
        clicks = (rng.random(mean.shape) < mean) & drawn.there
        log = replace(drawn, clicks=clicks, numbers=np.arange(size), sessions=sessions if per_session > 1 else None)
        for one in curve(log).ranks:
            inside[one.rank - 1] = one.low <= true[one.rank - 1] <= one.high
    return np.asarray(np.nanmean(held, axis=0)[1:])


def study(share: float = 1.0, seed: int = 0) -> None:
    """The table: the least and the greatest coverage over ranks 2 to 10."""
    logs = max(100, round(LOGS * share))
    cases = [(made_up(20), 4_000, 1), (made_up(500), 3_000, 1), (made_up(500), 1_000, 1), (made_up(20), 4_000, 4)]
    if LOG.exists():
        real = of_the_log()
        cases += [(real, 35_000, 1), (real, 4_000, 1), (real, 1_000, 1), (real, 300, 1), (real, 60, 1)]
    head = "rankings | logs | pages | pages of a session | least | mean | greatest"
    table("Coverage of 95% intervals of the examination curve, ranks 2 to 10", head, _rows(cases, logs, seed))


def _rows(cases: list[tuple[Users, int, int]], logs: int, seed: int) -> Iterator[str]:
    for users, size, per_session in cases:
        some = max(100, logs // 4) if size > 10_000 else logs
        found = covered(users, size, some, per_session, seed)
        spans = [percent(share) for share in (found.min(), found.mean(), found.max())]
        yield row(users.name, f"{some:,}", f"{size:,}", per_session, *spans)


if __name__ == "__main__":
    study()
