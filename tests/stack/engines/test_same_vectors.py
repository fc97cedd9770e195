"""Every engine that searches the vectors of a model finds what exact search finds: one corpus, all engines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from rankproof.errors import MissingExtra
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import Choice
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.datasets.read import read_dataset
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import Engine
from rankproof.stack.models.find import MODEL_PARAMS
from rankproof.stack.records import Ground
from rankproof.stack.samples import shop
from rankproof.testing.rankings import parameters_of

pytest.importorskip("wordllama", reason="wordllama is not installed")

DEPTH = 20
NEAR = 3e-6  # what 32 bits and six decimals leave of scores near 1


def searches_vectors(item: Engine) -> bool:
    """Whether it makes vectors of the corpus with a model, in this process."""
    return not item.live and {param.name for param in MODEL_PARAMS} <= {param.name for param in item.params}


ENGINES = {name: item for name, item in shelf.offered("engines").items() if searches_vectors(item)}
EXACT = "dense"


def ways(item: Engine) -> list[dict[str, Any]]:
    """Everything that may be said of how near vectors are, by vectors where there is a choice."""
    kinds = {param.name: param.kind for param in item.params}
    mode = {"mode": "vector"} if "mode" in kinds else {}
    similarity = kinds.get("similarity")
    measures = similarity.words if isinstance(similarity, Choice) else ()
    return [{**mode, "similarity": measure} for measure in measures] or [mode]


# The engine that all are held against has its own tests.
WAYS = [
    pytest.param(name, said, id=f"{name}-{'-'.join(said.values())}")
    for name in sorted(ENGINES.keys() - {EXACT})
    for said in ways(ENGINES[name])
]


@cache
def sample() -> tuple[Corpus, tuple[Query, ...]]:
    dataset = read_dataset(shop())
    assert dataset.corpus is not None
    return dataset.corpus, tuple(dataset.queries)[:25]


def opened(name: str, said: Mapping[str, Any]) -> Any:
    item = ENGINES[name]
    try:
        return item.open(parameters_of(item, model="wordllama", **said), Ground(sample()[0]))
    except MissingExtra as error:
        pytest.skip(str(error))


def search(name: str, said: Mapping[str, Any], depth: int) -> list[Ranking]:
    rankings: list[Ranking] = opened(name, said).search(sample()[1], depth)
    return rankings


@cache
def exact(similarity: str) -> list[Ranking]:
    return search(EXACT, {"similarity": similarity}, len(sample()[0]))


def test_the_engines_are_those_that_index_vectors() -> None:
    assert {"chroma", "dense", "duckdb", "lancedb", "milvus", "qdrant_local", "sqlite"} <= ENGINES.keys()


@pytest.mark.parametrize(("name", "said"), WAYS)
def test_the_ranking_is_that_of_exact_search_up_to_ties(name: str, said: dict[str, Any]) -> None:
    """Place by place the score is the same; so only documents whose scores tie can stand in each other's place."""
    rankings = search(name, said, DEPTH)
    for ranking, whole in zip(rankings, exact(said.get("similarity", "cosine")), strict=True):
        near = NEAR * max(1, np.abs(whole.scores).max(initial=0))
        scores = dict(zip(whole.doc_ids, whole.scores.tolist(), strict=True))
        assert len(ranking) == min(DEPTH, len(whole))
        assert [scores[doc] for doc in ranking.doc_ids] == pytest.approx(whole.scores[:DEPTH].tolist(), abs=near)
        assert ranking.scores.tolist() == pytest.approx(whole.scores[:DEPTH].tolist(), abs=near)
    assert sum(map(len, rankings)) > 10 * DEPTH


def test_the_walk_over_a_graph_notes_what_it_misses() -> None:
    engine = opened("dense", {"search": "hnsw"})
    found = engine.search(sample()[1], DEPTH)
    hits = [len(set(a.doc_ids) & set(b.doc_ids[:DEPTH])) for a, b in zip(found, exact("cosine"), strict=True)]
    (note,) = engine.notes.values()
    assert note.startswith(f"{sum(hits) / sum(map(len, found)):.4f} against exact search")
    assert sum(hits) > 0.9 * sum(map(len, found))
