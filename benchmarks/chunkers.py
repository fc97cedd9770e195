"""Three chunkers on long documents: how large chunks win at equal ranks, and what is left of it at equal budgets.

    python benchmarks/chunkers.py [--join 20] [--k 5] [--budget 1000]

scifact's 5,183 abstracts are joined, `join` at a time, into long documents. The gold spans of a claim are the ranges of
its relevant abstracts. Each chunker cuts the documents by words; BM25 ranks its chunks 100 deep for
the 300 claims. Chunkers are compared with confidence intervals at k chunks and at a budget of tokens, and at several
overlap thresholds. Tokens are words and single marks: those of a model's tokenizer would be more.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import rankproof
from rankproof import spans
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import aligned, confidence_interval, interval, p_text, part, signed, verdict_word
from rankproof.proving.records import Adjusted, Comparison
from rankproof.reading.collection import Query
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "scifact"
DEPTH = 100
# Chunker -> tokens of a chunk, and how many tokens further the next one starts.
CHUNKERS = {"100 tokens": (100, 100), "400 tokens": (400, 400), "200 tokens, half shared": (200, 100)}

Chunks = dict[str, list[dict[str, object]]]


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def long_documents(join: int) -> tuple[dict[str, str], dict[str, tuple[str, int, int]]]:
    """The joined texts, and the range of each abstract in them."""
    abstracts = {doc["_id"]: f"{doc['title']}\n{doc['text']}" for doc in lines(DATA / "corpus.jsonl")}
    # Neighbors in the file may be about one thing; a hash shuffles them, the same way on every machine.
    order = sorted(abstracts, key=lambda doc: hashlib.sha256(doc.encode()).digest())
    texts: dict[str, str] = {}
    places: dict[str, tuple[str, int, int]] = {}
    for first in range(0, len(order), join):
        name, text = f"long{first // join}", ""
        for doc in order[first : first + join]:
            places[doc] = (name, len(text), len(text) + len(abstracts[doc]))
            text += abstracts[doc] + "\n\n"
        texts[name] = text
    return texts, places


def cut(texts: Mapping[str, str], offsets: spans.TokenOffsets, size: int, step: int) -> Iterator[tuple[str, int, int]]:
    """Chunks of `size` tokens, one every `step` tokens, from the start of a token to the start of the one after it."""
    for doc, text in texts.items():
        starts = [*offsets(doc).tolist(), len(text)]
        for first in range(0, max(len(starts) - 1 - (size - step), 1), step):
            yield doc, starts[first], starts[min(first + size, len(starts) - 1)]


def retrieved(texts: Mapping[str, str], pieces: list[tuple[str, int, int]], queries: list[Query]) -> Chunks:
    """The chunks that BM25 ranks first for each query."""
    named = {f"{doc}:{start}-{end}": (doc, start, end) for doc, start, end in pieces}
    engine = shelf.find("engines", "bm25")
    corpus = corpus_of({name: texts[doc][start:end] for name, (doc, start, end) in named.items()})
    rankings = engine.open(parameters_of(engine), Ground(corpus)).search(queries, DEPTH)
    chunks: Chunks = {}
    for query, ranking in zip(queries, rankings, strict=True):
        rows = [(name, *named[name]) for name in ranking.doc_ids]
        chunks[query.query_id] = [dict(zip(("chunk_id", "doc_id", "start", "end"), row, strict=True)) for row in rows]
    return chunks


def table(comparison: Comparison) -> str:
    """Means, and each chunker against the first."""
    ci = f"adjusted {confidence_interval(comparison.level, short=True)}"
    rows = [("measure", "chunker", "mean", "difference", ci, f"p ({comparison.correction})", "")]
    for measure in comparison.measures:
        rows.append((measure, comparison.systems[0], f"{comparison.evaluations[0][measure].mean:.4f}", "", "", "", ""))
        for name in comparison.systems[1:]:
            contrast = comparison.contrast(measure, name)
            bounds = contrast.adjusted or contrast.difference
            shown = interval(bounds.low, bounds.high) if isinstance(bounds, Adjusted | Estimate) else "none"
            change = signed(contrast.candidate_mean - contrast.baseline_mean)
            verdict = verdict_word(contrast.direction)
            mean = f"{contrast.candidate_mean:.4f}"
            rows.append(("", name, mean, change, shown, p_text(contrast.p_value), verdict))
    return "\n".join(aligned(rows, 2))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--join", type=int, default=20)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--budget", type=int, default=1000)
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"There is no folder {DATA}: nothing to cut.")
        return 0
    texts, places = long_documents(options.join)
    judged = rankproof.read_qrels(DATA / "qrels.trec").to_dict()
    gold = {query: [places[doc] for doc, grade in docs.items() if grade > 0] for query, docs in judged.items()}
    queries = [Query(query["_id"], query["text"]) for query in lines(DATA / "queries.jsonl") if query["_id"] in gold]
    offsets = spans.TokenOffsets(texts, spans.WORDS)
    read = spans.read_gold(gold)
    systems = {}
    for name, (size, step) in CHUNKERS.items():
        pieces = list(cut(texts, offsets, size, step))
        systems[name] = retrieved(texts, pieces, queries)
        print(f"{name}: {len(pieces):,} chunks of {len(texts)} documents")
    ranks, budget = f"@{options.k}", f"@{options.budget}tokens"
    for cutoff in (ranks, budget):
        measures = " ".join(f"{name}{cutoff}" for name in ("SpanRecall", "SpanPrecision", "SpanIoU", "SpanRedundancy"))
        made = [spans.evaluate(read, chunks, measures, tokens=offsets, name=name) for name, chunks in systems.items()]
        print(f"\n{table(rankproof.compare_evaluations(made))}")
        for evaluation in made:
            amount = next(line for line in evaluation.fine_print if "per query on average" in line)
            print(f"{evaluation.run_name}: {amount}")
    told = spans.threshold_sensitivity(read, systems, f"SpanFound{budget}", tokens=offsets)
    print(f"\n{part(told.section())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
