"""How fast texts become vectors without torch, how good each way's vectors are, and what a graph search loses.

    python benchmarks/encode.py                         speed of each way on abstracts and claims of SciFact; minutes
    python benchmarks/encode.py --texts 32              a quick look
    python benchmarks/encode.py --quality               nDCG@10 on all of SciFact, each way; a quarter of an hour
    python benchmarks/encode.py --graph                 HNSW against exact search over the same vectors
    ... --cache FOLDER                                  keeps the vectors of --quality and --graph

The ways take turns, round by round, on the same texts, so that whatever else the machine does meets all of them. A
speed is texts for one second of one processor, the median of the rounds: another program that holds the processors
changes it little. Every way begins with texts and weights in memory. Agreement is the least cosine with NumPy's
vectors. NumPy multiplies on one processor here: its threads, which wait for each other by turning in circles, would
measure the wait.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rankproof.kernel.cache import NO_CACHE, Cache, FolderCache
from rankproof.measuring.evaluate import evaluate
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.dense import Hnsw, exact
from rankproof.stack.models.encoder import Encoder, StaticEncoder, Vectors, kept_vectors, unit
from rankproof.stack.models.find import minilm_folder, wordllama_files
from rankproof.stack.models.transformer import ModelFolder, TransformerEncoder

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "scifact"
ROUNDS, DEPTH = 4, 100
NUMPY, FLOAT, INT8, STATIC = "minilm, NumPy", "minilm, onnxruntime float32", "minilm, onnxruntime int8", "wordllama"


def ways() -> dict[str, Encoder]:
    minilm = ModelFolder(minilm_folder())
    return {
        NUMPY: TransformerEncoder(minilm, backend="numpy"),
        FLOAT: TransformerEncoder(minilm, backend="onnxruntime"),
        INT8: TransformerEncoder(minilm, "int8", backend="onnxruntime"),
        STATIC: StaticEncoder(*wordllama_files()),
    }


def read(name: str) -> tuple[list[str], list[str]]:
    """Ids and texts, a title on a line of its own."""
    rows = [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    return [r["_id"] for r in rows], ["\n".join(filter(None, [r.get("title"), r["text"]])) for r in rows]


def speed(encoders: dict[str, Encoder], texts: list[str], kind: str) -> None:
    """Each round has texts of its own, and every way encodes them."""
    spent: dict[str, list[float]] = {name: [] for name in encoders}
    least = dict.fromkeys(encoders, 1.0)
    for encoder in encoders.values():
        encoder.vectors(texts[:2])  # reads the weights
    for part in range(ROUNDS):
        some, reference = texts[part::ROUNDS], None
        for name, encoder in encoders.items():
            began = time.process_time()
            vectors = unit(encoder.vectors(some))
            spent[name].append((time.process_time() - began) / len(some))
            reference = vectors if reference is None else reference
            if vectors.shape == reference.shape:
                least[name] = min(least[name], float((vectors * reference).sum(axis=1).min()))
    print(f"\n{len(texts)} {kind}, {sum(map(len, texts)) / len(texts):.0f} characters on average, {ROUNDS} rounds")
    print(f"{'':<30} {'texts/s of one processor':>26} {'times NumPy':>13} {'least cosine with NumPy':>25}")
    for name, seconds in spent.items():
        ratio = float(np.median(np.divide(spent[NUMPY], seconds)))
        cosine = "another model" if name == STATIC else f"{least[name]:.4f}"
        print(f"{name:<30} {1 / np.median(seconds):>26.1f} {ratio:>13.1f} {cosine:>25}", flush=True)


def ndcg(query_ids: list[str], rankings: list[Ranking]) -> float:
    by_query = zip(query_ids, rankings, strict=True)
    run = {query: dict(zip(r.doc_ids, r.scores.tolist(), strict=True)) for query, r in by_query}
    mean = evaluate(str(DATA / "qrels.trec"), run, "nDCG@10")["nDCG@10"].mean
    assert mean is not None
    return mean


def quality(encoders: dict[str, Encoder], cache: Cache) -> None:
    doc_ids, documents = read("corpus.jsonl")
    query_ids, queries = read("queries.jsonl")
    print(f"\nnDCG@10 on SciFact: {len(doc_ids):,} documents, {len(query_ids)} queries")
    for name, encoder in encoders.items():
        began = time.process_time()
        vectors = unit(kept_vectors(encoder, documents, cache))
        seconds = time.process_time() - began
        rankings = list(exact(vectors, unit(encoder.vectors(queries)), tuple(doc_ids), DEPTH))
        print(f"{name:<30} {ndcg(query_ids, rankings):.4f}   {seconds:.0f} s of one processor for the documents")
        sys.stdout.flush()


def each(search: Callable[[Vectors], Ranking], queries: Vectors) -> tuple[list[Ranking], float]:
    """What every query finds, asked one by one, and the median milliseconds of one processor."""
    found, spent = [], []
    for query in queries:
        began = time.process_time()
        found.append(search(query[None]))
        spent.append(1000 * (time.process_time() - began))
    return found, float(np.median(spent))


def graph(encoder: Encoder, cache: Cache) -> None:
    doc_ids, documents = read("corpus.jsonl")
    query_ids, texts = read("queries.jsonl")
    vectors, queries = unit(kept_vectors(encoder, documents, cache)), unit(encoder.vectors(texts))
    ids = tuple(doc_ids)
    truth, milliseconds = each(lambda q: next(exact(vectors, q, ids, DEPTH)), queries)
    print(f"\nminilm on SciFact, {DEPTH} of {len(ids):,} documents")
    print(f"{'':<26} {'recall@10':>10} {'recall@100':>11} {'nDCG@10':>9} {'ms/query of one processor':>27}")
    print(f"{'exact':<26} {'1':>10} {'1':>11} {ndcg(query_ids, truth):>9.4f} {milliseconds:>27.2f}")
    for connectivity in (4, 16):
        began = time.process_time()
        index = Hnsw(vectors, connectivity, 128, NO_CACHE)
        built = time.process_time() - began
        for effort in (100, 200, 400):
            found, milliseconds = each(lambda q, e=effort, i=index: next(i.search(q, ids, DEPTH, e)), queries)
            at = [np.mean([_shared(t, f, k) for t, f in zip(truth, found, strict=True)]) for k in (10, DEPTH)]
            name = f"hnsw({connectivity}), {effort} candidates"
            print(f"{name:<26} {at[0]:>10.4f} {at[1]:>11.4f} {ndcg(query_ids, found):>9.4f} {milliseconds:>27.2f}")
        print(f"  the graph of {connectivity} neighbors took {built:.1f} s of one processor")
        sys.stdout.flush()


def _shared(truth: Ranking, found: Ranking, k: int) -> float:
    return len(set(truth.doc_ids[:k]) & set(found.doc_ids[:k])) / min(k, len(truth))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=256)
    parser.add_argument("--quality", action="store_true")
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--cache")
    asked = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"The data is not here: {DATA}")
    if "OPENBLAS_NUM_THREADS" not in os.environ:  # it is read when NumPy is imported
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    encoders, cache = ways(), FolderCache(asked.cache) if asked.cache else NO_CACHE
    if asked.quality:
        # NumPy's vectors are those of onnxruntime in float32: it would take ten minutes to say the same.
        quality({name: encoder for name, encoder in encoders.items() if name != NUMPY}, cache)
    if asked.graph:
        graph(encoders[FLOAT], cache)
    if not asked.quality and not asked.graph:
        for name, kind in (("corpus.jsonl", "abstracts"), ("queries.jsonl", "claims")):
            _, texts = read(name)
            chosen = np.random.default_rng(0).choice(len(texts), min(asked.texts, len(texts)), replace=False)
            speed(encoders, [texts[i] for i in chosen], kind)


if __name__ == "__main__":
    main()
