"""Elasticsearch: an index of a cluster, searched by words, by vectors, or by a request of your own.

By words it is a `multi_match` over `fields` with their weights; without `fields` those that the index searches by
default. With `vector_field` it is a `knn` search with vectors that a `model` makes of the queries, or that a column of
the queries holds (`vector`). With `body` it is any search request, with {query}, {depth}, {vector} and columns of the
queries in it. `_search` is asked for each query on its own, always from the same copies of the shards. An answer of
only some shards is a failure, and is asked again. Documents with equal scores are ordered by id; with a `sort` in
`body` the order is all there is.

The address is taken from the environment variable ELASTICSEARCH_URL unless `url` says it. Secrets stand as ${NAME},
the name of an environment variable: neither reports nor errors show what it holds.

shown on: a real Elasticsearch 8.15.5 (tests/live, by `make test-full`)
assumes: the documents are indexed under the ids that the judgments use; else `id` names the field that has them
source: https://www.elastic.co/docs/reference/query-languages/query-dsl/query-dsl-multi-match-query and .../knn

elasticsearch(index="products", fields="title^3 brand text", headers={"Authorization": "ApiKey ${SEARCH_KEY}"})
elasticsearch(index="products", vector_field="embedding", model="minilm")
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from rankproof.stack.engines._elastic import Elastic, params
from rankproof.stack.engines._elastic_fill import PARAMS, PLACE, ElasticFiller
from rankproof.stack.engines.contract import Engine
from rankproof.stack.filling import FillRequest, Fills

GRAPH = {"type": "hnsw"}


def nearest(field: str, vector: list[float], depth: int, candidates: int) -> dict[str, object]:
    """The knn section of a search, of versions 8 and later."""
    return {"knn": {"field": field, "query_vector": vector, "k": depth, "num_candidates": candidates}}


def vector_mapping(dimensions: int) -> Mapping[str, object]:
    """A dense_vector in a graph, with all its bits: when nothing is said, the graph has 8 bits of each number."""
    return {"type": "dense_vector", "dims": dimensions, "index": True, "similarity": "cosine", "index_options": GRAPH}


def open_filler(request: FillRequest) -> ElasticFiller:
    """Checks ids, fields and model."""
    return ElasticFiller(request, vector_mapping, {})


OFFERS = (
    Engine(
        name="elasticsearch",
        page=__doc__,
        params=params("ELASTICSEARCH_URL"),
        open=partial(Elastic, "elasticsearch", nearest),
        live=True,
        extra="stack",
        fills=Fills(PLACE, open_filler, PARAMS),
    ),
)
