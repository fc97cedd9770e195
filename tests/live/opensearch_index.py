"""Puts a corpus into an OpenSearch index, for tests."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Sequence
from typing import Any

from rankproof.reading.collection import Corpus


def load(url: str, index: str, corpus: Corpus, vectors: Sequence[Sequence[float]] | None = None) -> None:
    """An index of one shard: English text for each field, embedding where there are vectors."""
    properties: dict[str, Any] = {name: {"type": "text", "analyzer": "english"} for name in corpus.fields}
    settings: dict[str, Any] = {"number_of_shards": 1, "number_of_replicas": 0}
    if vectors is not None:
        settings["knn"] = True
        method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
        properties["embedding"] = {"type": "knn_vector", "dimension": len(vectors[0]), "method": method}
    made = {"settings": {"index": settings}, "mappings": {"properties": properties}}
    call("PUT", f"{url}/{index}", json.dumps(made))
    for start in range(0, len(corpus), 500):
        lines = []
        for i in range(start, min(start + 500, len(corpus))):
            document: dict[str, Any] = {name: column[i] for name, column in corpus.fields.items()}
            if vectors is not None:
                document["embedding"] = list(map(float, vectors[i]))
            lines += [json.dumps({"index": {"_id": corpus.doc_ids[i]}}), json.dumps(document)]
        told = call("POST", f"{url}/{index}/_bulk", "\n".join(lines) + "\n")
        assert not told["errors"], told
    call("POST", f"{url}/{index}/_refresh", "")


def call(method: str, url: str, body: str) -> Any:
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, body.encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())
