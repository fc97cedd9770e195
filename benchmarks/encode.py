"""How fast texts become vectors without torch, each way on the same texts, and how far the ways agree.

    python benchmarks/encode.py                  a sample of SciFact's abstracts; a minute or two
    python benchmarks/encode.py --texts 64       a quick look
    python benchmarks/encode.py --quality        also nDCG@10 on all of SciFact, each way; about a quarter of an hour

Texts per second are given by the clock and, since another program may hold the processors, for one second of one
processor. Every way begins with texts and weights in memory. Agreement is the least cosine with NumPy's vectors. NumPy
multiplies on one processor here: its threads, which wait for each other by turning in circles, would measure the wait.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from rankproof import evaluate
from rankproof.engines._exact import exact
from rankproof.models.batches import processors
from rankproof.models.directory import ModelFolder
from rankproof.models.encoder import Encoder, unit
from rankproof.models.packaged import minilm_folder, wordllama_files
from rankproof.models.static import StaticEncoder
from rankproof.models.transformer import TransformerEncoder

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "scifact"


def ways() -> dict[str, Encoder]:
    minilm = ModelFolder(minilm_folder())
    return {
        "minilm, NumPy": TransformerEncoder(minilm, backend="numpy"),
        "minilm, onnxruntime float32": TransformerEncoder(minilm, backend="onnxruntime"),
        "minilm, onnxruntime int8": TransformerEncoder(minilm, "int8", backend="onnxruntime"),
        "wordllama": StaticEncoder(*wordllama_files()),
    }


def read(name: str) -> tuple[list[str], list[str]]:
    """Ids and texts, a title on a line of its own."""
    rows = [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    return [r["_id"] for r in rows], ["\n".join(filter(None, [r.get("title"), r["text"]])) for r in rows]


def speed(encoders: dict[str, Encoder], texts: list[str], kind: str) -> None:
    size = sum(map(len, texts)) / len(texts)
    print(f"\n{len(texts)} {kind}, {size:.0f} characters on average, {processors()} processors")
    print(f"{'':<30} {'texts/s':>9} {'texts/s of one processor':>26} {'least cosine with NumPy':>25}")
    reference = None
    for name, encoder in encoders.items():
        encoder.vectors(texts[:2])  # reads the weights
        clock, processor = time.perf_counter(), time.process_time()
        vectors = unit(encoder.vectors(texts))
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        reference = vectors if reference is None else reference
        same = vectors.shape == reference.shape
        cosine = f"{(vectors * reference).sum(axis=1).min():.6f}" if same else "another model"
        print(f"{name:<30} {len(texts) / clock:>9.1f} {len(texts) / processor:>26.1f} {cosine:>25}", flush=True)


def quality(encoders: dict[str, Encoder]) -> None:
    doc_ids, documents = read("corpus.jsonl")
    query_ids, queries = read("queries.jsonl")
    print(f"\nnDCG@10 on SciFact: {len(doc_ids):,} documents, {len(query_ids)} queries")
    for name, encoder in encoders.items():
        began = time.perf_counter()
        rankings = exact(unit(encoder.vectors(documents)), unit(encoder.vectors(queries)), tuple(doc_ids), 100)
        by_query = zip(query_ids, rankings, strict=True)
        run = {query: dict(zip(r.doc_ids, r.scores.tolist(), strict=True)) for query, r in by_query}
        value = evaluate(str(DATA / "qrels.trec"), run, ["nDCG@10"])["nDCG@10"].mean
        print(f"{name:<30} {value:.4f}   {time.perf_counter() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=256)
    parser.add_argument("--quality", action="store_true")
    asked = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"The data is not here: {DATA}")
    if "OPENBLAS_NUM_THREADS" not in os.environ:  # it is read when NumPy is imported
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    encoders = ways()
    _, texts = read("corpus.jsonl")
    chosen = np.random.default_rng(0).choice(len(texts), min(asked.texts, len(texts)), replace=False)
    speed(encoders, [texts[i] for i in chosen], "abstracts")
    _, claims = read("queries.jsonl")
    speed(encoders, claims[: asked.texts], "claims")
    if asked.quality:
        quality({name: encoder for name, encoder in encoders.items() if "NumPy" not in name})


if __name__ == "__main__":
    main()
