"""Fusion and normalization against ranx, on random rankings."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.kernel import shelf
from rankproof.reading.ranking import Ranking
from rankproof.stack.records import Ground
from rankproof.testing.rankings import parameters_of, queries_of

ranx = pytest.importorskip("ranx", reason="ranx is not installed: nothing to hold against")

# Compiling ranx takes most of a minute when it is asked for the first time.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unsafe cast")]
DOCS = [f"d{i:02}" for i in range(40)]
Table = dict[str, dict[str, float]]


def random_run(seed: int, shared: bool = False) -> Table:
    """Twenty queries; of the documents some, or all where the runs are to share them."""
    rng = np.random.default_rng(seed)
    run: Table = {}
    for i in range(1, 21):
        docs = rng.choice(DOCS, len(DOCS) if shared else rng.integers(2, 30), replace=False)
        run[f"q{i}"] = dict(zip(docs.tolist(), rng.normal(3, 2, len(docs)).tolist(), strict=True))
    return run


def ours(stage: str, *runs: Table, **said: object) -> Table:
    item = shelf.find("stages", stage)
    queries = queries_of(*["words"] * 20)
    rankings = [[Ranking.of(list(run[q.query_id]), list(run[q.query_id].values())) for run in runs] for q in queries]
    passed = item.open(parameters_of(item, **said), Ground()).apply(queries, rankings)
    return {
        query.query_id: dict(zip(one.ranking.doc_ids, one.ranking.scores.tolist(), strict=True))
        for query, one in zip(queries, passed, strict=True)
    }


def assert_alike(found: Table, told: Table) -> None:
    assert set(found) == set(told)
    for query, scores in found.items():
        assert scores == pytest.approx(told[query], rel=1e-9, abs=1e-9), query


@pytest.mark.parametrize("k", [1, 10, 60])
def test_reciprocal_rank_fusion(k: int) -> None:
    runs = [random_run(seed) for seed in (1, 2, 3)]
    told = ranx.fuse([ranx.Run(run) for run in runs], norm=None, method="rrf", params={"k": k})
    assert_alike(ours("fuse_rrf", *runs, k=k), told.to_dict())


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.3, 0.7), (2.0, 0.0)])
def test_weighted_sums_of_minmax(weights: tuple[float, float]) -> None:
    runs = [random_run(seed) for seed in (4, 5)]
    told = ranx.fuse([ranx.Run(run) for run in runs], norm="min-max", method="wsum", params={"weights": weights})
    assert_alike(ours("fuse_linear", *runs, weights=list(weights)), told.to_dict())


def test_weighted_sums_of_zscores_where_no_document_is_missing() -> None:
    """ranx counts a missing document as average, so the two are compared where none is."""
    runs = [random_run(seed, shared=True) for seed in (6, 7)]
    told = ranx.fuse([ranx.Run(run) for run in runs], norm="zmuv", method="wsum", params={"weights": (0.4, 0.6)})
    assert_alike(ours("fuse_linear", *runs, weights=[0.4, 0.6], normalize="zscore"), told.to_dict())


@pytest.mark.parametrize(
    ("method", "norm"),
    [("minmax", "min_max_norm"), ("zscore", "zmuv_norm"), ("sum", "sum_norm"), ("rank", "rank_norm")],
)
def test_normalization(method: str, norm: str) -> None:
    run = random_run(8)
    told = getattr(ranx.normalization, norm)(ranx.Run(run))
    assert_alike(ours("normalize", run, method=method), told.to_dict())
