"""The files of the sample as bytes: what the catalog, the queries and the pool make of each other.

The pool says which pairs are judged: one line for each query in `pool.txt`, its id and then document ids.
Products that a rule finds relevant are judged whether or not they are in the pool.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence

from examples.shop.catalog import HERE, Product, read_catalog
from examples.shop.grading import ShopQuery, grade, read_queries

POOL = HERE / "pool.txt"


def read_pool() -> dict[str, frozenset[str]]:
    """For each query, the documents that were pooled."""
    rows = (line.split() for line in POOL.read_text("utf-8").splitlines())
    return {query_id: frozenset(doc_ids) for query_id, *doc_ids in rows}


def record(product: Product) -> dict[str, str]:
    """A product as a search engine sees it."""
    return {
        "_id": product.doc_id,
        "title": product.title,
        "brand": product.brand,
        "bullets": "\n".join(product.bullets),
        "description": product.description,
    }


def corpus_lines(catalog: Iterable[Product]) -> str:
    """corpus.jsonl."""
    return "".join(json.dumps(record(product), ensure_ascii=False) + "\n" for product in catalog)


def query_table(queries: Iterable[ShopQuery]) -> str:
    """queries.csv."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("query_id", "text", "kind"))
    table.writerows((query.query_id, query.text, query.kind) for query in queries)
    return text.getvalue()


def qrels_lines(catalog: Sequence[Product], queries: Iterable[ShopQuery], pool: Mapping[str, frozenset[str]]) -> str:
    """qrels.trec: every pooled or relevant product of every query, by id."""
    graded = ((query.query_id, product.doc_id, grade(query, product)) for query in queries for product in catalog)
    return "".join(f"{query} 0 {doc} {value}\n" for query, doc, value in graded if value or doc in pool[query])


def files() -> dict[str, bytes]:
    """Name to content of every file that is made."""
    catalog, queries = read_catalog(), read_queries()
    texts = {
        "corpus.jsonl": corpus_lines(catalog),
        "queries.csv": query_table(queries),
        "qrels.trec": qrels_lines(catalog, queries, read_pool()),
    }
    return {name: text.encode("utf-8") for name, text in texts.items()}
