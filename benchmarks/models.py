"""How well models of vectors rank: nDCG@10 of exact search on SciFact, each model with its own prefixes.

    python benchmarks/models.py minilm bge-small-en-v1.5 e5-small-v2    all 5,183 documents, which takes long
    ... --documents 1000                                               the judged ones and others drawn with a seed
    ... --plain                                                        each model without its prefixes too
    ... --cache FOLDER                                                 keeps the vectors: a run that is stopped goes on

Models are named as everywhere: 'minilm', a model that `rankproof models fetch` fetched, a folder. A smaller
collection is an easier one: figures of --documents compare models with each other and with nothing else.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from rankproof.kernel.cache import NO_CACHE, Cache, FolderCache
from rankproof.measuring.evaluate import evaluate
from rankproof.proving.compare import compare
from rankproof.stack.engines.dense import exact
from rankproof.stack.models.encoder import kept_vectors, unit
from rankproof.stack.models.find import MODEL_PARAMS, open_model, prefixes
from rankproof.stack.records import Ground

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "scifact"
DEPTH, SEED = 100, 0
Run = dict[str, dict[str, float]]


def read(name: str) -> dict[str, str]:
    """Texts by their ids, a title on a line of its own."""
    rows = [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    return {r["_id"]: "\n".join(filter(None, [r.get("title"), r["text"]])) for r in rows}


def chosen(corpus: dict[str, str], most: int | None) -> dict[str, str]:
    """The judged documents and others, `most` together, in the order of the collection."""
    if most is None or most >= len(corpus):
        return corpus
    judged = {line.split()[2] for line in (DATA / "qrels.trec").read_text("utf-8").splitlines()}
    others = [doc_id for doc_id in corpus if doc_id not in judged]
    drawn = np.random.default_rng(SEED).choice(len(others), max(0, most - len(judged)), replace=False)
    kept = judged | {others[i] for i in drawn.tolist()}
    return {doc_id: text for doc_id, text in corpus.items() if doc_id in kept}


def search(model: str, plain: bool, corpus: dict[str, str], queries: dict[str, str], cache: Cache) -> tuple[Run, float]:
    """The run of a model, and the seconds of one processor that its documents took."""
    values = {param.name: param.default for param in MODEL_PARAMS} | {"model": model}
    encoder = open_model(values, Ground())
    before_query, before_document = ("", "") if plain else prefixes(values, encoder)
    began = time.process_time()
    documents = unit(kept_vectors(encoder, [before_document + text for text in corpus.values()], cache))
    seconds = time.process_time() - began
    vectors = unit(encoder.vectors([before_query + text for text in queries.values()]))
    rankings = exact(documents, vectors, tuple(corpus), DEPTH)
    found = zip(queries, rankings, strict=True)
    return {query: dict(zip(r.doc_ids, r.scores.tolist(), strict=True)) for query, r in found}, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--documents", type=int)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--cache")
    asked = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"The data is not here: {DATA}")
    corpus, queries = chosen(read("corpus.jsonl"), asked.documents), read("queries.jsonl")
    cache = FolderCache(asked.cache) if asked.cache else NO_CACHE
    print(f"nDCG@10 on SciFact: {len(corpus):,} documents, {len(queries)} queries", flush=True)
    runs: dict[str, Run] = {}
    for model in asked.models:
        for plain in (False, True) if asked.plain else (False,):
            name = Path(model).name + (" without prefixes" if plain else "")
            runs[name], seconds = search(model, plain, corpus, queries, cache)
            mean = evaluate(str(DATA / "qrels.trec"), runs[name], "nDCG@10")["nDCG@10"].mean
            print(f"{name:<36} {mean:.4f}   {seconds:.0f} s of one processor for the documents", flush=True)
    first, *others = runs
    if others:
        baseline, candidates = runs[first], [runs[name] for name in others]
        comparison = compare(str(DATA / "qrels.trec"), baseline, candidates, "nDCG@10", names=list(runs))
        for name in others:
            print(f"{name} against {first}: {comparison.contrast('nDCG@10', name).difference}", flush=True)


if __name__ == "__main__":
    main()
