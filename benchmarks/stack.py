"""What bm25 costs through rankproof, against bm25s called by hand on the same corpus.

    python benchmarks/stack.py [--rounds 5] [--check]

Both index scifact's 5,183 abstracts (title and text, English stems and stop words) and answer its 300 queries 100 deep,
from texts in memory to documents with scores. Both do it in turn, `rounds` times; the ratio is that of the best times.
--check fails when rankproof takes more than 1.2 times as long.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rankproof.kernel import shelf
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.records import Ground
from rankproof.testing.rankings import parameters_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "scifact"
DEPTH, MOST = 100, 1.2

Found = dict[str, list[str]]


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def by_hand(docs: list[dict[str, str]], queries: list[dict[str, str]]) -> tuple[Found, float, float]:
    """What the library's own examples do."""
    import bm25s
    import Stemmer

    began = time.perf_counter()
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{doc['title']}\n{doc['text']}" for doc in docs]
    retriever = bm25s.BM25()
    words = bm25s.tokenize(texts, stopwords="english", stemmer=stemmer, show_progress=False)
    retriever.index(words, show_progress=False)
    indexed = time.perf_counter()
    asked = bm25s.tokenize(
        [query["text"] for query in queries], stopwords="english", stemmer=stemmer, show_progress=False
    )
    ids = [doc["_id"] for doc in docs]
    found, _scores = retriever.retrieve(asked, corpus=ids, k=DEPTH, show_progress=False)
    answered = time.perf_counter()
    rankings = {query["_id"]: row.tolist() for query, row in zip(queries, found, strict=True)}
    return rankings, indexed - began, answered - indexed


def through_rankproof(docs: list[dict[str, str]], queries: list[dict[str, str]]) -> tuple[Found, float, float]:
    """A new corpus each time: counts are kept with the corpus, and would be there already."""
    began = time.perf_counter()
    fields = {name: tuple(doc[name] for doc in docs) for name in ("title", "text")}
    corpus = Corpus(tuple(doc["_id"] for doc in docs), fields)
    engine = shelf.find("engines", "bm25")
    searcher = engine.open(parameters_of(engine), Ground(corpus))
    searcher.prepare()
    indexed = time.perf_counter()
    asked = [Query(query["_id"], query["text"]) for query in queries]
    rankings = searcher.search(asked, DEPTH)
    answered = time.perf_counter()
    found = {query.query_id: list(ranking.doc_ids) for query, ranking in zip(asked, rankings, strict=True)}
    return found, indexed - began, answered - indexed


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--check", action="store_true")
    said = asked.parse_args()
    if not DATA.is_dir():
        print(f"There is no folder {DATA}: nothing to index.")
        return 0
    docs, queries = lines(DATA / "corpus.jsonl"), lines(DATA / "queries.jsonl")
    ways: dict[str, Callable[..., tuple[Found, float, float]]] = {"by hand": by_hand, "rankproof": through_rankproof}
    best: dict[str, tuple[float, float, float]] = {}
    found: dict[str, Found] = {}
    for _ in range(said.rounds):
        for name, way in ways.items():
            found[name], index, answer = way(docs, queries)
            best[name] = min(best.get(name, (9e9, 0.0, 0.0)), (index + answer, index, answer))
    for name, (total, index, answer) in best.items():
        print(f"{name:10} {total:7.3f} s   index {index:.3f}   {len(queries)} queries {answer:.3f}")
    shared = sum(len(set(a) & set(found["by hand"][query])) for query, a in found["rankproof"].items())
    print(f"{shared / sum(map(len, found['rankproof'].values())):.2%} of the documents are the same")
    ratio = best["rankproof"][0] / best["by hand"][0]
    print(f"ratio {ratio:.2f} (at most {MOST})")
    return 1 if said.check and ratio > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
