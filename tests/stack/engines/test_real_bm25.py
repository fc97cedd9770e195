"""BM25 with its defaults on real collections: as good as others report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.shared_data import SHARED, needs_shared_data

from rankproof.kernel import shelf
from rankproof.measuring.evaluate import evaluate
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.records import Ground
from rankproof.testing.rankings import parameters_of

pytestmark = [pytest.mark.slow, needs_shared_data]


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("name", "measure", "least", "most"), [("scifact", "nDCG@10", 0.67, 0.72), ("cranfield", "AP", 0.30, 0.36)]
)
def test_the_defaults_reach_what_is_known(name: str, measure: str, least: float, most: float) -> None:
    """More than `most` would be as strange as too little: nobody reports that of BM25."""
    pytest.importorskip("bm25s", reason="the extra bm25 is not installed")
    docs = lines(SHARED / name / "corpus.jsonl")
    fields = {field: tuple(doc.get(field, "") for doc in docs) for field in ("title", "text")}
    corpus = Corpus(tuple(doc["_id"] for doc in docs), fields)
    queries = [Query(query["_id"], query["text"]) for query in lines(SHARED / name / "queries.jsonl")]
    engine = shelf.find("engines", "bm25")
    rankings = engine.open(parameters_of(engine), Ground(corpus)).search(queries, 1000)
    run = {
        query.query_id: dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))
        for query, ranking in zip(queries, rankings, strict=True)
    }
    value = evaluate(str(SHARED / name / "qrels.trec"), run, measure)[measure].mean
    assert least <= value <= most
