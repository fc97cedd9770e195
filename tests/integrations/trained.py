"""Real weights and small data for sentence-transformers: for tests, and for the script that records the library."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import rankproof
from rankproof.stack import samples as samples_of_rankproof
from rankproof.stack.models.find import minilm_folder

SHOP = Path(samples_of_rankproof.__path__[0], "shop")
QUERIES, DOCUMENTS = 30, 150


@cache
def _products() -> dict[str, str]:
    lines = [json.loads(line) for line in (SHOP / "corpus.jsonl").read_text("utf-8").splitlines()]
    return {line["_id"]: f"{line['title']} {line['description']}" for line in lines}


@cache
def queries() -> dict[str, str]:
    """The first queries of the shop."""
    with (SHOP / "queries.csv").open(encoding="utf-8") as file:
        return {row["query_id"]: row["text"] for row in list(csv.DictReader(file))[:QUERIES]}


@cache
def graded() -> dict[str, dict[str, int]]:
    """The judgments of these queries, on documents of the corpus."""
    read = rankproof.read_qrels(str(SHOP / "qrels.trec"))
    corpus = searched_corpus()
    return {query: {doc: grade for doc, grade in read[query].items() if doc in corpus} for query in queries()}


@cache
def searched_corpus() -> dict[str, str]:
    """The relevant documents of these queries, others up to a number, and one more with the text of the first."""
    read = rankproof.read_qrels(str(SHOP / "qrels.trec"))
    relevant = [doc for query in queries() for doc, grade in read[query].items() if grade > 1]
    names = list(dict.fromkeys([*relevant, *_products()]))[:DOCUMENTS]
    corpus = {name: _products()[name] for name in names}
    return {**corpus, f"{names[0]}-again": corpus[names[0]], f"{names[1]}-again": corpus[names[1]]}


def searched() -> tuple[dict[str, str], dict[str, str], dict[str, set[str]]]:
    """Queries, corpus and relevant documents, as InformationRetrievalEvaluator takes them."""
    relevant = {query: {doc for doc, grade in docs.items() if grade > 0} for query, docs in graded().items()}
    relevant = {query: docs for query, docs in relevant.items() if docs}
    return {query: queries()[query] for query in relevant}, searched_corpus(), relevant


def samples() -> list[dict[str, Any]]:
    """Samples for reranking: the documents in an order that is not the model's, every positive among them."""
    asked, corpus, relevant = searched()
    made = []
    for number, (query, text) in enumerate(asked.items()):
        found = sorted(relevant[query])[:3]
        others = [doc for doc in corpus if doc not in relevant[query] and not doc.endswith("-again")]
        others = others[number : number + 12]
        at = number % len(others)
        ranked = [*others[:at], *found, *others[at:]]
        made.append({"query": text, "positive": [corpus[d] for d in found], "documents": [corpus[d] for d in ranked]})
    return made


def encoder() -> Any:
    """all-MiniLM-L6-v2."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(minilm_folder(), device="cpu")


def cross_encoder() -> Any:
    """A cross-encoder with its weights and an untrained head."""
    import torch
    from sentence_transformers import CrossEncoder

    torch.manual_seed(0)
    return CrossEncoder(minilm_folder(), num_labels=1, device="cpu")
