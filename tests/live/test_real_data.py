"""Live engines on a real collection find what the local ones find; on the sample: test_same_config.py."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from tests.live import opensearch_index, postgres_server
from tests.live.clients import opened
from tests.shared_data import SHARED, needs_shared_data

from rankproof.kernel import shelf
from rankproof.measuring.evaluate import evaluate
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.asking.ask import ask_step
from rankproof.stack.asking.limits import KEEP_NOTHING, Limits
from rankproof.stack.models.find import open_model
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground
from rankproof.testing.rankings import parameters_of

pytestmark = [pytest.mark.full, needs_shared_data]

DEPTH = 100


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SHARED / "scifact" / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    docs = lines("corpus.jsonl")
    fields = {field: tuple(doc.get(field, "") for doc in docs) for field in ("title", "text")}
    return Corpus(tuple(doc["_id"] for doc in docs), fields, "scifact")


@pytest.fixture(scope="module")
def queries() -> list[Query]:
    judged = {line.split()[0] for line in (SHARED / "scifact" / "qrels.trec").read_text().splitlines()}
    return [Query(query["_id"], query["text"]) for query in lines("queries.jsonl") if query["_id"] in judged]


@pytest.fixture(scope="module")
def vectors(corpus: Corpus) -> list[list[float]]:
    pytest.importorskip("wordllama", reason="the package wordllama is not installed")
    said = parameters_of(shelf.find("engines", "dense"), model="wordllama")
    found: list[list[float]] = open_model(said, Ground()).vectors(corpus.texts()).tolist()
    return found


@pytest.fixture(scope="module")
def nearest(corpus: Corpus, queries: list[Query], vectors: object) -> list[Ranking]:
    """What the local engine finds by exact search."""
    dense = shelf.find("engines", "dense")
    found: list[Ranking] = dense.open(parameters_of(dense, model="wordllama"), Ground(corpus)).search(queries, DEPTH)
    return found


def ask(text: str, queries: list[Query]) -> list[Ranking]:
    step = read_pipeline(text)
    asker = opened(step)
    try:
        limits = Limits(concurrency=2, timeout=60.0)
        outcome = ask_step(asker, step, queries, DEPTH, limits=limits, keep=KEEP_NOTHING)
    finally:
        asker.close()
    assert outcome.failures == ()
    return list(outcome.rankings)


def ndcg(queries: list[Query], rankings: list[Ranking]) -> float:
    run = {
        query.query_id: dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))
        for query, ranking in zip(queries, rankings, strict=True)
        if len(ranking)
    }
    mean = evaluate(str(SHARED / "scifact" / "qrels.trec"), run, "nDCG@10")["nDCG@10"].mean
    assert mean is not None
    return mean


def shared_share(a: list[Ranking], b: list[Ranking]) -> float:
    return float(np.mean([len(set(x.doc_ids) & set(y.doc_ids)) / DEPTH for x, y in zip(a, b, strict=True)]))


def test_postgres(
    postgres_dsn: str,
    corpus: Corpus,
    queries: list[Query],
    vectors: list[list[float]],
    nearest: list[Ranking],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seen: 0.07 with all words, 0.37 with any, 0.51 by vectors, 0.53 with both. ts_rank_cd knows no idf."""
    monkeypatch.setenv("DATABASE_URL", postgres_dsn)
    postgres_server.load(postgres_dsn, "scifact", corpus, vectors)
    base = "postgres(table='scifact', tsvector='words', match='any', normalization=1"
    by_text = ask(f"{base})", queries)
    by_vector = ask("postgres(table='scifact', mode='vector', model='wordllama', ef_search=400)", queries)
    both = ask(f"{base}, mode='hybrid', model='wordllama', ef_search=400)", queries)
    assert shared_share(by_vector, nearest) >= 0.99
    assert ndcg(queries, by_vector) == pytest.approx(ndcg(queries, nearest), abs=0.003)
    assert 0.34 <= ndcg(queries, by_text) <= 0.40
    assert ndcg(queries, both) >= ndcg(queries, by_vector)


def test_opensearch(
    opensearch_url: str, corpus: Corpus, queries: list[Query], vectors: list[list[float]], nearest: list[Ranking]
) -> None:
    """Seen: 0.672 by words, 0.511 by vectors."""
    opensearch_index.load(opensearch_url, "scifact", corpus, vectors)
    base = f"opensearch(index='scifact', url='{opensearch_url}'"
    assert 0.66 <= ndcg(queries, ask(f"{base}, fields='title text')", queries)) <= 0.69
    by_vector = ask(f"{base}, vector_field='embedding', model='wordllama', candidates=400)", queries)
    assert shared_share(by_vector, nearest) >= 0.98
