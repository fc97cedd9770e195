"""OpenSearch: an index of a cluster, searched by words, by vectors, or by a request of your own.

By words it is a `multi_match` over `fields` with their weights; without `fields` those that the index searches by
default. With `vector_field` it is a k-NN search with vectors that a `model` makes of the queries, or that a column of
the queries holds (`vector`). With `body` it is any search request, with {query}, {depth}, {vector} and columns of the
queries in it. `_search` is asked for each query on its own, always from the same copies of the shards. An answer of
only some shards is a failure, and is asked again. Documents with equal scores are ordered by id; with a `sort` in
`body` the order is all there is.

The address is taken from the environment variable OPENSEARCH_URL unless `url` says it. Secrets stand as ${NAME},
the name of an environment variable: neither reports nor errors show what it holds.

shown on: a real OpenSearch 2.19.1 with its plugin for vectors (tests/live)
assumes: the documents are indexed under the ids that the judgments use; else `id` names the field that has them
source: https://docs.opensearch.org/latest/query-dsl/full-text/multi-match/, .../vector-search/

opensearch(index="products", fields="title^3 brand text", auth="${SEARCH_USER}:${SEARCH_PASSWORD}")
opensearch(index="products", vector_field="embedding", model="minilm")
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from rankproof.stack.engines._elastic import Elastic, params
from rankproof.stack.engines._elastic_fill import PARAMS, PLACE, ElasticFiller
from rankproof.stack.engines.contract import Engine
from rankproof.stack.filling import FillRequest, Fills


def nearest(field: str, vector: list[float], depth: int, candidates: int) -> dict[str, object]:
    """The query of the k-NN plugin. It gives k documents for each shard, so that k is the number of candidates."""
    return {"query": {"knn": {field: {"vector": vector, "k": candidates}}}}


def vector_mapping(dimensions: int) -> Mapping[str, object]:
    """A field of the k-NN plugin, in Lucene's own index of vectors."""
    method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
    return {"type": "knn_vector", "dimension": dimensions, "method": method}


def open_filler(request: FillRequest) -> ElasticFiller:
    """Checks ids, fields and model."""
    return ElasticFiller(request, vector_mapping, {"knn": True})


OFFERS = (
    Engine(
        name="opensearch",
        page=__doc__,
        params=params("OPENSEARCH_URL"),
        open=partial(Elastic, "opensearch", nearest),
        live=True,
        extra="stack",
        fills=Fills(PLACE, open_filler, PARAMS),
    ),
)
