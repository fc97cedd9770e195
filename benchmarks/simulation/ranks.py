"""Rank intervals where the true ranks are known: how often all intervals of a leaderboard hold at once.

Some systems of a score matrix are taken at random, and topics are drawn from its 50 with replacement: the truth is each
system's mean over all of them. `as they are` leaves the systems as unequal as they were; `all equal` takes their means
away, so that every rank is possible for every system and each claim is false; `half equal` gives the better half of
them one mean. Over datasets, each score matrix is a dataset, with more queries in the first than in the last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from rankproof.proving.compare import compare_values
from rankproof.proving.datasets import compare_datasets
from rankproof.proving.leaderboard_records import Leaderboard
from rankproof.proving.leaderboard_scores import leaderboard_scores
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.ranks import leaderboard_of
from rankproof.proving.records import Comparison, Design
from rankproof.proving.score_tables import compare_scores

from .worlds import ByMeasure, Rate, Values, together

Truth = Literal["as they are", "all equal", "half equal"]
# Shares of the queries that datasets have, the first the most.
SHARES = (1.5, 1.0, 0.5)
# Means closer than this are equal: what is left of rounding.
CLOSE = 1e-9


def chosen(values: Values, columns: Sequence[int], truth: Truth) -> Values:
    """The scores of these systems on all topics, with their means as the truth wants them."""
    own = values[:, columns].copy()
    means = own.mean(axis=0)
    if truth == "all equal":
        own += means.mean() - means
    elif truth == "half equal":
        upper = means >= np.median(means)
        own[:, upper] += means[upper].mean() - means[upper]
    return own


def true_ranks(means: Values) -> list[tuple[int, int]]:
    """The least and the greatest rank of each system; they differ for systems that are equal."""
    return [(1 + int((means > mean + CLOSE).sum()), len(means) - int((means < mean - CLOSE).sum())) for mean in means]


def holds(board: Leaderboard, means: Values) -> bool:
    """Whether every interval holds the true rank of its system, and both ends of it where systems are equal."""
    ends = [board[f"s{at}"].rank_interval for at in range(len(means))]
    told = [pair for pair in ends if pair is not None]
    assert len(told) == len(means)
    return all(
        low <= least and most <= high for (low, high), (least, most) in zip(told, true_ranks(means), strict=True)
    )


def _names(systems: int) -> tuple[str, ...]:
    return tuple(f"s{at}" for at in range(systems))


def rank_coverage(
    scores: Mapping[str, Values],
    truth: Truth,
    systems: int,
    n: int,
    trials: int,
    *,
    resamples: int = 1_000,
    seed: int = 0,
) -> ByMeasure:
    """The share of leaderboards whose rank intervals all hold."""
    found: ByMeasure = {}
    for measure, values in scores.items():
        rng = np.random.default_rng([seed, n, systems])
        hits = 0
        for trial in range(trials):
            own = chosen(values, rng.permutation(values.shape[1])[:systems], truth)
            drawn = own[rng.integers(0, len(own), n)]
            table = PerUnit(measure, "higher", "mean", tuple(f"q{i}" for i in range(n)), drawn)
            design = Design(resamples=resamples, seed=trial, all_pairs=True)
            hits += holds(leaderboard_of(compare_values(_names(systems), [table], design), False), own.mean(axis=0))
        found[measure] = Rate(hits, trials)
    return together(found)


def cluster_coverage(
    scores: Mapping[str, Values],
    truth: Truth,
    systems: int,
    clusters: int,
    trials: int,
    *,
    respected: bool = True,
    resamples: int = 1_000,
    seed: int = 0,
) -> ByMeasure:
    """The same for units in clusters of unequal size, half of a cluster's units being copies of one of its units.

    Without `respected` nobody says which units came together: what the clusters cost where they are not told.
    """
    found: ByMeasure = {}
    for measure, values in scores.items():
        rng = np.random.default_rng([seed, clusters, systems, 2])
        hits = 0
        for trial in range(trials):
            own = chosen(values, rng.permutation(values.shape[1])[:systems], truth)
            cluster = np.repeat(np.arange(clusters), rng.integers(2, 9, clusters))
            n = len(cluster)
            alone, shared = own[rng.integers(0, len(own), n)], own[rng.integers(0, len(own), clusters)][cluster]
            drawn = np.where(rng.random((n, 1)) < 0.5, shared, alone)
            tables = [
                [
                    {"id": f"q{i}", "cluster": f"c{of}", "score": float(value)}
                    for i, (of, value) in enumerate(zip(cluster.tolist(), column, strict=True))
                ]
                for column in drawn.T
            ]
            board = leaderboard_scores(
                dict(zip(_names(systems), tables, strict=True)), "score", clusters="cluster" if respected else "",
                resamples=resamples, seed=trial,
            )  # fmt: skip
            hits += holds(board, own.mean(axis=0))
        found[measure] = Rate(hits, trials)
    return together(found)


def dataset_coverage(
    scores: Mapping[str, Values],
    truth: Truth,
    systems: int,
    n: int,
    trials: int,
    *,
    resamples: int = 1_000,
    seed: int = 0,
) -> Rate:
    """The same over datasets of about n queries each: the truth is the mean over the datasets."""
    rng = np.random.default_rng([seed, n, systems, 1])
    hits = 0
    for trial in range(trials):
        columns = rng.permutation(next(iter(scores.values())).shape[1])[:systems]
        design = Design(resamples=resamples, seed=trial)
        parts: dict[str, Comparison] = {}
        means = np.zeros(systems)
        for share, (name, values) in zip(SHARES, scores.items(), strict=False):
            own = chosen(values, columns, truth)
            means += own.mean(axis=0)
            drawn = own[rng.integers(0, len(own), round(share * n))]
            tables = [{f"q{i}": float(value) for i, value in enumerate(column)} for column in drawn.T]
            parts[name] = compare_scores(
                tables[0], tables[1:], names=_names(systems), correction="none", resamples=resamples
            )
        overall = compare_datasets(parts, Design(resamples=resamples, seed=design.seed, all_pairs=True)).overall
        hits += holds(leaderboard_of(overall, False), means / len(parts))
    return Rate(hits, trials)
